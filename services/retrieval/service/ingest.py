"""The ingest of a stream of files and documents into one knowledge base."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing

import structlog

from services.common.errors import FailedPrecondition, Unavailable
from services.common.offload import BlockingPool
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.domain.documents import PreparedDocument, StoredDocument
from services.retrieval.domain.embedding import Embedder
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.leases import TAKEN_OVER, Hold
from services.retrieval.domain.ports import VectorStore
from services.retrieval.service.aftermath import IngestAftermath
from services.retrieval.service.fair_pool import FairPool
from services.retrieval.service.group_writer import GroupWriter, is_full
from services.retrieval.service.index_guard import IndexGuard
from services.retrieval.service.ingest_records import IngestRecords
from services.retrieval.service.ingest_run import IngestRun, Target
from services.retrieval.service.items import DocumentOutcome, IngestItem, IngestProgress, IngestStarted, IngestTally
from services.retrieval.service.prepare import Preparer, Reading
from services.retrieval.service.running import CANCELLED, FileReader, RunningJob, RunningJobs
from services.retrieval.service.snapshot import Snapshots
from services.retrieval.service.writing import Writers

log = structlog.get_logger("ingest")

# Items parsed ahead of the writer. Together with the largest file this bounds the memory of an ingest.
_AHEAD = 3

# Between two signs that a document is still being read or cut.
_SIGN_OF_LIFE_SECONDS = 5.0

# Threads that unpack and cut documents. Python's lock lets one of them go on at a time, but for what the embedder
# counts; the others are there so that none waits for a document of another job.
_PREPARING_THREADS = 3
# A service that stops waits so long until the jobs of the calls that it ended are closed.
_SETTLE_SECONDS = 5.0

# Between two looks at a job that another process holds.
_HOLD_LOOK_SECONDS = 0.5

_LOST = "lost"
_ENDED_BY = {CANCELLED: "cancelled", TAKEN_OVER: _LOST}
"""How a job ends by the reason of its failure; any other is a failure."""

_Prepared = list[PreparedDocument | DocumentOutcome]
IngestEvent = IngestStarted | IngestProgress | DocumentOutcome | IngestTally


class IngestService:
    """Runs ingests; several at once are safe, in one knowledge base too, and take turns."""

    def __init__(
        self,
        catalogue: Catalogue,
        snapshots: Snapshots,
        store: VectorStore,
        writers: Writers,
        guard: IndexGuard,
        config: IngestConfig,
        pool: BlockingPool,
        aftermath: IngestAftermath,
        readers: Callable[[], FileReader] | None = None,
        reading: FairPool | None = None,
    ) -> None:
        """``readers`` makes what reads the files of a job (None: they are read in this process); ``reading`` has a
        thread for each file that is read at once."""
        self._catalogue = catalogue
        self._snapshots = snapshots
        self._store = store
        self._writers = writers
        self._guard = guard
        self._config = config
        self._pool = pool
        self._aftermath = aftermath
        self._readers = readers
        self._reading = reading or FairPool(1, "read")
        self._preparing = FairPool(_PREPARING_THREADS, "prepare")
        self._records = IngestRecords(catalogue)
        self._groups = GroupWriter(writers, self._records, pool)
        self._jobs = RunningJobs(catalogue.jobs.standing)
        self._unsettled: set[asyncio.Future[None]] = set()

    def end(self, job_id: str) -> None:
        """Ends a job that the catalogue says is to end, without waiting until it looks."""
        self._jobs.end(job_id)

    async def settled(self) -> None:
        """Returns when all ingests whose calls have ended are closed in the catalogue, or after some seconds.

        Before ``close``: what a stopped service leaves open is shown as interrupted only when its lease is given up.
        """
        if self._unsettled:
            await asyncio.wait(self._unsettled, timeout=_SETTLE_SECONDS)

    def close_left(self) -> None:
        """Closes jobs that ended while the catalogue did not answer. Blocking; raises Unavailable."""
        self._records.close_left()

    def close(self) -> None:
        """Drops what waits; what runs ends with its reader."""
        self._reading.close()
        self._preparing.close()
        self._groups.close()
        self._jobs.close()

    async def ingest(
        self,
        knowledge_base: str,
        items: AsyncIterator[IngestItem],
        groups: frozenset[str] = frozenset(),
        expected: int = 0,
        job_id: str = "",
    ) -> AsyncGenerator[IngestEvent, None]:
        """That it has begun, the outcome of each document as it is done, how far large ones are, then the tally.

        ``groups`` are the caller's: conflicts with documents of others are not told. A document that fails is reported
        and leaves nothing behind; the others go on. ``job_id``: a job that broke off and that this one goes on with;
        where another process holds it, that may be dead, and its lease is waited for.

        Raises:
            FailedPrecondition: the embedder of the knowledge base is not at hand, its index does not fit, or it was
                deleted while documents were being stored; INGEST_CANCELLED: it was asked to end; INGEST_TAKEN_OVER:
                this process stood still for so long that another call took up the job.
            Unavailable: the catalogue does not answer.
        """
        settled: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._unsettled.add(settled)
        try:
            async with aclosing(self._events(knowledge_base, items, groups, expected, job_id)) as events:
                async for event in events:
                    yield event
        finally:
            self._unsettled.discard(settled)
            settled.set_result(None)

    async def _events(
        self, knowledge_base: str, items: AsyncIterator[IngestItem], groups: frozenset[str], expected: int, job_id: str
    ) -> AsyncGenerator[IngestEvent, None]:
        await self._until_free(job_id)
        opening = asyncio.ensure_future(self._open(knowledge_base, expected, job_id))
        try:
            run = await asyncio.shield(opening)
        except asyncio.CancelledError:  # a job that was noted must not stay as if it ran
            await self._finish(await opening, "interrupted")
            raise
        state = "failed"
        try:
            with self._jobs.running(run.job):
                yield IngestStarted(run.job.id)
                async with aclosing(self._run(run, items)) as events:
                    async for event in events:
                        if isinstance(event, DocumentOutcome):
                            run.tally.add(event)
                        yield event
                run.tally.conflicts = await self._pool.run(self._aftermath.conflicts, knowledge_base, run.tally, groups)
            state = "done"
        except FailedPrecondition as error:
            state = _ENDED_BY.get(error.reason, "failed")
            raise
        except (asyncio.CancelledError, GeneratorExit):
            state = "interrupted"
            raise
        finally:
            # Before anything that waits: what is being read ends with the job, whatever becomes of the rest.
            run.job.end()
            # Shielded: a job that is broken off must still be closed.
            await asyncio.shield(self._finish(run, state))
        yield run.tally

    async def _until_free(self, job_id: str) -> None:
        """Waits while a process that may be dead holds the job: until it shows that it lives, or its lease runs out."""
        first: Hold | None = None
        while job_id and (hold := await self._pool.run(self._records.hold, job_id)) is not None:
            first = first or hold
            if hold.expires_at > first.expires_at:
                return
            await asyncio.sleep(min(hold.seconds_left, _HOLD_LOOK_SECONDS))

    async def _open(self, knowledge_base: str, expected: int, job_id: str) -> IngestRun:
        target, embedder, known = await self._pool.run(self._begin, knowledge_base)
        started = time.time()
        tally = IngestTally(job_id, expected=expected)
        lease = await self._pool.run(self._records.begin, knowledge_base, tally, started)
        running = RunningJob(lease, self._readers() if self._readers else None)
        preparer = Preparer(
            knowledge_base,
            self._config.for_model(embedder.identity.max_tokens),
            running.counting(embedder.count_tokens),
            known.get,
            embedder.identity.label,
            running.reader.parse if running.reader else None,
        )
        return IngestRun(running, target, embedder, preparer, tally, started)

    async def _run(self, run: IngestRun, items: AsyncIterator[IngestItem]) -> AsyncGenerator[IngestEvent, None]:
        queue: asyncio.Queue[asyncio.Task[_Prepared] | None] = asyncio.Queue(maxsize=_AHEAD)
        group: list[PreparedDocument] = []
        try:
            producer = run.job.start(self._produce(run, items, queue))
            while True:
                if group and queue.empty():
                    await asyncio.sleep(0)  # lets the producer hand over what it has before a small group goes
                if group and (queue.empty() or is_full(group)):
                    async for event in self._groups.store(run, group):
                        yield event
                    group = []
                task = await run.job.unless_ended(queue.get())
                if task is None:
                    break
                await self._pool.run(self._records.report, run)
                async for progress in self._until_prepared(run, task):
                    yield progress
                for prepared in task.result():
                    checked = run.unless_repeated(prepared)
                    if isinstance(checked, DocumentOutcome):
                        yield checked
                        continue
                    group.append(checked)
                    if is_full(group):
                        async for event in self._groups.store(run, group):
                            yield event
                        group = []
            async for event in self._groups.store(run, group):
                yield event
            await producer
        finally:
            await run.job.over()

    async def _produce(
        self, run: IngestRun, items: AsyncIterator[IngestItem], queue: asyncio.Queue[asyncio.Task[_Prepared] | None]
    ) -> None:
        try:
            async for item in items:
                parts = run.preparer.split(item)
                while (part := await self._preparing.run(run.job.id, next, parts, None)) is not None:
                    await queue.put(run.job.start(self._prepared(run, part)))
        except Exception as error:
            await queue.put(run.job.start(_failed(error)))
        await queue.put(None)

    async def _prepared(self, run: IngestRun, item: IngestItem) -> _Prepared:
        """The documents of an item. A file that a process reads waits for its turn there, then with all others."""
        reading: Reading | None = None
        if run.preparer.reads_apart(item):
            reading = await self._reading.run(run.job.id, run.preparer.read, item)
        return await self._preparing.run(run.job.id, _prepare_all, run.preparer, item, reading)

    async def _until_prepared(
        self, run: IngestRun, task: asyncio.Task[_Prepared]
    ) -> AsyncGenerator[IngestProgress, None]:
        """Signs of life while a document is read and cut, which takes minutes for the largest."""
        while True:
            await run.job.unless_ended(asyncio.wait({task}, timeout=_SIGN_OF_LIFE_SECONDS))
            if task.done():
                return
            await self._pool.run(self._records.report, run)
            yield IngestProgress(0, 0)

    def _begin(self, knowledge_base: str) -> tuple[Target, Embedder, dict[str, StoredDocument]]:
        record = self._catalogue.knowledge_base(knowledge_base)
        if record is None:
            embedder = self._guard.embedders.default
            return Target(knowledge_base, embedder.identity, None), embedder, {}
        embedder = self._guard.embedders.of(record)
        try:
            self._writers.sweeper.sweep(knowledge_base)
        except Unavailable as error:
            log.warning("leftovers not swept", knowledge_base=knowledge_base, reason=error.message)
        target = Target(knowledge_base, embedder.identity, record.created_at)
        return target, embedder, self._snapshots.get(knowledge_base).documents

    async def _finish(self, run: IngestRun, state: str) -> None:
        knowledge_base, tally = run.target.name, run.tally
        if state == _LOST:  # all the rest is whose job it is now
            log.warning("ingest taken over by another call", job_id=tally.job_id, knowledge_base=knowledge_base)
            return
        # Each step by itself: a job is closed whatever became of the steps before.
        if state == "interrupted":  # at once: its client may be back within half a second, and asks for this very job
            await self._pool.run(self._records.close, run, state)
        try:
            if tally.chunk_count:
                await self._pool.run(self._seal, knowledge_base)
        except Unavailable as error:
            log.warning("index not sealed", job_id=tally.job_id, reason=error.message)
        try:
            await self._pool.run(self._aftermath.note, knowledge_base, tally, run.job.lease)
        except Exception as error:
            log.warning("refusals not noted", job_id=tally.job_id, reason=str(error), kind=type(error).__name__)
        if state != "interrupted":
            await self._pool.run(self._records.close, run, state)

    def _seal(self, knowledge_base: str) -> None:
        record = self._catalogue.knowledge_base(knowledge_base)
        if record is not None:
            self._store.seal(record.collection)


def _prepare_all(preparer: Preparer, item: IngestItem, reading: Reading | None) -> _Prepared:
    return list(preparer.prepare(item, reading))


async def _failed(error: Exception) -> _Prepared:
    raise error
