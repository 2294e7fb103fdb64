"""A remote reranker, such as a cross-encoder behind vLLM or Text Embeddings Inference."""

from __future__ import annotations

import time
from collections.abc import Sequence

import httpx

from services.common.errors import Unavailable
from services.retrieval.adapters.rerankers.dialects import DIALECTS
from services.retrieval.domain.passages.plain import plain_text
from services.retrieval.service.reranking import Candidate, Reranked


class HttpReranker:
    """Scores passages at ``url``, the base of an endpoint (such as http://host:8000/v1) that speaks ``api``.

    ``timeout`` bounds all requests of one query together, in seconds.
    """

    def __init__(self, url: str, model: str, key: str = "", timeout: float = 5.0, api: str = "rerank") -> None:
        self._dialect = DIALECTS[api]
        self._api = api
        self._url = f"{url.rstrip('/')}/{self._dialect.path}"
        self._model = model
        self._timeout = timeout
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.Client(headers=headers)

    def rerank(self, query: str, candidates: Sequence[Candidate]) -> list[Reranked]:
        """See ``Reranker``. Raises Unavailable."""
        documents = [f"{candidate.title}\n{plain_text(candidate.row.text)}" for candidate in candidates]
        ends = time.monotonic() + self._timeout
        scores: dict[int, float] = {}
        try:
            for start in range(0, len(documents), self._dialect.batch):
                batch = documents[start : start + self._dialect.batch]
                answer = self._ask(self._dialect.body(self._model, query, batch), ends)
                scores |= {start + place: score for place, score in self._dialect.read(answer).items()}
        except httpx.HTTPStatusError as error:
            reason = f"HTTP {error.response.status_code}"
        except httpx.HTTPError as error:
            reason = type(error).__name__
        except (KeyError, TypeError, ValueError):
            reason = f"an answer that is not of the {self._api} API; see TRIRAG_RETRIEVAL_RERANKER_API"
        else:
            lowest = min(scores.values(), default=0.0)
            ordered = [scores.get(index, lowest) for index in range(len(candidates))]
            return [Reranked(score, {"remote": score}) for score in ordered]
        raise Unavailable("RERANKER_UNAVAILABLE", f"the reranker {self._url} failed: {reason}", retry_after=1.0)

    def _ask(self, body: dict[str, object], ends: float) -> object:
        left = max(0.01, ends - time.monotonic())
        answer: object = self._client.post(self._url, json=body, timeout=left).raise_for_status().json()
        return answer
