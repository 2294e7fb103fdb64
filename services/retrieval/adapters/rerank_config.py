"""Reads config/rerank.yaml, the weights of the local reranker."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, field_validator

from services.common.config_file import read_config
from services.retrieval.domain.ranking.rerank import FEATURES, RerankWeights


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    weights: dict[str, float]

    @field_validator("weights")
    @classmethod
    def _known(cls, weights: dict[str, float]) -> dict[str, float]:
        unknown = sorted(set(weights) - set(FEATURES))
        if unknown:
            raise ValueError(f"unknown feature {unknown[0]!r}; known: {', '.join(FEATURES)}")
        return weights


def load_rerank_weights(path: Path) -> RerankWeights:
    """The weights in ``path``.

    Raises:
        ConfigError: naming the file, the line, the field, the reason and the remedy.
    """
    parsed = read_config(path, _File, reason="BAD_RERANK_CONFIG")
    return RerankWeights(parsed.weights)
