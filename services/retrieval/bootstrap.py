"""Wires the service: settings to adapters, adapters to use cases, use cases to servicers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

import structlog

from services.common.background import Job, in_background
from services.common.errors import FailedPrecondition, Unavailable
from services.common.health import Dependency
from services.common.offload import BlockingPool
from services.common.server import ServiceBinding, ServiceBundle
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.adapters.dictionary import CedictTranslator
from services.retrieval.adapters.embedders.registry import embedder_specs
from services.retrieval.adapters.embedding_config import load_embedders
from services.retrieval.adapters.ingest_config import load_ingest_config
from services.retrieval.adapters.milvus_connection import STORE_UNAVAILABLE
from services.retrieval.adapters.milvus_store import MilvusStore
from services.retrieval.adapters.parsers.isolated import IsolatedParser
from services.retrieval.adapters.query_records import QueryRecords
from services.retrieval.adapters.rejection_records import RejectionRecords
from services.retrieval.adapters.rerank_config import load_rerank_weights
from services.retrieval.adapters.segmenter import Segmenter
from services.retrieval.adapters.units_config import load_units
from services.retrieval.adapters.word_meanings import CedictMeanings
from services.retrieval.adapters.wording_config import load_wording
from services.retrieval.domain.leases import RENEWALS
from services.retrieval.domain.ports import VectorStore
from services.retrieval.kb_servicer import KnowledgeBaseServicer
from services.retrieval.long_calls import LongCalls
from services.retrieval.service.aftermath import IngestAftermath
from services.retrieval.service.conflict_watch import ConflictWatch
from services.retrieval.service.embedders import Embedders
from services.retrieval.service.fair_pool import FairPool
from services.retrieval.service.index_guard import IndexGuard
from services.retrieval.service.ingest import IngestService
from services.retrieval.service.knowledge_bases import KnowledgeBases
from services.retrieval.service.migrate import Migrations
from services.retrieval.service.query_log import QueryRecorder
from services.retrieval.service.reranking import FeatureReranker, Reranker
from services.retrieval.service.search import SearchService
from services.retrieval.service.side_work import SideWorks
from services.retrieval.service.snapshot import Snapshots
from services.retrieval.service.sweeper import Sweeper
from services.retrieval.service.writing import make_writers
from services.retrieval.servicer import RetrievalServicer
from services.retrieval.settings import RetrievalSettings
from trirag.retrieval.v1 import knowledge_base_pb2, knowledge_base_pb2_grpc, retrieval_pb2, retrieval_pb2_grpc

log = structlog.get_logger("retrieval")

# Threads that embed queries: more only queue at the model.
_EMBED_THREADS = 2
# Health checks never wait behind searches; a check that hangs must not hold up the next one.
_CHECK_THREADS = 4


@asynccontextmanager
async def build(settings: RetrievalSettings) -> AsyncIterator[ServiceBundle]:
    """Everything the service needs, and its end.

    Raises:
        FailedPrecondition: a configuration file is wrong.
        Unavailable: the catalogue or the embedding endpoint cannot be reached.
    """
    config = load_ingest_config(settings.config_dir / "ingest.yaml")
    embedding = load_embedders(settings.config_dir / "embedders.yaml")
    embedders = Embedders(embedder_specs(embedding, settings), settings.embedder)
    ingest_pool = BlockingPool(settings.blocking_threads, "ingest")
    search_pool = BlockingPool(settings.search_threads, "search")
    embed_pool = BlockingPool(_EMBED_THREADS, "embed")
    check_pool = BlockingPool(_CHECK_THREADS, "check")
    parser = IsolatedParser(config, settings.parse_processes)
    lease_pool = BlockingPool(1, "lease")
    catalogue = Catalogue(settings.resolved_catalogue_url(), settings.lease_seconds)
    store = MilvusStore(
        settings.milvus_uri,
        settings.milvus_token.get_secret_value(),
        settings.milvus_database,
        settings.milvus_timeout_seconds,
        settings.milvus_dense_index,
    )
    closing = AsyncExitStack()
    try:
        default = await embed_pool.run(lambda: embedders.default)
        segmenter = Segmenter()
        await search_pool.run(segmenter.warm)
        reranker = await search_pool.run(make_reranker, settings, segmenter)
        snapshots = Snapshots(catalogue)
        guard = IndexGuard(embedders, store)
        writers = make_writers(catalogue, snapshots, store, guard, segmenter, config)
        await search_pool.run(prepare, catalogue, store, guard, writers.sweeper)
        rules = embedding.migration
        recorder = QueryRecorder(
            QueryRecords(catalogue.database), ingest_pool, rules.recorded_queries, rules.compared_results
        )
        search = SearchService(
            catalogue,
            snapshots,
            store,
            guard,
            segmenter,
            search_pool,
            embed_pool,
            settings.search_timeout_seconds,
            reranker,
            cached_results=settings.cached_results,
            fusion=settings.fusion,
            recorder=recorder,
        )
        wording = load_wording(settings.config_dir / "wording.yaml")
        watch = ConflictWatch(catalogue, wording, CedictMeanings(segmenter.words))
        rejections = RejectionRecords(catalogue.database, catalogue.jobs)
        aftermath = IngestAftermath(snapshots, watch, rejections)
        ingest = IngestService(
            catalogue,
            snapshots,
            store,
            writers,
            guard,
            config,
            ingest_pool,
            aftermath,
            parser.job,
            FairPool(settings.parse_processes, "read"),
        )
        closing.callback(ingest.close)
        closing.push_async_callback(ingest.settled)  # before it
        migrations = Migrations(
            SideWorks(catalogue, snapshots, store, guard, writers),
            snapshots,
            store,
            guard,
            writers.sweeper,
            embedding.switch_rules(),
            ingest_pool,
            settings.search_timeout_seconds,
            rules.recorded_queries,
        )
        knowledge_bases = KnowledgeBases(catalogue, snapshots, writers, config, search_pool, watch, rejections)
        bundle = ServiceBundle(
            bindings=(
                ServiceBinding(
                    retrieval_pb2.DESCRIPTOR.services_by_name["RetrievalService"].full_name,
                    retrieval_pb2_grpc.add_RetrievalServiceServicer_to_server,
                    RetrievalServicer(search, default.identity.label),
                ),
                ServiceBinding(
                    knowledge_base_pb2.DESCRIPTOR.services_by_name["KnowledgeBaseService"].full_name,
                    knowledge_base_pb2_grpc.add_KnowledgeBaseServiceServicer_to_server,
                    KnowledgeBaseServicer(
                        ingest,
                        knowledge_bases,
                        config.limits.file_bytes,
                        settings.write_group,
                        migrations,
                        LongCalls(settings.max_in_flight),
                    ),
                ),
            ),
            dependencies=(
                Dependency("milvus", lambda: check_pool.run(store.ping)),
                Dependency("catalogue", lambda: check_pool.run(catalogue.ping)),
            ),
        )
        jobs: dict[str, Job] = {
            "query-records": recorder.run,
            # While the catalogue does not answer nobody can take over either: who is first when it is back goes on.
            "lease": partial(every, settings.lease_seconds / RENEWALS, lease_pool, catalogue.leases.renew, "lease"),
            "sweep": partial(every, settings.sweep_seconds, ingest_pool, writers.sweeper.sweep, "sweep"),
            "erase": partial(every, settings.sweep_seconds, ingest_pool, writers.erasure.finish, "erase"),
            "close-jobs": partial(every, settings.sweep_seconds, ingest_pool, ingest.close_left, "close jobs"),
        }
        async with in_background(jobs):
            yield bundle
        await recorder.flush()
    finally:
        await closing.aclose()
        for pool in (ingest_pool, search_pool, embed_pool, check_pool, lease_pool):
            pool.close()
        parser.close()
        store.close()
        catalogue.close()


async def every(seconds: float, pool: BlockingPool, work: Callable[[], object], name: str) -> None:
    """Does blocking work at once and every so many seconds, for ever; what does not answer now may the next time."""
    while True:
        try:
            await pool.run(work)
        except Unavailable as error:
            log.warning("not done this time", work=name, reason=error.message)
        await asyncio.sleep(seconds)


def make_reranker(settings: RetrievalSettings, segmenter: Segmenter) -> Reranker:
    """The reranker that the settings name, ready. Blocking."""
    if settings.reranker == "features":
        weights = load_rerank_weights(settings.config_dir / "rerank.yaml")
        translator = CedictTranslator(segmenter)
        translator.warm()
        units = load_units(settings.config_dir / "validation" / "units.yaml")
        return FeatureReranker(weights, segmenter, translator, units)
    from services.retrieval.adapters.rerankers.http import HttpReranker

    key = settings.reranker_key.get_secret_value()
    return HttpReranker(
        settings.reranker_url, settings.reranker_model, key, settings.search_timeout_seconds, settings.reranker_api
    )


def prepare(catalogue: Catalogue, store: VectorStore, guard: IndexGuard, sweeper: Sweeper) -> None:
    """Start-up checks: which knowledge bases fit their embedder and index; what broken-off writes left is swept.

    One that does not fit does not stop the start: the others are served, it refuses in words, and the remedy
    (`trirag kb migrate`) needs a running service. Nor does a store that is down: the service is NOT_SERVING until it is
    back, and looks again then.
    """
    records = catalogue.list_knowledge_bases()
    began = time.monotonic()
    try:
        for record in records:
            try:
                guard.check(record)
                store.point_alias(record.name, record.collection)
            except FailedPrecondition as refusal:
                log.error("knowledge base cannot be used", reason=refusal.reason, message=refusal.message)
            except Unavailable as error:
                if error.reason == STORE_UNAVAILABLE:
                    store.ping()  # raises if it is the store that is down, and not this collection
                log.error("knowledge base cannot be checked", knowledge_base=record.name, message=error.message)
        swept = sweeper.sweep()
        log.info("checked", knowledge_bases=len(records), swept=swept, seconds=round(time.monotonic() - began, 2))
    except Unavailable as error:
        log.warning("not all checked at start", reason=error.message)
