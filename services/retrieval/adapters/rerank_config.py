"""Reads config/rerank.yaml, the weights of the local reranker."""

from __future__ import annotations

from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from services.common.errors import FailedPrecondition
from services.retrieval.domain.rerank import FEATURES, RerankWeights


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
        FailedPrecondition: naming the file, the field, the reason and the remedy.
    """
    try:
        parsed = _File.model_validate(yaml.safe_load(path.read_text("utf-8")))
    except FileNotFoundError:
        raise FailedPrecondition(
            "BAD_RERANK_CONFIG", f"{path} is missing; restore it or set TRIRAG_CONFIG_DIR to the folder that has it"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise FailedPrecondition("BAD_RERANK_CONFIG", f"{path}: cannot be read: {error}") from None
    except yaml.YAMLError as error:
        raise FailedPrecondition("BAD_RERANK_CONFIG", f"{path}: not YAML: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise FailedPrecondition("BAD_RERANK_CONFIG", f"{path}: {place}: {first['msg']}") from None
    return RerankWeights(parsed.weights)
