"""What a rule pack may contain."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from services.perception.domain.rules import Sets

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
RuleId = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_.-]*$", max_length=80)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ExampleModel(_Strict):
    """``gives`` is what the rule must yield from ``text``."""

    text: Annotated[str, Field(min_length=1)]
    gives: str | None = None


class ExamplesModel(_Strict):
    """``match``: texts on which the rule fires; ``avoid``: near misses on which it must not."""

    match: list[str | ExampleModel] = Field(default_factory=list)
    avoid: list[str | ExampleModel] = Field(default_factory=list)


class RuleModel(_Strict):
    """One rule. Exactly what it sets decides which further options mean something."""

    id: RuleId
    about: Annotated[str, Field(min_length=3)]
    sets: Sets
    value: str = ""
    score: Annotated[float, Field(gt=0, le=1)] = 0.5
    pattern: str | list[str] = Field(default_factory=list)
    tokens: list[list[dict[str, Any]]] = Field(default_factory=list)
    unless: str | list[str] = Field(default_factory=list)
    requires: str | list[str] = Field(default_factory=list)
    case: bool = False
    options: dict[str, str] = Field(default_factory=dict)
    examples: ExamplesModel = Field(default_factory=ExamplesModel)

    @model_validator(mode="after")
    def _has_pattern(self) -> RuleModel:
        if not self.pattern and not self.tokens:
            raise ValueError("a rule needs `pattern` or `tokens`")
        return self


class NamesModel(_Strict):
    """Known names of one type; ``Name = canonical`` gives an alias."""

    type: Name
    case: bool = False
    names: list[Annotated[str, Field(min_length=1)]]


class PackModel(_Strict):
    """One file."""

    pack: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
    about: str = ""
    language: Literal["en", "zh", "any"]
    lexicon: dict[Name, list[str]] = Field(default_factory=dict)
    rules: list[RuleModel] = Field(default_factory=list)
    names: list[NamesModel] = Field(default_factory=list)
    words: dict[Name, list[str]] = Field(default_factory=dict)
    traditional: list[Annotated[str, Field(min_length=2)]] = Field(default_factory=list)
    function_words: dict[Name, list[str]] = Field(default_factory=dict)
    disable: list[RuleId] = Field(default_factory=list)
