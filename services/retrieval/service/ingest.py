"""The ingest of a stream of files and documents into one knowledge base."""

from __future__ import annotations

import asyncio
import contextlib
import time
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass

import structlog

from services.common.errors import FailedPrecondition, Unavailable
from services.common.offload import BlockingPool
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.domain.documents import PreparedDocument, StoredDocument
from services.retrieval.domain.embedding import Embedder, EmbedderIdentity
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.ports import SWITCHING, IngestJob, VectorStore
from services.retrieval.domain.rejection import DocumentRejected, Reason
from services.retrieval.service.aftermath import IngestAftermath
from services.retrieval.service.index_guard import IndexGuard
from services.retrieval.service.items import DocumentOutcome, IngestItem, IngestTally
from services.retrieval.service.prepare import ParseFile, Preparer
from services.retrieval.service.rows import WARM_CHUNKS, embedding_texts
from services.retrieval.service.snapshot import Snapshots
from services.retrieval.service.writer import DocumentWriter

log = structlog.get_logger("ingest")

# Documents are embedded and published in groups: large enough to keep both cores busy in one native batch
# and to share a transaction, small enough for the progress bar to move.
_GROUP_CHUNKS = 64
_GROUP_DOCUMENTS = 32
# Items parsed ahead of the writer. Together with the largest file this bounds the memory of an ingest.
_AHEAD = 3
# Pauses before a group that met a store that does not answer is tried again, in seconds.
_RETRY_PAUSES = (0.5, 2.0, 5.0)
# An ingest waits so long for a migration that switches.
_SWITCH_SECONDS = 120.0

# Between two reports of a running job.
_REPORT_SECONDS = 1.0

_CANCELLED = "INGEST_CANCELLED"

_Prepared = list[PreparedDocument | DocumentOutcome]


@dataclass(slots=True)
class _Target:
    """The knowledge base of an ingest: when it was created (None: it is not there yet), and the embedder that documents
    are cut for."""

    name: str
    embedder: EmbedderIdentity
    born: float | None


