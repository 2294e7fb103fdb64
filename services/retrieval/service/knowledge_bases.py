"""Keeping knowledge bases: create, list, delete, documents, health."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from services.common.errors import NotFound
from services.common.offload import BlockingPool
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.domain.documents import StoredDocument
from services.retrieval.domain.findings import Finding, collect_figures, collect_findings, conflict_findings
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.ports import IngestJob, KnowledgeBaseRecord
from services.retrieval.service.caches import LruCache
from services.retrieval.service.snapshot import Snapshot, Snapshots
from services.retrieval.service.writer import DocumentWriter

# Texts that one health report compares, in characters; beyond, later documents are not compared.
_REPORT_CHARACTERS = 8_000_000


@dataclass(frozen=True, slots=True)
class HealthReport:
    """Figures by name, and findings, of what a caller may read of a knowledge base."""

    record: KnowledgeBaseRecord
    figures: Mapping[str, float] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()


class KnowledgeBases:
    """The use cases of a knowledge owner besides ingestion."""

    def __init__(
        self,
        catalogue: Catalogue,
        snapshots: Snapshots,
        writer: DocumentWriter,
        config: IngestConfig,
        pool: BlockingPool,
    ) -> None:
        self._catalogue = catalogue
        self._snapshots = snapshots
        self._writer = writer
        self._config = config
        self._pool = pool
        self._reports: LruCache[HealthReport] = LruCache("health_reports", 32)

    async def create(self, name: str) -> KnowledgeBaseRecord:
        """Makes an empty one. Raises AlreadyExists, Unavailable."""
        return await self._pool.run(self._writer.create, name)

    async def list_all(self) -> list[KnowledgeBaseRecord]:
        """All of them by name, with counts."""
        return await self._pool.run(self._catalogue.list_knowledge_bases)

    async def delete(self, name: str) -> int:
        """Removes one with all it holds; returns how many documents went. Raises NotFound, Unavailable."""
        return await self._pool.run(self._writer.delete_knowledge_base, name)

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
        return await self._pool.run(self._writer.delete, knowledge_base, document_id)

    async def jobs(self, knowledge_base: str) -> list[IngestJob]:
        """Ingests of a knowledge base, latest first."""
        return await self._pool.run(self._catalogue.list_jobs, knowledge_base)

    async def cancel_job(self, job_id: str) -> None:
        """Asks a running ingest to end. Raises NotFound."""
        await self._pool.run(self._catalogue.cancel_job, job_id)

    async def health(self, knowledge_base: str, groups: frozenset[str]) -> HealthReport:
        """Figures and findings over the documents that ``groups`` may read. Raises NotFound."""
        return await self._pool.run(self._health, knowledge_base, groups)

    def _health(self, knowledge_base: str, groups: frozenset[str]) -> HealthReport:
        snapshot = self._snapshots.get(knowledge_base)
        # Comparing all texts takes seconds for a large knowledge base, so a report is kept until a write.
        key = (snapshot.record.collection, snapshot.write_count, snapshot.readable(groups))
        return self._reports.get_or_make(key, lambda: self._report(snapshot, groups))

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
        findings += conflict_findings(documents, self._texts(name, readable))
        return HealthReport(record, collect_figures(documents, findings), tuple(findings))

    def _texts(self, knowledge_base: str, documents: Mapping[str, StoredDocument]) -> dict[str, str]:
        """Texts of the documents in order of their ids, until they get too many for one report."""
        texts: dict[str, str] = {}
        characters = 0
        for document_id in sorted(documents):
            stored = self._catalogue.text(knowledge_base, document_id)
            characters += len(stored.text) if stored else 0
            if characters > _REPORT_CHARACTERS:
                break
            texts[document_id] = stored.text if stored else ""
        return texts


def may_read(document: StoredDocument, groups: frozenset[str]) -> bool:
    """True if the document is public or shares a group with the caller."""
    required = document.metadata.access_groups
    return not required or not groups.isdisjoint(required)
