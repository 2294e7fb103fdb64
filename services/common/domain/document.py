"""Documents and chunks as they travel between services."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta

from services.common.domain.question import Span
from services.common.domain.time import DayInterval

DOC_TYPES = ("regulation", "manual", "how_to", "faq", "report", "note", "standard", "other")
DEFAULT_AUTHORITY = 3


@dataclass(frozen=True, slots=True)
class DocumentMetadata:
    """What a document carries (design section 4).

    ``authority`` runs from 1 (hearsay) to 5 (binding). ``effective_from`` and ``effective_to`` are both
    days in force. ``supersedes`` is the ``document_id`` of the version before. Empty ``access_groups``
    means public. ``extracted_fields`` names the fields read from the text instead of given.
    ``content_health`` is in [0, 1]; 1 is clean. ``retired_at`` is the first day on which an owner has taken the
    document out of force. ``file_name`` and ``file_modified`` (epoch seconds, 0: not known) are the file's own, kept
    apart from what the document states; they only help to tell which of two versions is newer. ``alike`` are the ids
    and checksums of documents of the same title whose text was largely the same when this one was stored,
    ``perhaps_alike`` those of which it was not clear that they are on the same thing.
    """

    document_id: str
    knowledge_base: str = ""
    title: str = ""
    source_uri: str = ""
    language: str = ""
    doc_type: str = "other"
    authority: int = DEFAULT_AUTHORITY
    version: str = ""
    published_at: date | None = None
    effective_from: date | None = None
    effective_to: date | None = None
    updated_at: date | None = None
    supersedes: str = ""
    access_groups: tuple[str, ...] = ()
    checksum: str = ""
    content_health: float = 1.0
    extracted_fields: tuple[str, ...] = ()
    # Not part of the repr, on which fingerprints of stored documents rest.
    retired_at: date | None = field(default=None, repr=False)
    file_name: str = field(default="", repr=False)
    file_modified: float = field(default=0.0, repr=False)
    alike: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    perhaps_alike: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    @property
    def in_force(self) -> DayInterval:
        """The days on which the document is in force, as far as it states them and has not been retired."""
        return DayInterval(self.effective_from, self.last_day)

    @property
    def last_day(self) -> date | None:
        """The last day in force by the document's own dates or by its retirement, whichever is earlier."""
        if self.retired_at is None:
            return self.effective_to
        last = min(self.retired_at - timedelta(days=1), self.effective_to or date.max)
        return max(last, self.effective_from) if self.effective_from else last

    def in_force_on(self, day: date) -> bool:
        """True unless the document's own dates exclude ``day``."""
        return self.in_force.contains(day)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of a document with everything needed to cite and judge it.

    ``span`` is the chunk's place in the stored document text; ``page`` counts from 1, 0 where there are none.
    ``number_density`` is digits and number words per token, in [0, 1].
    """

    chunk_id: str
    document: DocumentMetadata
    text: str
    ordinal: int = 0
    heading_path: tuple[str, ...] = ()
    span: Span = field(default_factory=lambda: Span(0, 0))
    page: int = 0
    entities: tuple[str, ...] = ()
    number_density: float = 0.0
    token_count: int = 0
    parent_id: str = ""
