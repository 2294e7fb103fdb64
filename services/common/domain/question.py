"""A question as Perception understood it. Produced by perception, read by orchestrator and validation."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import date

from services.common.domain.time import DayInterval, TimeRelation


class Action(enum.StrEnum):
    """What the user wants done."""

    LOOKUP = "lookup"
    COMPARE = "compare"
    EXPLAIN = "explain"
    HOW_TO = "how_to"
    LIST = "list"
    SUMMARIZE = "summarize"
    QUANTIFY = "quantify"
    VERIFY = "verify"
    TROUBLESHOOT = "troubleshoot"
    RECOMMEND = "recommend"
    UNKNOWN = "unknown"


class OriginKind(enum.StrEnum):
    """What produced a field."""

    RULE = "rule"
    MODEL = "model"
    GAZETTEER = "gazetteer"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the original text in Unicode code points: ``start`` inclusive, ``end`` exclusive."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Origin:
    """Why a field has its value: the rule, model or gazetteer entry that set it."""

    kind: OriginKind
    rule_id: str
    file: str = ""
    line: int = 0
    matched_text: str = ""


@dataclass(frozen=True, slots=True)
class ScoredAction:
    """An action with its score in (0, 1]; the list of a question is ordered best first."""

    action: Action
    score: float
    origin: Origin


@dataclass(frozen=True, slots=True)
class Mention:
    """A named thing in the question: an entity, a code, an attribute, a side.

    ``type`` is a lower-case label such as ``organization``, ``product``, ``place``, ``document``,
    ``model_number``, ``error_code``, ``clause``, ``standard``, ``version``, ``attribute``, ``condition``.
    """

    text: str
    type: str
    span: Span
    canonical: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class TimeConstraint:
    """A constraint on the answer's time."""

    relation: TimeRelation
    interval: DayInterval
    text: str
    span: Span
    origin: Origin


@dataclass(frozen=True, slots=True)
class QuantityConstraint:
    """The question asks for, or compares, numbers.

    ``superlative`` is ``max``, ``min`` or empty; ``top_n`` is 0 where the question names no count. With ``ranks_only``
    no number is asked for: the superlative only says which things are meant ("the top three suppliers").
    """

    measure: str
    unit: str
    superlative: str
    top_n: int
    origin: Origin
    ranks_only: bool = False


@dataclass(frozen=True, slots=True)
class Label:
    """A value that a rule pack attaches to a question: urgency, jurisdiction, a document-type hint."""

    name: str
    value: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class Part:
    """One explicit sub-question, self-contained: shared entity and time are carried over."""

    text: str
    span: Span
    action: Action
    origin: Origin


@dataclass(frozen=True, slots=True)
class Rewrite:
    """An added query; it never replaces the user's own words. ``kind``: colloquial, synonym, abbreviation."""

    text: str
    kind: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class LanguageSpan:
    """A stretch of one language, as an ISO 639-1 code or ``und``."""

    language: str
    span: Span


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """A reading that was not decided by the text; ``options`` are the readings, the chosen one first."""

    field: str
    text: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """Everything Perception read from a question.

    ``actions`` is never empty. ``language`` is ``en``, ``zh``, ``mixed`` or another ISO 639-1 code.
    ``missing`` names what a vague question lacks, so that the orchestrator can ask back.
    """

    question: str
    language: str
    actions: tuple[ScoredAction, ...]
    reference_date: date
    rules_version: str
    entities: tuple[Mention, ...] = ()
    codes: tuple[Mention, ...] = ()
    attributes: tuple[Mention, ...] = ()
    time: TimeConstraint | None = None
    time_mentions: tuple[TimeConstraint, ...] = ()
    quantity: QuantityConstraint | None = None
    sides: tuple[Mention, ...] = ()
    source: Mention | None = None
    exclusions: tuple[Mention, ...] = ()
    labels: tuple[Label, ...] = ()
    parts: tuple[Part, ...] = ()
    rewrites: tuple[Rewrite, ...] = ()
    language_spans: tuple[LanguageSpan, ...] = ()
    ambiguities: tuple[Ambiguity, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def action(self) -> Action:
        """The primary action."""
        return self.actions[0].action

    @property
    def asks_number(self) -> bool:
        """True if the answer is a number or rests on comparing numbers; a mere "top three" is neither."""
        return self.quantity is not None and not self.quantity.ranks_only
