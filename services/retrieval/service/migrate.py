"""Moves a knowledge base to another embedder while it is searched and written.

A shadow collection is filled from the stored texts; queries are asked of both collections; then the catalogue names the
shadow in place of the other in one transaction, which fails if anything was written that the shadow lacks: then that is
copied first. So nothing locks writers out for longer than the last catch-up, readers never see anything half made, and
what is broken off at any moment is continued by the next run, for the catalogue knows which revisions are copied whole.
Going back is the same with the former collection as the shadow.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import ParamSpec, TypeVar

import structlog
from prometheus_client import Counter

from services.common.errors import FailedPrecondition, TriragError, Unavailable
from services.common.offload import BlockingPool
from services.retrieval.adapters.leftovers import StaleWrite
from services.retrieval.domain.embedding import Embedder
from services.retrieval.domain.leases import HEARTBEAT_SECONDS
from services.retrieval.domain.ports import FORMER, SHADOW, KnowledgeBaseRecord, VectorStore
from services.retrieval.domain.ranking.replay import Comparison, Report, SwitchRules, report
from services.retrieval.domain.shadow import batches, difference
from services.retrieval.service.index_guard import IndexGuard
from services.retrieval.service.migration_events import (
    Ended,
    MigrationOutcome,
    MigrationStatus,
    Phase,
    Progress,
    SideStatus,
    report_from_json,
    report_to_json,
)
from services.retrieval.service.side_work import SideWork, SideWorks
from services.retrieval.service.snapshot import Snapshots
from services.retrieval.service.sweeper import Sweeper

P = ParamSpec("P")
T = TypeVar("T")
log = structlog.get_logger("migrate")

_ENDED = Counter("trirag_retrieval_migrations_total", "Migrations and rollbacks by how they ended.", ["outcome"])
for _outcome in ("done", "failed", "store_unavailable", "store_inconsistent", "embedder_unavailable", "catalogue_down"):
    _ENDED.labels(_outcome)  # at 0 from the start: an alert sees a step, not a series that begins at 1

# As in an ingest: one native batch of embeddings, and small enough for progress to move.
_BATCH_CHUNKS, _BATCH_DOCUMENTS = 64, 32
_QUERIES_AT_ONCE = 16
# Pauses before a store that does not answer is tried again, in seconds.
_RETRY_PAUSES = (0.5, 2.0, 5.0)
# How often rows may be found missing and be copied again.
_DOUBTS = 3
# Writers may overtake this many catch-ups; then they wait, at most so long, for the last one.
_OPEN_ROUNDS, _CLOSED_ROUNDS, _CLOSED_SECONDS = 3, 5, 30.0

Event = Progress | Report | Ended


class Migrations:
    """Migrates, returns, tells, and drops. One migration of a knowledge base at a time, over all processes."""

    def __init__(
        self,
        works: SideWorks,
        snapshots: Snapshots,
        store: VectorStore,
        guard: IndexGuard,
        sweeper: Sweeper,
        rules: SwitchRules,
        pool: BlockingPool,
        search_timeout: float,
        recorded_queries: int,
    ) -> None:
        """``search_timeout`` bounds a search of a comparison, in seconds; ``recorded_queries`` are compared at most."""
        self._works = works
        self._snapshots = snapshots
        self._store = store
        self._guard = guard
        self._sweeper = sweeper
        self._rules = rules
        self._pool = pool
        self._search_timeout = search_timeout
        self._recorded = recorded_queries
        self._running: set[str] = set()

    async def migrate(
        self, name: str, embedder_key: str, queries: Sequence[str], *, dry_run: bool = False, force: bool = False
    ) -> AsyncGenerator[Event, None]:
        """Progress, then the report, then the end.

        A sound knowledge base that has that embedder is left as it is, unless ``force``: then it is written anew.

        Raises:
            NotFound: there is no such knowledge base.
            InvalidInput: there is no such embedder.
            FailedPrecondition: MIGRATION_RUNNING; KNOWLEDGE_BASE_DELETED; TOO_FEW_QUERIES or OVERLAP_TOO_LOW, after the
                report, unless ``force``.
            Unavailable: the store, the catalogue or the embedder failed for longer than a few tries; run it again.
        """
        record = await self._step(self._works.base, name)
        embedder = await self._step(self._guard.embedders.by_key, embedder_key)
        same = record.embedder.agrees_with(embedder.identity) and not force
        if same and await self._step(self._works.sound, record):
            documents = len((await self._step(self._snapshots.get, name)).documents)
            yield _ended(MigrationOutcome.UNCHANGED, record.embedder.label, record.embedder.label, documents)
            return
        async with self._claimed(record, embedder) as work:
            async for progress in self._fill(work, Phase.COPYING):
                yield progress
            await self._step(self._store.seal, work.side.collection)
            async for compared in self._compare(work, queries):
                yield compared
            assert work.report is not None
            reason, words = work.report.objection() if work.snapshot.documents else ("", "")
            if dry_run:
                yield _ended(
                    MigrationOutcome.COMPARED,
                    record.embedder.label,
                    embedder.identity.label,
                    len(work.snapshot.documents),
                    words,
                )
                return
            if reason and not force:
                raise FailedPrecondition(
                    reason,
                    f"not switched: {words}; what was copied stays: switch all the same with --force, or give it up "
                    f"with `trirag kb migration-drop {name}`",
                    metadata={"knowledge_base": name, "mean_overlap": f"{work.report.mean:.4f}"},
                )
            async for event in self._switch(work):
                yield event

    async def rollback(self, name: str) -> AsyncGenerator[Event, None]:
        """Progress, then the end: searches use the former collection again, with all that was written since.

        Raises:
            NotFound, Unavailable: as ``migrate`` does.
            FailedPrecondition: NO_FORMER_COLLECTION; EMBEDDER_MISMATCH, the former embedder is not at hand;
                MIGRATION_RUNNING; KNOWLEDGE_BASE_DELETED.
        """
        record = await self._step(self._works.base, name)
        async with self._claimed(record, None) as work:
            async for event in self._switch(work):
                yield event

    async def status(self, name: str) -> MigrationStatus:
        """How a knowledge base stands. Raises NotFound."""
        return await self._step(self._status, name)

    async def drop(self, name: str) -> int:
        """Drops the collections beside the one in use; returns how many.

        Raises:
            NotFound: there is no such knowledge base.
            FailedPrecondition: MIGRATION_RUNNING.
        """
        record = await self._step(self._works.base, name)
        if name in self._running:
            raise _running(name)
        swept = await self._step(self._works.records.drop, record)
        await self._step(self._sweeper.discard, swept)
        return len(swept)

    # -- steps ------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def _claimed(self, record: KnowledgeBaseRecord, embedder: Embedder | None) -> AsyncIterator[SideWork]:
        """The work, from the claim on the side collection to its release; without an embedder on the former one."""
        if record.name in self._running:
            raise _running(record.name)
        self._running.add(record.name)
        work: SideWork | None = None
        outcome = "failed"
        try:
            claim = asyncio.ensure_future(self._pool.run(self._works.claim, record, embedder))
            try:
                work = await asyncio.shield(claim)
            except asyncio.CancelledError:
                # The thread goes on; what it has claimed by then must be released below.
                await asyncio.wait([claim])
                if not claim.cancelled() and claim.exception() is None:
                    work = claim.result()
                raise
            yield work
            outcome = "done"
        except (asyncio.CancelledError, GeneratorExit):
            outcome = "cancelled"
            raise
        except TriragError as error:
            outcome = error.reason.lower()
            raise
        finally:
            _ENDED.labels(outcome).inc()
            self._running.discard(record.name)
            if work is not None:
                # Shielded: a call that was cancelled must still let the next one in.
                await asyncio.shield(self._release(work))

    async def _step(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Blocking work in a thread; a call that is cancelled ends when the work under way does.

        Otherwise the next migration would begin while this one still writes into the same collection.
        """
        task = asyncio.ensure_future(self._pool.run(function, *args, **kwargs))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait([task])
            raise

    async def _release(self, work: SideWork) -> None:
        try:
            await self._step(self._works.records.release, work.side)
        except Unavailable as error:
            log.warning("migration not released", knowledge_base=work.record.name, reason=error.message)

    async def _fill(self, work: SideWork, phase: Phase) -> AsyncGenerator[Progress, None]:
        """Copies until the side collection holds all that the snapshot in ``work`` has, and nothing else."""
        failures = doubts = 0
        while True:
            try:
                missing = await self._step(self._works.tidy, work)
                total = len(work.snapshot.documents)
                yield Progress(phase, total - len(missing), total)
                if not missing:
                    work.verified = work.verified or await self._step(self._works.verify, work)
                    if work.verified:
                        return
                    doubts += 1
                    if doubts > _DOUBTS:
                        raise Unavailable(
                            "STORE_INCONSISTENT",
                            f"the vector store does not keep what is written into {work.side.collection}",
                        )
                    continue
                done = total - len(missing)
                for batch in batches(missing, _BATCH_CHUNKS, _BATCH_DOCUMENTS):
                    await self._step(self._works.copy, work, batch)
                    failures = 0
                    done += len(batch)
                    yield Progress(phase, done, total)
            except Unavailable as error:
                if failures >= len(_RETRY_PAUSES) or doubts > _DOUBTS:
                    words = "searches are as before, and the same command goes on from here"
                    raise Unavailable(error.reason, f"{error.message}; {words}", retry_after=5.0) from None
                await asyncio.sleep(_RETRY_PAUSES[failures])
                failures += 1

    async def _compare(self, work: SideWork, given: Sequence[str]) -> AsyncGenerator[Event, None]:
        """Progress, then the report, which is kept."""
        replay, queries = await self._step(
            self._works.replay, work, given, self._recorded, self._rules.top_k, self._search_timeout
        )
        found: list[Comparison | None] = []
        for start in range(0, len(queries), _QUERIES_AT_ONCE):
            yield Progress(Phase.COMPARING, start, len(queries))
            await self._step(self._works.alive, work)
            found += await self._step(replay.ask, queries[start : start + _QUERIES_AT_ONCE])
        yield Progress(Phase.COMPARING, len(queries), len(queries))
        compared = [comparison for comparison in found if comparison is not None]
        work.report = report(compared, len(found) - len(compared), self._rules)
        await self._step(self._works.records.save_report, work.side, report_to_json(work.report))
        yield work.report

    async def _switch(self, work: SideWork) -> AsyncGenerator[Event, None]:
        """Catches up and switches, again if a writer was faster; writers that always are have to wait at last."""
        for attempt in range(_OPEN_ROUNDS + _CLOSED_ROUNDS):
            if attempt >= _OPEN_ROUNDS:
                work.closing, work.alive_at = _CLOSED_SECONDS, 0.0
            async for progress in self._fill(work, Phase.SWITCHING):
                yield progress
            try:
                swept = await self._step(self._works.take_over, work)
            except StaleWrite:
                continue
            await self._step(self._sweeper.discard, swept)
            former, model = work.record.embedder.label, work.side.embedder.label
            log.info("switched", knowledge_base=work.record.name, former=former, model=model)
            yield _ended(MigrationOutcome.SWITCHED, former, model, len(work.snapshot.documents))
            return
        raise Unavailable(
            "BUSY", f"{work.record.name!r} is being written by too many at once to switch", retry_after=10.0
        )

    def _status(self, name: str) -> MigrationStatus:
        record = self._works.base(name)
        documents = self._snapshots.get(name).documents
        sides = self._works.records.sides(name)
        found = {}
        for role, side in sides.items():
            missing = len(difference(documents, self._works.records.held(side.collection)).missing)
            running = self._works.records.running(side) or (name in self._running and bool(side.owner))
            found[role] = SideStatus(side, len(documents) - missing, missing, running)
        kept = next((sides[role].report for role in (SHADOW, FORMER) if role in sides and sides[role].report), None)
        return MigrationStatus(
            record,
            found,
            report_from_json(kept) if kept else None,
            self._guard.embedders.keys,
            len(self._works.queries.latest(name, self._recorded)) if self._recorded else 0,
        )


def _ended(outcome: MigrationOutcome, former: str, model: str, documents: int, objection: str = "") -> Ended:
    return Ended(outcome, former, model, documents, objection)


def _running(name: str) -> FailedPrecondition:
    return FailedPrecondition(
        "MIGRATION_RUNNING",
        f"knowledge base {name!r} is being migrated by another call; wait for its end, `trirag kb migration {name}` "
        "shows it",
        retry_after=HEARTBEAT_SECONDS,
    )
