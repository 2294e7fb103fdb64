"""Any OpenAI-compatible /v1/embeddings endpoint: vLLM, TEI, Ollama, a hosted service."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import openai

from services.common.errors import FailedPrecondition, Unavailable
from services.retrieval.domain.embedding import EmbedderIdentity, Vectors

# Texts in one request; endpoints bound them, most at 256 or more.
_BATCH = 64


class OpenAIEmbedder:
    """Vectors from an endpoint, normalised to unit length.

    ``dimension`` 0 asks the endpoint once, at start. Tokens are estimated from characters, on the safe side:
    the endpoint's tokenizer is not known here.

    Raises (on construction):
        Unavailable: the endpoint does not answer.
        FailedPrecondition: it answers with vectors of another length than was set.
    """

    def __init__(
        self,
        *,
        url: str,
        model: str,
        revision: str = "",
        key: str = "",
        dimension: int = 0,
        max_tokens: int = 512,
        query_prefix: str = "",
        passage_prefix: str = "",
        timeout: float = 30.0,
    ) -> None:
        self._client = openai.OpenAI(base_url=url, api_key=key or "none", timeout=timeout, max_retries=2)
        self._url = url
        self._model = model
        self._query_prefix = query_prefix
        self._passage_prefix = passage_prefix
        found = int(self._request([f"{passage_prefix}dimension"]).shape[1])
        if dimension and dimension != found:
            raise FailedPrecondition(
                "EMBEDDER_MISMATCH",
                f"{model} at {url} makes vectors of {found} dimensions, TRIRAG_RETRIEVAL_EMBEDDER_DIMENSION says "
                f"{dimension}; correct one of them",
            )
        self._identity = EmbedderIdentity(model, revision, found, max_tokens)

    @property
    def identity(self) -> EmbedderIdentity:
        """Name, revision and dimension of the model."""
        return self._identity

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Float32 unit vectors of shape (n, dimension). Raises Unavailable."""
        if not texts:
            return np.zeros((0, self._identity.dimension), np.float32)
        prefixed = [self._passage_prefix + text for text in texts]
        return np.concatenate([self._request(prefixed[i : i + _BATCH]) for i in range(0, len(prefixed), _BATCH)])

    def embed_query(self, text: str) -> Vectors:
        """One float32 unit vector. Raises Unavailable."""
        vector: Vectors = self._request([self._query_prefix + text])[0]
        return vector

    def count_tokens(self, text: str) -> int:
        """An upper estimate: a token for each character beyond Latin-1 and for every three others."""
        wide = sum(char > "\u00ff" for char in text)
        return wide + (len(text) - wide + 2) // 3

    def _request(self, texts: Sequence[str]) -> Vectors:
        try:
            answer = self._client.embeddings.create(model=self._model, input=list(texts), encoding_format="float")
        except openai.APIStatusError as error:
            reason = f"HTTP {error.status_code}"
        except openai.APIError as error:
            reason = type(error).__name__
        else:
            ordered = sorted(answer.data, key=lambda item: item.index)
            vectors = np.array([item.embedding for item in ordered], dtype=np.float32)
            norms = np.linalg.norm(vectors, axis=1, keepdims=True)
            unit: Vectors = vectors / np.maximum(norms, 1e-12)
            return unit
        raise Unavailable(
            "EMBEDDER_UNAVAILABLE", f"the embedding endpoint {self._url} failed: {reason}", retry_after=1.0
        )
