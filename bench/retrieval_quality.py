"""Retrieval quality on the labelled sets: recall, MRR, nDCG and latency by search type.

    python -m bench.retrieval_quality [--sets asvs,gdpr] [--types dense,keyword,hybrid] [--cache FILE] [--json FILE]

Starts a Milvus server of its own in a temporary folder. Embeddings are kept in --cache, so that only the first
run embeds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.report import percentile
from bench.retrieval_data import SETS, Query, first_ranks
from bench.retrieval_rig import Rig, ingested_sets, running_rig
from services.retrieval.domain.filters import ChunkFilter
from services.retrieval.domain.search import SearchTask, SearchType, TaskStatus

CONFIGURATIONS: dict[str, tuple[SearchType, bool]] = {
    "dense": (SearchType.DENSE, False),
    "keyword": (SearchType.KEYWORD, False),
    "hybrid": (SearchType.HYBRID, False),
    "two_stage": (SearchType.TWO_STAGE, False),
    "hybrid+rerank": (SearchType.HYBRID, True),
}
DEPTH = 10


def scores(all_ranks: Sequence[Sequence[int]]) -> dict[str, float]:
    """Means over queries; ``all_ranks`` holds for each query the first rank of each judged item, 0 if missed."""
    result: dict[str, float] = {"queries": len(all_ranks)}
    for k in (1, 5, 10):
        result[f"recall@{k}"] = statistics.fmean(sum(0 < r <= k for r in ranks) / len(ranks) for ranks in all_ranks)
    result["mrr@10"] = statistics.fmean(max((1 / r for r in ranks if 0 < r <= 10), default=0.0) for ranks in all_ranks)
    result["ndcg@10"] = statistics.fmean(_ndcg(ranks) for ranks in all_ranks)
    return result


def _ndcg(ranks: Sequence[int]) -> float:
    gained = sum(1 / math.log2(r + 1) for r in set(ranks) if 0 < r <= 10)
    ideal = sum(1 / math.log2(i + 1) for i in range(1, min(len(ranks), 10) + 1))
    return min(1.0, gained / ideal)


async def evaluate(rig: Rig, base: str, queries: Sequence[Query], configuration: str) -> dict[str, float]:
    """One configuration over one set of queries."""
    kind, rerank = CONFIGURATIONS[configuration]
    all_ranks, latencies = [], []
    for query in queries:
        condition = ChunkFilter(access_keys=(), in_force_on=query.as_of)
        task = SearchTask(
            "q", query.text, base, condition, kind, DEPTH, rerank=rerank, every_version=wants_every(query)
        )
        began = time.perf_counter()
        [result] = await rig.search.search([task], frozenset())
        latencies.append((time.perf_counter() - began) * 1000)
        if result.status is not TaskStatus.OK:
            raise SystemExit(f"{query.query_id}: {result.status.value}: {result.message}")
        all_ranks.append(first_ranks([hit.chunk for hit in result.hits], query))
    return {**scores(all_ranks), "p50_ms": percentile(latencies, 0.5), "p95_ms": percentile(latencies, 0.95)}


def wants_every(query: Query) -> bool:
    """Mapping queries ask about two versions at once, so the default view cannot answer them."""
    return query.type == "mapping"


async def run(data: Path, names: Sequence[str], configurations: Sequence[str], cache: Path) -> dict[str, dict]:
    """All sets by all configurations; prints each row as it is done."""
    table: dict[str, dict] = {}
    with tempfile.TemporaryDirectory(prefix="trirag-bench-") as folder:
        async with running_rig(Path(folder), cache) as rig:
            print(
                f"{'set':18}{'configuration':15}{'n':>5}{'R@1':>8}{'R@5':>8}{'R@10':>8}{'MRR':>8}{'nDCG':>8}{'p50':>8}{'p95':>8}"
            )
            async for name, base, queries in ingested_sets(rig, data, names):
                for configuration in configurations:
                    row = await evaluate(rig, base, queries, configuration)
                    table.setdefault(name, {})[configuration] = row
                    print(
                        f"{name:18}{configuration:15}{row['queries']:5.0f}{row['recall@1']:8.3f}{row['recall@5']:8.3f}"
                        f"{row['recall@10']:8.3f}{row['mrr@10']:8.3f}{row['ndcg@10']:8.3f}{row['p50_ms']:8.1f}{row['p95_ms']:8.1f}",
                        flush=True,
                    )
    return table


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("TRIRAG_SHARED_DATA", default)))
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--types", default="dense,keyword,hybrid,two_stage,hybrid+rerank")
    parser.add_argument("--cache", type=Path, default=Path(".run/bench/embeddings.db"))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    table = asyncio.run(run(options.data, options.sets.split(","), options.types.split(","), options.cache))
    if options.json:
        options.json.write_text(json.dumps(table, indent=1))


if __name__ == "__main__":
    main()
