"""Keeping knowledge bases: create, list, delete, documents, health."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import date

from services.common.errors import NotFound
from services.common.offload import BlockingPool
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.adapters.rejection_records import RejectionRecords
from services.retrieval.domain.conflict.conflicts import Conflict, ConflictKind
from services.retrieval.domain.documents import StoredDocument
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.leases import COME_BACK_SECONDS
from services.retrieval.domain.ports import IngestJob, KnowledgeBaseRecord, RejectedDocument
from services.retrieval.domain.quality.document_health import DocumentHealth, document_health
from services.retrieval.domain.quality.findings import Finding, collect_figures, collect_findings, conflict_findings
from services.retrieval.service.caches import LruCache
from services.retrieval.service.conflict_watch import ConflictWatch
from services.retrieval.service.snapshot import Snapshot, Snapshots, may_read
from services.retrieval.service.writing import Writers

# What a report lists at most, as its contract says.
_LISTED_DOCUMENTS = 10_000
_LISTED_REJECTIONS = 1_000
_LISTED_CONFLICTS = 200
# Between two looks at a job that is watched.
_WATCH_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class HealthReport:
    """Figures by name and findings of what a caller may read of a knowledge base, each document's own figures, what
    was refused, and statements that differ."""

    record: KnowledgeBaseRecord
    figures: Mapping[str, float] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    documents: tuple[DocumentHealth, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    rejected: tuple[tuple[RejectedDocument, bool], ...] = ()


class KnowledgeBases:
    """The use cases of a knowledge owner besides ingestion."""

    def __init__(
        self,
        catalogue: Catalogue,
        snapshots: Snapshots,
        writers: Writers,
        config: IngestConfig,
        pool: BlockingPool,
        watch: ConflictWatch,
        rejections: RejectionRecords,
    ) -> None:
        self._catalogue = catalogue
        self._snapshots = snapshots
        self._writers = writers
        self._config = config
        self._pool = pool
        self._watch = watch
        self._rejections = rejections
        self._reports: LruCache[HealthReport] = LruCache("health_reports", 32)

    async def create(self, name: str) -> KnowledgeBaseRecord:
        """Makes an empty one. Raises AlreadyExists, Unavailable."""
        return await self._pool.run(self._writers.bases.create, name)

    async def list_all(self) -> list[KnowledgeBaseRecord]:
        """All of them by name, with counts."""
        return await self._pool.run(self._catalogue.list_knowledge_bases)

    async def delete(self, name: str) -> int:
        """Removes one with all it holds; returns how many documents went. Raises NotFound, Unavailable."""
        return await self._pool.run(self._writers.bases.delete, name)

    async def documents(
        self, knowledge_base: str, after: str, limit: int, groups: frozenset[str]
    ) -> tuple[list[StoredDocument], str]:
        """A page of the documents that ``groups`` may read, and the id to go on after; empty on the last page."""
        snapshot = await self._pool.run(self._snapshots.get, knowledge_base)
        readable = [d for _, d in sorted(snapshot.documents.items()) if may_read(d, groups)]
        rest = [d for d in readable if d.metadata.document_id > after]
        page = rest[:limit]
        return page, page[-1].metadata.document_id if len(rest) > limit else ""

    async def document(
        self, knowledge_base: str, document_id: str, groups: frozenset[str]
    ) -> tuple[StoredDocument, str] | None:
        """A document and its text; None if it does not exist or may not be read. Raises NotFound for the base."""
        snapshot = await self._pool.run(self._snapshots.get, knowledge_base)
        document = snapshot.documents.get(document_id)
        if document is None or not may_read(document, groups):
            return None
        stored = await self._pool.run(self._catalogue.text, knowledge_base, document_id)
        return (document, stored.text) if stored else None

    async def delete_document(self, knowledge_base: str, document_id: str, groups: frozenset[str]) -> int:
        """Removes a document with every trace; returns how many chunks went. Raises NotFound."""
        if await self.document(knowledge_base, document_id, groups) is None:
            raise NotFound("DOCUMENT_NOT_FOUND", f"{knowledge_base!r} has no document {document_id!r}")
        return await self._pool.run(self._writers.documents.delete, knowledge_base, document_id)

    async def retire_document(
        self, knowledge_base: str, document_id: str, day: date | None, groups: frozenset[str]
    ) -> StoredDocument:
        """Takes a document out of force from ``day`` on, or back into force with None; the document as it is then.

        Raises:
            NotFound: there is no such document to read.
            InvalidInput: it was not in force before ``day``.
        """
        if await self.document(knowledge_base, document_id, groups) is None:
            raise NotFound("DOCUMENT_NOT_FOUND", f"{knowledge_base!r} has no document {document_id!r}")
        await self._pool.run(self._writers.documents.retire, knowledge_base, document_id, day)
        snapshot = await self._pool.run(self._snapshots.get, knowledge_base)
        changed = snapshot.documents.get(document_id)
        if changed is None:
            raise NotFound(
                "DOCUMENT_NOT_FOUND", f"document {document_id!r} was deleted from {knowledge_base!r} meanwhile"
            )
        return changed

    async def titles(self, knowledge_base: str, ids: Collection[str]) -> dict[str, str]:
        """Titles by document id, of those that are stored."""
        if not ids:
            return {}
        documents = (await self._pool.run(self._snapshots.get, knowledge_base)).documents
        return {key: documents[key].metadata.title for key in ids if key in documents}

    async def watch_job(self, job_id: str) -> AsyncGenerator[IngestJob, None]:
        """The state of an ingest at once, after every change, and when it has ended. Raises NotFound.

        One whose client lost the connection has a while to come back.
        """
        last: IngestJob | None = None
        while True:
            job = await self._pool.run(self._catalogue.jobs.find, job_id)
            if job is None:
                raise NotFound("INGEST_JOB_NOT_FOUND", f"there is no ingest {job_id!r}; `kb jobs` lists them")
            if job != last:
                yield job
                last = job
            waited_for = job.state == "interrupted" and time.time() < job.updated_at + COME_BACK_SECONDS
            if job.state != "running" and not waited_for:
                return
            await asyncio.sleep(_WATCH_SECONDS)

    async def jobs(self, knowledge_base: str) -> list[IngestJob]:
        """Ingests of a knowledge base, latest first."""
        return await self._pool.run(self._catalogue.jobs.latest, knowledge_base)

    async def cancel_job(self, job_id: str) -> None:
        """Asks a running ingest to end. Raises NotFound."""
        await self._pool.run(self._catalogue.jobs.cancel, job_id)

    async def health(self, knowledge_base: str, groups: frozenset[str]) -> HealthReport:
        """Figures and findings over the documents that ``groups`` may read. Raises NotFound."""
        return await self._pool.run(self._health, knowledge_base, groups)

    def _health(self, knowledge_base: str, groups: frozenset[str]) -> HealthReport:
        snapshot = self._snapshots.get(knowledge_base)
        # Comparing all texts takes seconds for a large knowledge base, so a report is kept until a write.
        key = (snapshot.record.collection, snapshot.write_count, snapshot.readable(groups))
        report = self._reports.get_or_make(key, lambda: self._report(snapshot, groups))
        # Refusals come without a write, so they are never those of a report that was kept.
        rejected = self._rejections.latest(knowledge_base, groups, _LISTED_REJECTIONS)
        figures = {**report.figures, "rejected": float(len(rejected))}
        known = {d.document_id for d in report.documents}
        return replace(report, figures=figures, rejected=tuple((r, r.document_id in known) for r in rejected))

    def _report(self, snapshot: Snapshot, groups: frozenset[str]) -> HealthReport:
        name = snapshot.record.name
        readable = {key: d for key, d in snapshot.documents.items() if may_read(d, groups)}
        documents = list(readable.values())
        signatures = {key: value for key, value in self._catalogue.signatures(name).items() if key in readable}
        record = replace(
            snapshot.record,
            document_count=len(documents),
            chunk_count=sum(document.chunk_count for document in documents),
        )
        findings = collect_findings(documents, signatures, self._config.health)
        found = self._watch.find(snapshot, readable)
        findings += conflict_findings(found.conflicts)
        figures = collect_figures(documents, findings)
        figures |= {
            "conflicts": float(found.count(ConflictKind.CONFLICT)),
            "superseded_values": float(found.count(ConflictKind.SUPERSEDED)),
            "not_compared": float(found.left_out),
        }
        titles = {key: document.metadata.title for key, document in readable.items()}
        health = document_health(documents, findings)[:_LISTED_DOCUMENTS]
        return HealthReport(
            record, figures, tuple(findings), tuple(health), found.conflicts[:_LISTED_CONFLICTS], titles
        )
