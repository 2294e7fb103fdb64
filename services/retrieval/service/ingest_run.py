"""What an ingest works with while it runs."""

from __future__ import annotations

from dataclasses import dataclass, field

from services.retrieval.domain.documents import PreparedDocument
from services.retrieval.domain.embedding import Embedder, EmbedderIdentity
from services.retrieval.domain.quality.rejection import DocumentRejected, Reason
from services.retrieval.service.items import DocumentOutcome, IngestTally
from services.retrieval.service.prepare import Preparer
from services.retrieval.service.running import RunningJob


@dataclass(slots=True)
class Target:
    """The knowledge base of an ingest: when it was created (None: it is not there yet), and the embedder that documents
    are cut for."""

    name: str
    embedder: EmbedderIdentity
    born: float | None


@dataclass(slots=True)
class IngestRun:
    """One ingest. ``started`` in epoch seconds; ``seen`` are the ids of its documents so far and their origins."""

    job: RunningJob
    target: Target
    embedder: Embedder
    preparer: Preparer
    tally: IngestTally
    started: float
    seen: dict[str, str] = field(default_factory=dict)

    def unless_repeated(self, prepared: PreparedDocument | DocumentOutcome) -> PreparedDocument | DocumentOutcome:
        """Refuses the second document of an id within one ingest: which of the two is meant is not ours to guess.

        A file that has the id from its path, as another one but for the ending, takes one with the ending.
        """
        document_id = prepared.document_id if isinstance(prepared, DocumentOutcome) else prepared.metadata.document_id
        is_rejected = isinstance(prepared, DocumentOutcome) and bool(prepared.reason)
        if is_rejected or not document_id:
            return prepared
        first = self.seen.setdefault(document_id, prepared.origin)
        if first == prepared.origin:
            return prepared
        if isinstance(prepared, PreparedDocument) and (other := self.preparer.under_other_id(prepared)) is not None:
            return self.unless_repeated(other)
        rejection = DocumentRejected(
            Reason.DUPLICATE_DOCUMENT_ID,
            f"document_id {document_id!r} was already used by {first!r} in this ingest, which was kept; "
            "give each document an id of its own",
        )
        groups = () if isinstance(prepared, DocumentOutcome) else prepared.metadata.access_groups
        return DocumentOutcome.rejected(prepared.origin, rejection, document_id, groups)
