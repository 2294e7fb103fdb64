"""A remote reranker behind the /v1/rerank API that vLLM, TEI, Jina and Cohere speak."""

from __future__ import annotations

from collections.abc import Sequence

import httpx

from services.common.errors import Unavailable
from services.retrieval.domain.plain import plain_text
from services.retrieval.service.reranking import Candidate, Reranked


class HttpReranker:
    """Scores passages by a cross-encoder at ``url`` (its base, such as http://host:8000/v1)."""

    def __init__(self, url: str, model: str, key: str = "", timeout: float = 5.0) -> None:
        self._url = f"{url.rstrip('/')}/rerank"
        self._model = model
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.Client(timeout=timeout, headers=headers)

    def rerank(self, query: str, candidates: Sequence[Candidate]) -> list[Reranked]:
        """See ``Reranker``. Raises Unavailable."""
        if not candidates:
            return []
        documents = [f"{candidate.title}\n{plain_text(candidate.row.text)}" for candidate in candidates]
        body = {"model": self._model, "query": query, "documents": documents, "top_n": len(documents)}
        try:
            answer = self._client.post(self._url, json=body).raise_for_status().json()
            scores = {int(item["index"]): float(item["relevance_score"]) for item in answer["results"]}
        except httpx.HTTPStatusError as error:
            reason = f"HTTP {error.response.status_code}"
        except httpx.HTTPError as error:
            reason = type(error).__name__
        except (KeyError, TypeError, ValueError):
            reason = "an answer that is not of the /v1/rerank API"
        else:
            lowest = min(scores.values(), default=0.0)
            ordered = [scores.get(index, lowest) for index in range(len(candidates))]
            return [Reranked(score, {"remote": score}) for score in ordered]
        raise Unavailable("RERANKER_UNAVAILABLE", f"the reranker {self._url} failed: {reason}", retry_after=1.0)