class IngestService:
    """Runs ingests; several at once are safe, in one knowledge base too."""

    def __init__(
        self,
        catalogue: Catalogue,
        snapshots: Snapshots,
        store: VectorStore,
        writer: DocumentWriter,
        guard: IndexGuard,
        config: IngestConfig,
        pool: BlockingPool,
        aftermath: IngestAftermath,
        parse: ParseFile | None = None,
    ) -> None:
        self._catalogue = catalogue
        self._snapshots = snapshots
        self._store = store
        self._writer = writer
        self._guard = guard
        self._config = config
        self._pool = pool
        self._aftermath = aftermath
        self._parse = parse

    async def ingest(
        self,
        knowledge_base: str,
        items: AsyncIterator[IngestItem],
        groups: frozenset[str] = frozenset(),
        expected: int = 0,
    ) -> AsyncIterator[DocumentOutcome | IngestTally]:
        """The outcome of each document as it is done, then the tally.

        ``groups`` are the caller's: conflicts with documents of others are not told. A document that fails is reported
        and leaves nothing behind; the others go on.

        Raises:
            FailedPrecondition: the embedder of the knowledge base is not at hand, its index does not fit, or it was
                deleted while documents were being stored.
            Unavailable: the catalogue does not answer.
        """
        tally = IngestTally(job_id=uuid.uuid4().hex, expected=expected)
        target, embedder, known = await self._pool.run(self._begin, knowledge_base)
        started = time.time()
        job = IngestJob(tally.job_id, knowledge_base, "running", started, started, tally.counts())
        await self._pool.run(self._catalogue.open_job, job)
        preparer = Preparer(
            knowledge_base, self._config, embedder.count_tokens, known.get, embedder.identity.label, self._parse
        )
        state = "failed"
        try:
            async for outcome in self._run(target, embedder, preparer, items, tally, started):
                tally.add(outcome)
                yield outcome
            tally.conflicts = await self._pool.run(self._aftermath.conflicts, knowledge_base, tally, groups)
            state = "done"
        except FailedPrecondition as error:
            state = "cancelled" if error.reason == _CANCELLED else "failed"
            raise
        except (asyncio.CancelledError, GeneratorExit):
            state = "cancelled"
            raise
        finally:
            # Shielded: a cancelled ingest must still close its job.
            await asyncio.shield(self._finish(knowledge_base, tally, state, started))
        yield tally

    async def _run(
        self,
        target: _Target,
        embedder: Embedder,
        preparer: Preparer,
        items: AsyncIterator[IngestItem],
        tally: IngestTally,
        started: float,
    ) -> AsyncIterator[DocumentOutcome]:
        group: list[PreparedDocument] = []
        seen: dict[str, str] = {}
        queue: asyncio.Queue[asyncio.Future[_Prepared] | None] = asyncio.Queue(maxsize=_AHEAD)
        producer = asyncio.create_task(self._produce(preparer, items, queue))
        try:
            while True:
                if group and queue.empty():
                    await asyncio.sleep(0)  # lets the producer hand over what it has before a small group goes
                if group and (queue.empty() or _full(group)):
                    await self._warm(embedder, target, group, tally, started)
                    for outcome in await self._write(target, group):
                        yield outcome
                    group = []
                future = await queue.get()
                if future is None:
                    break
                await self._pool.run(self._report, target.name, tally, started)
                for prepared in await future:
                    checked = _reject_repeated(prepared, seen)
                    if isinstance(checked, DocumentOutcome):
                        yield checked
                        continue
                    group.append(checked)
                    if _full(group):
                        await self._warm(embedder, target, group, tally, started)
                        for outcome in await self._write(target, group):
                            yield outcome
                        group = []
            for outcome in await self._write(target, group):
                yield outcome
            await producer
        finally:
            producer.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await producer

    async def _produce(
        self,
        preparer: Preparer,
        items: AsyncIterator[IngestItem],
        queue: asyncio.Queue[asyncio.Future[_Prepared] | None],
    ) -> None:
        try:
            async for item in items:
                parts = preparer.split(item)
                while (part := await self._pool.run(next, parts, None)) is not None:
                    await queue.put(asyncio.ensure_future(self._pool.run(_prepare_all, preparer, part)))
        except Exception as error:
            failed: asyncio.Future[_Prepared] = asyncio.get_running_loop().create_future()
            failed.set_exception(error)
            await queue.put(failed)
        await queue.put(None)

    async def _warm(
        self, embedder: Embedder, target: _Target, group: Sequence[PreparedDocument], tally: IngestTally, started: float
    ) -> None:
        """Embeds the passages of a large document part by part into the cache, so that the job tells how far it is and
        can be ended in between.

        Raises:
            FailedPrecondition: INGEST_CANCELLED.
        """
        if sum(len(p.chunks) for p in group) <= WARM_CHUNKS:
            return
        texts = [text for p in group for text in embedding_texts(p.text, p.chunks)]
        for start in range(0, len(texts), WARM_CHUNKS):
            with contextlib.suppress(Unavailable):  # the write meets it again, and has its pauses
                await self._pool.run(embedder.embed_passages, texts[start : start + WARM_CHUNKS])
            tally.embedded = min(len(texts), start + WARM_CHUNKS)
            await self._pool.run(self._report, target.name, tally, started)
        tally.embedded = 0

    async def _write(self, target: _Target, group: Sequence[PreparedDocument]) -> list[DocumentOutcome]:
        if not group:
            return []
        pauses: Iterator[float] = iter(_RETRY_PAUSES)
        switching = time.monotonic() + _SWITCH_SECONDS
        while True:
            try:
                return await self._pool.run(self._open_and_write, target, group)
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
                await asyncio.sleep(max(pause, error.retry_after or 0.0))

    def _open_and_write(self, target: _Target, group: Sequence[PreparedDocument]) -> list[DocumentOutcome]:
        target.born = self._writer.open(target.name, target.born).created_at
        return self._writer.write(target.name, group, target.embedder, target.born)

    def _begin(self, knowledge_base: str) -> tuple[_Target, Embedder, dict[str, StoredDocument]]:
        record = self._catalogue.knowledge_base(knowledge_base)
        if record is None:
            embedder = self._guard.embedders.default
            return _Target(knowledge_base, embedder.identity, None), embedder, {}
        embedder = self._guard.embedders.of(record)
        try:
            self._writer.sweep(knowledge_base)
        except Unavailable as error:
            log.warning("leftovers not swept", knowledge_base=knowledge_base, reason=error.message)
        target = _Target(knowledge_base, embedder.identity, record.created_at)
        return target, embedder, self._snapshots.get(knowledge_base).documents

    async def _finish(self, knowledge_base: str, tally: IngestTally, state: str, started: float) -> None:
        # Each step by itself: a job is closed whatever became of the steps before.
        try:
            if tally.chunk_count:
                await self._pool.run(self._seal, knowledge_base)
        except Unavailable as error:
            log.warning("index not sealed", job_id=tally.job_id, reason=error.message)
        try:
            await self._pool.run(self._aftermath.note, knowledge_base, tally)
        except Exception as error:
            log.warning("refusals not noted", job_id=tally.job_id, reason=str(error), kind=type(error).__name__)
        try:
            job = IngestJob(tally.job_id, knowledge_base, state, started, time.time(), tally.counts())
            await self._pool.run(self._catalogue.close_job, job)
        except Unavailable as error:
            log.warning("ingest job not closed", job_id=tally.job_id, reason=error.message)

    def _report(self, knowledge_base: str, tally: IngestTally, started: float) -> None:
        """Ends the job if it has been asked to, and tells about once a second how far it is.

        Raises:
            FailedPrecondition: INGEST_CANCELLED.
        """
        if self._catalogue.is_cancelled(tally.job_id):
            raise FailedPrecondition(
                _CANCELLED, "the ingest was cancelled; what it stored stays, and running it again goes on"
            )
        now = time.time()
        if now - tally.reported_at >= _REPORT_SECONDS:
            tally.reported_at = now
            job = IngestJob(tally.job_id, knowledge_base, "running", started, now, tally.counts())
            self._catalogue.report_job(job)

    def _seal(self, knowledge_base: str) -> None:
        record = self._catalogue.knowledge_base(knowledge_base)
        if record is not None:
            self._store.seal(record.collection)


