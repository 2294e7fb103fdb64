"""What Validation says: issues with remedies, verdicts, an evidence map, and the judgement of sufficiency."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from services.common.domain.question import Span


class IssueType(enum.StrEnum):
    """The typed defects of an answer."""

    UNCITED_STATEMENT = "UNCITED_STATEMENT"
    CITATION_NOT_RETRIEVED = "CITATION_NOT_RETRIEVED"
    UNSUPPORTED_STATEMENT = "UNSUPPORTED_STATEMENT"
    NUMBER_MISMATCH = "NUMBER_MISMATCH"
    UNIT_MISMATCH = "UNIT_MISMATCH"
    DATE_MISMATCH = "DATE_MISMATCH"
    ENTITY_MISMATCH = "ENTITY_MISMATCH"
    NEGATION_MISMATCH = "NEGATION_MISMATCH"
    MODALITY_MISMATCH = "MODALITY_MISMATCH"
    MISQUOTED_REFERENCE = "MISQUOTED_REFERENCE"
    OUTDATED_SOURCE = "OUTDATED_SOURCE"
    SUPERSEDED_SOURCE = "SUPERSEDED_SOURCE"
    NOT_YET_EFFECTIVE = "NOT_YET_EFFECTIVE"
    COMPARISON_WRONG_DIRECTION = "COMPARISON_WRONG_DIRECTION"
    COMPARISON_MISSING_SIDE = "COMPARISON_MISSING_SIDE"
    CONFLICTING_SOURCES = "CONFLICTING_SOURCES"
    INCOMPLETE_ANSWER = "INCOMPLETE_ANSWER"


class Severity(enum.StrEnum):
    """``block`` makes the answer invalid; ``warn`` travels with it."""

    WARN = "warn"
    BLOCK = "block"


class RemedyKind(enum.StrEnum):
    """What the orchestrator can do about an issue."""

    RETRIEVE_MISSING = "retrieve_missing"
    RETRIEVE_FRESHER = "retrieve_fresher"
    RECITE = "recite"
    DROP_STATEMENT = "drop_statement"
    REGENERATE = "regenerate"
    DISCLOSE_CONFLICT = "disclose_conflict"


class Lock(enum.StrEnum):
    """The three locks, and the check that the answer is whole."""

    TRACEABILITY = "traceability"
    TIMELINESS = "timeliness"
    CONSISTENCY = "consistency"
    COMPLETENESS = "completeness"


@dataclass(frozen=True, slots=True)
class Remedy:
    """A machine-readable repair: ``queries`` for retrieval kinds, ``citation`` (1-based) for ``recite``."""

    kind: RemedyKind
    queries: tuple[str, ...] = ()
    citation: int = 0
    as_of: str = ""


@dataclass(frozen=True, slots=True)
class Issue:
    """One defect. ``statement_index`` is 0-based; ``citation`` is the 1-based chunk position, 0 if none."""

    type: IssueType
    lock: Lock
    severity: Severity
    statement_index: int
    check_id: str
    message: str
    remedy: Remedy
    statement_span: Span | None = None
    citation: int = 0
    evidence_span: Span | None = None
    found: str = ""
    expected: str = ""


@dataclass(frozen=True, slots=True)
class Contribution:
    """One feature's share of a support score, so that the score can be read."""

    feature: str
    value: float
    weight: float


@dataclass(frozen=True, slots=True)
class EvidenceLink:
    """The best evidence for a statement: a 1-based chunk position and the sentence's span in that chunk."""

    citation: int
    chunk_id: str
    span: Span
    score: float
    matched: tuple[Span, ...] = ()
    contributions: tuple[Contribution, ...] = ()


@dataclass(frozen=True, slots=True)
class StatementVerdict:
    """One statement of the answer. ``is_claim`` is false for lead-ins, closings and honest refusals."""

    index: int
    text: str
    span: Span
    citations: tuple[int, ...]
    is_claim: bool
    supported: bool
    confidence: float
    evidence: tuple[EvidenceLink, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of a whole answer; ``valid`` is false if any issue has severity ``block``."""

    valid: bool
    confidence: float
    statements: tuple[StatementVerdict, ...]
    issues: tuple[Issue, ...]


class SufficiencyLabel(enum.StrEnum):
    """Whether the evidence can carry an answer."""

    SUFFICIENT = "sufficient"
    INSUFFICIENT = "insufficient"
    CONFLICTING = "conflicting"


@dataclass(frozen=True, slots=True)
class Need:
    """Something the question needs (entity x attribute x period, a side, a number, steps).

    ``covered_by`` are 1-based chunk positions; ``queries`` are ready-made searches for an uncovered need.
    """

    need_id: str
    description: str
    kind: str
    covered_by: tuple[int, ...]
    queries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two chunks that give different values for the same thing. Citations are 1-based.

    ``decided_by`` names the rule that settles it (``version``, ``authority``, ``in_force``), or is empty.
    """

    citation_a: int
    citation_b: int
    value_a: str
    value_b: str
    about: str
    sentence_a: str = ""
    sentence_b: str = ""
    decided_by: str = ""


@dataclass(frozen=True, slots=True)
class Sufficiency:
    """The judgement of the evidence. ``score`` is the calibrated probability that it suffices."""

    label: SufficiencyLabel
    score: float
    needs: tuple[Need, ...]
    conflicts: tuple[Conflict, ...]
