"""Speed of the retrieval service on a local Milvus server: searches by type, and ingestion by stage.

    python -m bench.retrieval [--chunks 10000,50000] [--in-flight 1,16] [--queries 100] [--cache FILE] [--json FILE]
                              [--llamaindex PYTHON] [--haystack PYTHON]

Search runs on real passages, filled up with recombined ones (bench/retrieval_corpus.py), and judges the real queries
beside timing them. The queries' own embeddings are made before, and timed apart. The same passages, vectors and
queries go through LlamaIndex's and Haystack's Milvus stores where an interpreter that has them is given
(bench/compare/). Ingestion runs on a folder of real documents, without the embedding cache.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
import time
import uuid
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from bench.compare.runner import compare, export
from bench.memory import peak_mib
from bench.report import percentile
from bench.retrieval_corpus import Corpus, judged_queries, metadata_of, of_size, real_corpus
from bench.retrieval_data import Query, first_ranks, load_documents
from bench.retrieval_quality import scores
from bench.retrieval_rig import Rig, running_rig
from services.common.domain.document import DocumentMetadata
from services.retrieval.adapters.parsers.registry import parse_file
from services.retrieval.domain.documents import StoredDocument
from services.retrieval.domain.filters import PUBLIC_ACCESS_KEY, ChunkFilter
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.passages.chunking import chunk_document
from services.retrieval.domain.passages.cleaning import clean_text
from services.retrieval.domain.ports import Publication, RevisionRef
from services.retrieval.domain.ranking.lexical import analyze
from services.retrieval.domain.search import SearchTask, SearchType, TaskStatus
from services.retrieval.domain.versions.families import Window
from services.retrieval.service.items import FileItem
from services.retrieval.service.rows import build_rows, embedding_texts

_DOCUMENTS_A_WRITE = 500
_WAYS = [(kind.value, kind, False) for kind in SearchType] + [("hybrid+rerank", SearchType.HYBRID, True)]


def fill(rig: Rig, base: str, corpus: Corpus) -> float:
    """Puts the corpus into a new knowledge base, past the embedder; seconds in the vector store."""
    collection = rig.store.new_collection_name(base)
    rig.store.create_collection(collection, rig.embedder.identity)
    rig.catalogue.add_knowledge_base(base, collection, rig.embedder.identity)
    documents = [list(group) for _, group in groupby(range(len(corpus.rows)), lambda n: corpus.rows[n].document_id)]
    spent = 0.0
    for start in range(0, len(documents), _DOCUMENTS_A_WRITE):
        part = documents[start : start + _DOCUMENTS_A_WRITE]
        publications = []
        for places in part:
            rows = [corpus.rows[place] for place in places]
            first = rows[0]
            metadata = metadata_of(first.document_id, base, rows, corpus.titles[first.document_id])
            stored = StoredDocument(metadata, first.revision, "", Window(), len(rows), time.time())
            publications.append(Publication(stored, "text"))
        refs = [RevisionRef(collection, p.document.revision, p.document.chunk_count) for p in publications]
        rig.catalogue.leftovers.note(base, refs)
        begin, end = part[0][0], part[-1][-1] + 1
        began = time.perf_counter()
        rig.store.insert(collection, corpus.rows[begin:end], corpus.vectors[begin:end])
        spent += time.perf_counter() - began
        rig.catalogue.publish(base, rig.catalogue.write_count(base), publications)
    rig.store.seal(collection)
    return spent


async def measure(
    rig: Rig, base: str, kind: SearchType, rerank: bool, in_flight: int, queries: Sequence[Query]
) -> dict[str, float]:
    """Latencies in ms, throughput and recall of one configuration; results are not cached, query vectors are."""
    waiting = iter(queries)
    latencies: list[float] = []
    ranks: list[list[int]] = []

    async def worker() -> None:
        for query in waiting:
            began = time.perf_counter()
            task = SearchTask("q", query.text, base, ChunkFilter(access_keys=()), kind, 10, rerank=rerank)
            [result] = await rig.search.search([task], frozenset())
            if result.status is not TaskStatus.OK:
                raise SystemExit(f"{result.status.value}: {result.message}")
            latencies.append((time.perf_counter() - began) * 1000)
            ranks.append(first_ranks([hit.chunk for hit in result.hits], query))

    began = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(in_flight)))
    spent = time.perf_counter() - began
    judged = scores(ranks)
    return {
        "p50_ms": percentile(latencies, 0.5),
        "p95_ms": percentile(latencies, 0.95),
        "per_second": len(latencies) / spent,
        **{name: judged[name] for name in ("recall@5", "recall@10", "ndcg@10")},
    }


def parts_of_a_search(rig: Rig, base: str, queries: Sequence[Query]) -> dict[str, float]:
    """Medians in ms of what a reranked hybrid search is made of, one after the other."""
    collection = rig.catalogue.knowledge_base(base).collection
    condition = ChunkFilter((PUBLIC_ACCESS_KEY,))
    spent: dict[str, list[float]] = {}

    def timed(name: str, began: float) -> None:
        spent.setdefault(name, []).append((time.perf_counter() - began) * 1000)

    for query in queries:
        began = time.perf_counter()
        vector = rig.model.embed_query(query.text)
        timed("embed the query", began)
        began = time.perf_counter()
        tokens = analyze(query.text, rig.segmenter)
        timed("analyse the query", began)
        for dense, keyword in ((26, 26), (100, 66)):
            began = time.perf_counter()
            rig.store.search_dense(collection, vector, condition, dense, 30.0)
            timed(f"dense, {dense} rows", began)
            began = time.perf_counter()
            rig.store.search_keyword(collection, tokens, condition, keyword, 30.0, True)
            timed(f"keyword, {keyword} rows with vectors", began)
    return {name: percentile(values, 0.5) for name, values in spent.items()}


async def rerank_ms(rig: Rig, base: str, queries: Sequence[Query]) -> float:
    """Median time in ms that the local reranker takes for a search's candidates."""
    spent = []
    for query in queries:
        task = SearchTask("q", query.text, base, ChunkFilter(access_keys=()), rerank=True)
        candidates, _ = await rig.search.candidates(task, frozenset())
        began = time.perf_counter()
        rig.reranker.rerank(query.text, candidates)
        spent.append((time.perf_counter() - began) * 1000)
    return percentile(spent, 0.5)


