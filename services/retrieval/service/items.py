"""What enters an ingest and what comes out of it."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from services.retrieval.domain.conflict.conflicts import ConflictReport
from services.retrieval.domain.quality.rejection import DocumentRejected


@dataclass(frozen=True, slots=True)
class FileItem:
    """A whole file. ``fields`` is its metadata as text, ``modified`` in epoch seconds, 0 if not known."""

    path: str
    content: bytes
    fields: Mapping[str, str] = field(default_factory=dict)
    modified: float = 0.0


@dataclass(frozen=True, slots=True)
class TextItem:
    """A document whose Markdown text is given. ``origin`` names it in messages."""

    origin: str
    text: str
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LinesItem:
    """Some lines of a JSONL file, each with its number from 1. ``fields`` is metadata that all of them share."""

    path: str
    lines: tuple[tuple[int, str], ...]
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BrokenItem:
    """Something that could not become an item; it only needs to be reported."""

    origin: str
    rejection: DocumentRejected
    fields: Mapping[str, str] = field(default_factory=dict)


IngestItem = FileItem | TextItem | LinesItem | BrokenItem


class Outcome(enum.StrEnum):
    """What became of a document."""

    CREATED = "created"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class DocumentOutcome:
    """The result of one document; ``reason`` and ``message`` are set if it was rejected.

    ``access_groups`` are those that the metadata of a rejected document named: others must not learn of it.
    """

    origin: str
    document_id: str
    outcome: Outcome
    chunk_count: int = 0
    reason: str = ""
    message: str = ""
    warnings: tuple[str, ...] = ()
    access_groups: tuple[str, ...] = ()

    @classmethod
    def rejected(
        cls,
        origin: str,
        rejection: DocumentRejected,
        document_id: str = "",
        access_groups: Iterable[str] = (),
    ) -> DocumentOutcome:
        """The outcome of a document that was refused."""
        return cls(
            origin,
            document_id or rejection.document_id,
            Outcome.REJECTED,
            0,
            rejection.reason.value,
            rejection.message,
            access_groups=tuple(access_groups),
        )


@dataclass(frozen=True, slots=True)
class IngestStarted:
    """An ingest has begun."""

    job_id: str


@dataclass(frozen=True, slots=True)
class IngestProgress:
    """How many of the ``passages`` of the documents at work have their vectors; both 0: they are still read and cut."""

    embedded: int
    passages: int


@dataclass(slots=True)
class IngestTally:
    """Counts of an ingest so far, and in the end the conflicts that its documents have with others.

    ``expected`` is how many documents the client said would come, ``embedded`` how many of the ``passages`` of the
    large documents at work have their vectors.
    """

    job_id: str
    created: int = 0
    replaced: int = 0
    unchanged: int = 0
    chunk_count: int = 0
    rejected: list[DocumentOutcome] = field(default_factory=list)
    reported_at: float = 0.0
    expected: int = 0
    embedded: int = 0
    passages: int = 0
    stored: list[tuple[str, str]] = field(default_factory=list)
    written: set[str] = field(default_factory=set)
    conflicts: ConflictReport = field(default_factory=ConflictReport)

    def add(self, outcome: DocumentOutcome) -> None:
        """Counts one document."""
        if outcome.outcome is Outcome.REJECTED:
            self.rejected.append(outcome)
        elif outcome.outcome is Outcome.CREATED:
            self.created += 1
        elif outcome.outcome is Outcome.REPLACED:
            self.replaced += 1
        else:
            self.unchanged += 1
        if outcome.outcome is not Outcome.REJECTED:
            self.stored.append((outcome.origin, outcome.document_id))
        if outcome.outcome in (Outcome.CREATED, Outcome.REPLACED):
            self.chunk_count += outcome.chunk_count
            self.written.add(outcome.document_id)

    def counts(self) -> dict[str, int]:
        """The counts by name."""
        return {
            "created": self.created, "replaced": self.replaced, "unchanged": self.unchanged,
            "rejected": len(self.rejected), "chunks": self.chunk_count, "expected": self.expected,
            "embedded": self.embedded, "passages": self.passages,
        }  # fmt: skip
