"""Speed of the retrieval service on a local Milvus server: searches by type, and ingestion by stage.

    python -m bench.retrieval [--chunks 10000,50000] [--in-flight 1,16] [--queries 100] [--skip-ingest]

Search runs on made-up chunks (words by Zipf's law, vectors around topics), so that any size can be had without
embedding; the query's own embedding is real. Ingestion runs on a folder of real documents, without the embedding cache.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import tempfile
import time
import uuid
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench.retrieval_data import load_documents
from bench.retrieval_rig import Rig, running_rig
from services.common.domain.document import DocumentMetadata
from services.retrieval.adapters.parsers.registry import parse_file
from services.retrieval.domain.chunking import chunk_document
from services.retrieval.domain.cleaning import clean_text
from services.retrieval.domain.documents import StoredDocument
from services.retrieval.domain.families import Window
from services.retrieval.domain.filters import PUBLIC_ACCESS_KEY, ChunkFilter
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.ports import ChunkRow, Publication, RevisionRef
from services.retrieval.domain.search import SearchTask, SearchType, TaskStatus
from services.retrieval.service.items import FileItem
from services.retrieval.service.rows import build_rows, embedding_texts

_CHUNKS_A_DOCUMENT = 50
_VOCABULARY = 20_000
_WORDS_A_CHUNK = 90
_TOPICS = 200


def fill(rig: Rig, base: str, chunks: int, seed: int = 7) -> None:
    """Puts made-up documents into a new knowledge base, past the embedder."""
    rng = np.random.default_rng(seed)
    dimension = rig.embedder.identity.dimension
    topics = rng.normal(size=(_TOPICS, dimension)).astype(np.float32)
    weights = 1.0 / np.arange(1, _VOCABULARY + 1)
    weights /= weights.sum()
    collection = rig.store.create_collection(base, rig.embedder.identity)
    rig.catalogue.add_knowledge_base(base, collection, rig.embedder.identity)
    for first in range(0, chunks, 1000):
        rows: list[ChunkRow] = []
        publications: list[Publication] = []
        for start in range(first, min(first + 1000, chunks), _CHUNKS_A_DOCUMENT):
            document = _document(f"doc-{start}", base)
            publications.append(Publication(document, "text"))
            words = rng.choice(_VOCABULARY, size=(_CHUNKS_A_DOCUMENT, _WORDS_A_CHUNK), p=weights)
            rows += [
                _row(document, ordinal, " ".join(f"w{word}" for word in line)) for ordinal, line in enumerate(words)
            ]
        chosen = rng.integers(0, _TOPICS, len(rows))
        vectors = topics[chosen] + 0.7 * rng.normal(size=(len(rows), dimension)).astype(np.float32)
        refs = [RevisionRef(collection, p.document.revision, _CHUNKS_A_DOCUMENT) for p in publications]
        rig.catalogue.begin_write(base, refs)
        rig.store.insert(collection, rows, vectors)
        rig.catalogue.publish(base, rig.catalogue.write_count(base), publications)
    rig.store.seal(collection)


def _document(document_id: str, base: str) -> StoredDocument:
    metadata = DocumentMetadata(document_id, base, title=document_id, language="en", doc_type="manual")
    return StoredDocument(metadata, uuid.uuid4().hex, "", Window(), _CHUNKS_A_DOCUMENT, time.time())


def _row(document: StoredDocument, ordinal: int, words: str) -> ChunkRow:
    return ChunkRow(
        document.metadata.document_id, document.revision, ordinal, words, words, ("Heading",), 0, len(words), 0,
        len(words), 0, _WORDS_A_CHUNK, 0.1, (), "manual", "en", 3, "", 0, Window(), PUBLIC_ACCESS_KEY,
    )  # fmt: skip


async def measure(
    rig: Rig, base: str, kind: SearchType, rerank: bool, in_flight: int, queries: int
) -> dict[str, float]:
    """Latencies in ms and throughput of one configuration; caches do not help, every query is new."""
    rng = np.random.default_rng(11)
    texts = [" ".join(f"w{word}" for word in rng.zipf(1.3, 6) % _VOCABULARY) for _ in range(queries)]
    waiting = iter(texts)
    latencies: list[float] = []

    async def worker() -> None:
        for text in waiting:
            began = time.perf_counter()
            task = SearchTask("q", text, base, ChunkFilter(access_keys=()), kind, 10, rerank=rerank)
            [result] = await rig.search.search([task], frozenset())
            if result.status is not TaskStatus.OK:
                raise SystemExit(f"{result.status.value}: {result.message}")
            latencies.append((time.perf_counter() - began) * 1000)

    began = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(in_flight)))
    spent = time.perf_counter() - began
    latencies.sort()
    return {
        "p50_ms": latencies[len(latencies) // 2],
        "p95_ms": latencies[min(len(latencies) - 1, int(0.95 * len(latencies)))],
        "per_second": len(latencies) / spent,
    }


async def searches(rig: Rig, sizes: Sequence[int], in_flight: Sequence[int], queries: int) -> list[dict]:
    """All sizes, types and degrees of concurrency."""
    rows = []
    print(f"{'chunks':>8} {'type':14}{'in flight':>10}{'p50 ms':>9}{'p95 ms':>9}{'per s':>8}")
    for size in sizes:
        base = f"size{size}"
        fill(rig, base, size)
        await measure(rig, base, SearchType.HYBRID, False, 1, 10)  # loads indexes
        for kind, rerank in [(k, False) for k in SearchType] + [(SearchType.HYBRID, True)]:
            for n in in_flight:
                row = await measure(rig, base, kind, rerank, n, queries)
                name = kind.value + ("+rerank" if rerank else "")
                rows.append({"chunks": size, "type": name, "in_flight": n, **row})
                print(
                    f"{size:8} {name:14}{n:10}{row['p50_ms']:9.1f}{row['p95_ms']:9.1f}{row['per_second']:8.1f}",
                    flush=True,
                )
    return rows


def ingest_stages(rig: Rig, data: Path, where: str, limit: int) -> dict[str, float]:
    """Seconds of each stage for some documents of a folder, and rates; nothing is read from the cache."""
    config = IngestConfig()
    spent = dict.fromkeys(("parse", "chunk", "analyse", "embed", "insert"), 0.0)
    collection = rig.store.create_collection("stages", rig.embedder.identity)
    items = [item for item in load_documents(data, where) if isinstance(item, FileItem)][:limit]
    total, characters = 0, 0
    model = rig.model
    for item in items:
        marks = [time.perf_counter()]
        clean = clean_text(parse_file(item.content, item.path, config).text)
        marks.append(time.perf_counter())
        title = item.fields.get("title", item.path)
        chunks = chunk_document(clean.text, title=title, count_tokens=model.count_tokens)
        marks.append(time.perf_counter())
        metadata = DocumentMetadata(item.path, "stages", title=title, language="en")
        rows = build_rows(metadata, clean.text, chunks, uuid.uuid4().hex, Window(), rig.segmenter)
        marks.append(time.perf_counter())
        vectors = model.embed_passages(embedding_texts(clean.text, chunks))
        marks.append(time.perf_counter())
        rig.store.insert(collection, rows, vectors)
        marks.append(time.perf_counter())
        for name, start, end in zip(spent, marks, marks[1:], strict=False):
            spent[name] += end - start
        total += len(chunks)
        characters += len(clean.text)
    whole = sum(spent.values())
    print(f"\ningest of {len(items)} documents of {where}: {total} chunks, {characters:,} characters, {whole:.1f} s")
    for name, seconds in spent.items():
        print(f"  {name:8}{seconds:8.2f} s {seconds / whole:7.1%} {total / max(seconds, 1e-9):10.0f} chunks/s")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  largest resident size {memory:.0f} MiB")
    return {**spent, "chunks": total, "chunks_per_second": total / whole, "max_rss_mib": memory}


async def run(options: argparse.Namespace) -> dict:
    """Everything that was asked for."""
    result: dict = {}
    with tempfile.TemporaryDirectory(prefix="trirag-bench-") as folder:
        async with running_rig(Path(folder), Path(folder) / "embeddings.db", options.milvus) as rig:
            sizes = [int(size) for size in options.chunks.split(",") if size]
            in_flight = [int(n) for n in options.in_flight.split(",")]
            result["search"] = await searches(rig, sizes, in_flight, options.queries)
            if not options.skip_ingest and options.data.is_dir():
                result["ingest"] = ingest_stages(rig, options.data, options.folder, options.documents)
    return result


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("TRIRAG_SHARED_DATA", default)))
    parser.add_argument("--folder", default="asvs/docs")
    parser.add_argument("--documents", type=int, default=12)
    parser.add_argument("--chunks", default="10000,50000")
    parser.add_argument("--in-flight", default="1,16")
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--milvus", default="", help="URI of a Milvus to use; default: a local server of its own")
    parser.add_argument("--skip-ingest", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    result = asyncio.run(run(options))
    if options.json:
        options.json.write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