async def searches(rig: Rig, options: argparse.Namespace) -> list[dict]:
    """All sizes, types and degrees of concurrency, then the other frameworks on the same server and corpus."""
    rows: list[dict] = []
    real = real_corpus(options.data, rig.embedder, rig.segmenter)
    queries = judged_queries(options.data, max(1, options.queries // 5))
    figures = "".join(f"{name:>8}" for name in ("R@5", "R@10", "nDCG@10"))
    print(f"{'chunks':>8} {'type':22}{'in flight':>10}{'p50 ms':>9}{'p95 ms':>9}{'per s':>8}{figures}")

    def show(row: dict) -> None:
        rows.append(row)
        figures = "".join(f"{row[name]:8.3f}" for name in ("recall@5", "recall@10", "ndcg@10"))
        timing = f"{row['p50_ms']:9.1f}{row['p95_ms']:9.1f}{row['per_second']:8.1f}"
        print(f"{row['chunks']:8} {row['type']:22}{row['in_flight']:10}{timing}{figures}", flush=True)

    for size in (int(size) for size in options.chunks.split(",") if size):
        base, corpus = f"size{size}", of_size(real, size)
        inserted = fill(rig, base, corpus)
        print(f"{size:8} {corpus.real} of them real; inserted at {size / inserted:.0f} chunks/s", flush=True)
        await measure(rig, base, SearchType.HYBRID, False, 1, queries)  # loads indexes, embeds the queries
        for name, kind, rerank in _WAYS:
            for in_flight in (int(n) for n in options.in_flight.split(",")):
                figures = await measure(rig, base, kind, rerank, in_flight, queries)
                show({"chunks": size, "type": name, "in_flight": in_flight, **figures})
        parts = {**parts_of_a_search(rig, base, queries), "rerank": await rerank_ms(rig, base, queries)}
        print("         " + "; ".join(f"{name} {ms:.1f} ms" for name, ms in parts.items()))
        print(f"         {memory_line(rig)}", flush=True)
        rows.append({"chunks": size, "parts_ms": parts, "memory": memory_line(rig)})
        with tempfile.TemporaryDirectory(prefix="trirag-compare-") as folder:
            export(Path(folder), corpus, queries, [rig.model.embed_query(query.text) for query in queries])
            for row in compare(Path(folder), rig.milvus_uri, options.llamaindex, options.haystack):
                show({"chunks": size, **row})
    return rows


def memory_line(rig: Rig) -> str:
    """Largest resident sizes so far."""
    told = [f"this process {peak_mib(os.getpid()):.0f} MiB"]
    if rig.milvus_pid:
        told.append(f"Milvus server {peak_mib(rig.milvus_pid):.0f} MiB")
    return "largest resident size: " + ", ".join(told)


def ingest_stages(rig: Rig, data: Path, where: str, limit: int) -> dict[str, float]:
    """Seconds of each stage for some documents of a folder, and rates; nothing is read from the cache."""
    config = IngestConfig()
    spent = dict.fromkeys(("parse", "chunk", "analyse", "embed", "insert"), 0.0)
    collection = rig.store.new_collection_name("stages")
    rig.store.create_collection(collection, rig.embedder.identity)
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
    return {**spent, "chunks": total, "chunks_per_second": total / whole}


async def run(options: argparse.Namespace) -> dict:
    """Everything that was asked for."""
    result: dict = {}
    with tempfile.TemporaryDirectory(prefix="trirag-bench-") as folder:
        cache = options.cache or Path(folder) / "embeddings.db"
        async with running_rig(Path(folder), cache, options.milvus) as rig:
            result["search"] = await searches(rig, options) if options.chunks else []
            if not options.skip_ingest and options.data.is_dir():
                result["ingest"] = ingest_stages(rig, options.data, options.folder, options.documents)
                print(f"  {memory_line(rig)}")
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
    parser.add_argument("--cache", type=Path, help="embedding cache, so that only the first run embeds")
    parser.add_argument("--llamaindex", default="", help="Python that has bench/compare/llamaindex.txt installed")
    parser.add_argument("--haystack", default="", help="Python that has bench/compare/haystack.txt installed")
    parser.add_argument("--skip-ingest", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    result = asyncio.run(run(options))
    if options.json:
        options.json.write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