def _prepare_all(preparer: Preparer, item: IngestItem) -> _Prepared:
    return list(preparer.prepare(item))


def _full(group: Sequence[PreparedDocument]) -> bool:
    return len(group) >= _GROUP_DOCUMENTS or sum(len(p.chunks) for p in group) >= _GROUP_CHUNKS


def _reject_repeated(
    prepared: PreparedDocument | DocumentOutcome, seen: dict[str, str]
) -> PreparedDocument | DocumentOutcome:
    """Refuses the second document of an id within one ingest: which of the two is meant is not ours to guess."""
    document_id = prepared.document_id if isinstance(prepared, DocumentOutcome) else prepared.metadata.document_id
    is_rejected = isinstance(prepared, DocumentOutcome) and bool(prepared.reason)
    if is_rejected or not document_id:
        return prepared
    first = seen.setdefault(document_id, prepared.origin)
    if first == prepared.origin:
        return prepared
    rejection = DocumentRejected(
        Reason.DUPLICATE_DOCUMENT_ID,
        f"document_id {document_id!r} was already used by {first!r} in this ingest, which was kept; "
        "give each document an id of its own",
    )
    groups = () if isinstance(prepared, DocumentOutcome) else prepared.metadata.access_groups
    return DocumentOutcome.rejected(prepared.origin, rejection, document_id, groups)
