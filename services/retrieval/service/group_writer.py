"""Stores the documents of an ingest in groups: embeds them, writes them, and tries again what failed for a moment."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing

from services.common.errors import Unavailable
from services.common.offload import BlockingPool
from services.retrieval.domain.documents import PreparedDocument
from services.retrieval.domain.ports import SWITCHING
from services.retrieval.domain.quality.rejection import DocumentRejected, Reason
from services.retrieval.service.fair_pool import FairPool
from services.retrieval.service.ingest_records import IngestRecords
from services.retrieval.service.ingest_run import IngestRun
from services.retrieval.service.items import DocumentOutcome, IngestProgress
from services.retrieval.service.rows import WARM_CHUNKS, embedding_texts
from services.retrieval.service.writing import Writers

# Documents are embedded and published in groups: large enough to keep both cores busy in one native batch
# and to share a transaction, small enough for the progress bar to move.
_GROUP_CHUNKS = 64
_GROUP_DOCUMENTS = 32
# Pauses before a group that met a store that does not answer is tried again, in seconds.
_RETRY_PAUSES = (0.5, 2.0, 5.0)
# An ingest waits so long for a migration that switches.
_SWITCH_SECONDS = 120.0
# Threads that embed passages, of their own: a service that waits for its model still begins, reports and ends ingests.
_EMBEDDING_THREADS = 4


class GroupWriter:
    """Stores groups of prepared documents for all ingests of this process."""

    def __init__(self, writers: Writers, records: IngestRecords, pool: BlockingPool) -> None:
        self._writers = writers
        self._records = records
        self._pool = pool
        self._embedding = FairPool(_EMBEDDING_THREADS, "embed-passages")

    def close(self) -> None:
        """Drops what waits."""
        self._embedding.close()

    async def store(
        self, run: IngestRun, group: Sequence[PreparedDocument]
    ) -> AsyncGenerator[IngestProgress | DocumentOutcome, None]:
        """How far it is, where the documents are large; then the outcome of each.

        Raises:
            FailedPrecondition: the job was ended or taken over, or the knowledge base is no more.
        """
        async with aclosing(self._warm(run, group)) as steps:
            async for progress in steps:
                yield progress
        for outcome in await self.write(run, group):
            yield outcome

    async def _warm(self, run: IngestRun, group: Sequence[PreparedDocument]) -> AsyncGenerator[IngestProgress, None]:
        """Embeds passages part by part into the cache, so that the job of a large document tells how far it is and can
        be ended in between.
        """
        texts = [text for p in group for text in embedding_texts(p.text, p.chunks)]
        large = len(texts) > WARM_CHUNKS
        run.tally.passages = len(texts) if large else 0
        for start in range(0, len(texts), WARM_CHUNKS):
            part = texts[start : start + WARM_CHUNKS]
            try:
                await run.job.unless_ended(self._embedding.run(run.job.id, run.embedder.embed_passages, part))
            except Unavailable:
                break  # the write meets it again, and has its pauses
            if large:
                run.tally.embedded = min(len(texts), start + WARM_CHUNKS)
                await self._pool.run(self._records.report, run)
                yield IngestProgress(run.tally.embedded, len(texts))
        run.tally.embedded = run.tally.passages = 0

    async def write(self, run: IngestRun, group: Sequence[PreparedDocument]) -> list[DocumentOutcome]:
        """Stores a group, all of it or nothing. Raises as ``store`` does."""
        if not group:
            return []
        pauses: Iterator[float] = iter(_RETRY_PAUSES)
        switching = time.monotonic() + _SWITCH_SECONDS
        while True:
            try:
                return await self._pool.run(self._open_and_write, run, group)
            except Unavailable as error:
                # A migration that is about to switch holds writers off, and is no fault of the store.
                held_off = error.reason == SWITCHING and time.monotonic() < switching
                pause = error.retry_after or 1.0 if held_off else next(pauses, None)
                if pause is None:
                    rejection = DocumentRejected(
                        Reason.STORE_UNAVAILABLE,
                        f"{error.message}; nothing of the document was kept, ingest it again",
                    )
                    return [
                        DocumentOutcome.rejected(p.origin, rejection, p.metadata.document_id, p.metadata.access_groups)
                        for p in group
                    ]
                await run.job.unless_ended(asyncio.sleep(max(pause, error.retry_after or 0.0)))

    def _open_and_write(self, run: IngestRun, group: Sequence[PreparedDocument]) -> list[DocumentOutcome]:
        target = run.target
        run.job.check()
        target.born = self._writers.bases.open(target.name, target.born).created_at
        return self._writers.documents.write(target.name, group, target.embedder, target.born, run.job)


def is_full(group: Sequence[PreparedDocument]) -> bool:
    """Whether a group should not grow any more."""
    return len(group) >= _GROUP_DOCUMENTS or sum(len(p.chunks) for p in group) >= _GROUP_CHUNKS
