"""All that writes into knowledge bases, put together."""

from __future__ import annotations

from dataclasses import dataclass

from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.ports import VectorStore
from services.retrieval.domain.ranking.lexical import WordSegmenter
from services.retrieval.service.base_writer import KnowledgeBaseWriter
from services.retrieval.service.erasure import Erasure
from services.retrieval.service.index_guard import IndexGuard
from services.retrieval.service.snapshot import Snapshots
from services.retrieval.service.sources import Sources
from services.retrieval.service.sweeper import Sweeper
from services.retrieval.service.write_turns import WriteTurns
from services.retrieval.service.writer import DocumentWriter


@dataclass(frozen=True, slots=True)
class Writers:
    """Those of one process: they share turns, and what is being written is left alone by the sweeper."""

    bases: KnowledgeBaseWriter
    documents: DocumentWriter
    sweeper: Sweeper
    sources: Sources
    erasure: Erasure


def make_writers(
    catalogue: Catalogue,
    snapshots: Snapshots,
    store: VectorStore,
    guard: IndexGuard,
    segmenter: WordSegmenter,
    config: IngestConfig,
) -> Writers:
    """The writers of a process; to be made once."""
    sweeper, turns = Sweeper(catalogue.leftovers, store), WriteTurns()
    sources = Sources(catalogue, store, segmenter, config)
    erasure = Erasure(catalogue, store, guard, sources)
    return Writers(
        KnowledgeBaseWriter(catalogue, store, guard, sweeper, turns, erasure),
        DocumentWriter(catalogue, snapshots, guard, sources, sweeper, turns, erasure),
        sweeper,
        sources,
        erasure,
    )
