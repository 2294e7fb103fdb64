"""The messages of an ingest stream, made as the stream takes them: memory holds one part at a time."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from cli.ingest.jsonl import Row, count_rows, read_rows
from cli.ingest.sources import SIDECAR_NAME, SourceFile, Sources
from services.common.printable import printable
from services.retrieval.domain.quality.rejection import Reason
from trirag.retrieval.v1 import knowledge_base_pb2 as pb

PART_BYTES = 1024 * 1024


@dataclass(slots=True)
class Upload:
    """One ingest as seen from here; ``rejected`` gathers what never reached the service, ``sent`` what did, in order.

    Files and lines of JSONL go by the name that the service answers with.
    """

    knowledge_base: str
    sources: Sources
    rejected: list[pb.DocumentResult] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    _left_out: dict[str, str] = field(default_factory=dict)

    def expected(self) -> int:
        """Documents that will be sent or rejected here; unreadable files and TAR archives count as one."""
        return sum(_count(source) for source in self.sources.files)

    def messages(self, expected: int, job_id: str = "", only: str = "") -> Iterator[pb.IngestRequest]:
        """Start, then every file in parts and every line that is a document. May be taken again from the beginning, for
        the job that it began. ``only``: sends that one by itself, and rejects nothing."""
        if not only:
            self.rejected.clear()
            self.sent.clear()
        start = pb.IngestStart(knowledge_base=self.knowledge_base, expected_documents=expected, job_id=job_id)
        yield pb.IngestRequest(start=start)
        for source in self.sources.files:
            if source.obstacle:
                if not only:
                    self._reject(source.name, "", Reason.UNREADABLE_FILE, source.obstacle)
                continue
            try:
                if source.is_jsonl:
                    yield from self._rows(source, only)
                elif self._is_due(printable(source.name), only):
                    yield from _parts(source)
            except OSError as error:
                if not only:
                    told = f"cannot be read: {error.strerror or error}; check its permissions"
                    self._reject(source.name, "", Reason.UNREADABLE_FILE, told)

    def unanswered(self, came: Mapping[str, pb.DocumentResult]) -> list[str]:
        """What was sent last and may not be done, given what became of each document; in order.

        Documents are stored in order, so what was sent before one that is stored is done. An archive has no result of
        its own.
        """
        last = max((i for i, origin in enumerate(self.sent) if _is_stored(came.get(origin))), default=-1)
        return [origin for origin in self.sent[last + 1 :] if origin not in came]

    def leave_out(self, origin: str, deaths: int) -> None:
        """Sends it no more."""
        self._left_out[origin] = (
            f"the service died {deaths} times while it worked on this alone, and its log tells more; convert or split "
            "it, and ingest it by itself"
        )

    def _is_due(self, origin: str, only: str) -> bool:
        """Whether it is to be sent; what is left out is rejected here."""
        if only:
            return origin == only
        if origin in self._left_out:
            self._reject(origin, "", Reason.ENDS_SERVICE, self._left_out[origin])
            return False
        self.sent.append(origin)
        return True

    def _rows(self, source: SourceFile, only: str) -> Iterator[pb.IngestRequest]:
        if only and not only.startswith(f"{printable(source.name)}:"):
            return
        for row in read_rows(source):
            if row.broken:
                if not only:
                    self._reject(row.origin, row.document_id, row.reason, row.message)
            elif self._is_due(printable(row.origin), only):
                yield pb.IngestRequest(document=_document(row))

    def _reject(self, origin: str, document_id: str, reason: str, message: str) -> None:
        self.rejected.append(
            pb.DocumentResult(
                origin=origin,
                document_id=document_id,
                outcome=pb.DOCUMENT_OUTCOME_REJECTED,
                reason=reason,
                message=message,
            )
        )


def _is_stored(result: pb.DocumentResult | None) -> bool:
    return result is not None and result.outcome in (pb.DOCUMENT_OUTCOME_CREATED, pb.DOCUMENT_OUTCOME_REPLACED)


def _document(row: Row) -> pb.IngestDocument:
    metadata = pb.IngestMetadata(fields=dict(row.fields or {}))
    return pb.IngestDocument(metadata=metadata, text=row.text, origin=row.origin)


def _parts(source: SourceFile) -> Iterator[pb.IngestRequest]:
    """At least one part, also of an empty file; the first carries the metadata."""
    with source.path.open("rb") as content:
        part = content.read(PART_BYTES)
        first = True
        while True:
            following = content.read(PART_BYTES)
            metadata = pb.IngestMetadata(fields=source.fields) if first else None
            message = pb.IngestFile(path=source.name, content=part, last_part=not following, metadata=metadata)
            if first:
                message.modified_at.FromSeconds(int(source.path.stat().st_mtime))
            yield pb.IngestRequest(file=message)
            if not following:
                return
            part, first = following, False


def _count(source: SourceFile) -> int:
    if source.obstacle:
        return 1
    try:
        if source.path.suffix.lower() == ".zip":
            return _count_members(source)
        return count_rows(source) if source.is_jsonl else 1
    except OSError:
        return 1


def _count_members(source: SourceFile) -> int:
    """Files of a ZIP by its directory, archives inside it as one each; the bar grows where there are more."""
    try:
        with zipfile.ZipFile(source.path) as archive:
            names = [entry.filename for entry in archive.infolist() if not entry.is_dir()]
    except zipfile.BadZipFile:
        return 1
    return max(1, sum(1 for name in names if not name.startswith((".", "__MACOSX")) and name != SIDECAR_NAME))
