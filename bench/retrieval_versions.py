"""Does a search see the version that was in force on the day asked about, and only that?

    python -m bench.retrieval_versions [--cache FILE]

For every question with an `as_of`: how often any version of a judged document is among the first ten hits (found),
and how often the first such hit is the judged version (right). Every hit must be in force that day. For the
default view: no hit may be of a version that is not in force today.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from bench.retrieval_data import Query, Relevant, load_documents
from bench.retrieval_rig import Rig, ingested_sets, running_rig
from services.retrieval.domain.filters import ChunkFilter
from services.retrieval.domain.search import SearchTask, SearchType
from services.retrieval.domain.versions.family_index import FamilyIndex

_SETS = ("nist80053", "asvs", "laws_zh", "laws_zh-versions")


def cfr_queries(data: Path) -> list[Query]:
    """Answer rows of cfr1013 as queries: the cited version is the judged one."""
    rows = []
    for line in (data / "cfr1013/answers.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if row.get("as_of") and row.get("must_cite"):
            relevant = tuple(Relevant(document_id) for document_id in row["must_cite"])
            rows.append(Query(row["id"], row["question"], date.fromisoformat(row["as_of"]), relevant, row["type"]))
    return rows


async def check(rig: Rig, base: str, queries: Sequence[Query]) -> dict[str, float]:
    """Counts for one knowledge base, over its questions with a day, and over all of them for the default view."""
    _, documents = rig.catalogue.documents(base)
    index = FamilyIndex(document.metadata for document in documents.values())
    counts = {
        "asked": 0,
        "found": 0,
        "right": 0,
        "not in force": 0,
        "default hits": 0,
        "superseded in default": 0,
        "other with all": 0,
    }
    for query in queries:
        if query.as_of is not None:
            hits = await _hits(rig, base, query.text, ChunkFilter((), in_force_on=query.as_of))
            counts["asked"] += 1
            first = _first_of_family(hits, query, index)
            counts["found"] += bool(first)
            counts["right"] += first in {relevant.document_id for relevant in query.relevant}
            counts["not in force"] += sum(not documents[h].window.contains(query.as_of) for h in hits)
        current = await _hits(rig, base, query.text, ChunkFilter(()))
        counts["default hits"] += len(current)
        counts["superseded in default"] += sum(not documents[h].window.contains(date.today()) for h in current)
        everything = await _hits(rig, base, query.text, ChunkFilter(()), every_version=True)
        counts["other with all"] += any(not documents[h].window.contains(date.today()) for h in everything)
    return dict(counts)


async def _hits(rig: Rig, base: str, text: str, condition: ChunkFilter, every_version: bool = False) -> list[str]:
    task = SearchTask("q", text, base, condition, SearchType.HYBRID, 10, every_version, rerank=True)
    [result] = await rig.search.search([task], frozenset())
    return [hit.chunk.document.document_id for hit in result.hits]


def _first_of_family(hits: Sequence[str], query: Query, index: FamilyIndex) -> str:
    """The first hit that is some version of a judged document; empty if none of them was found."""
    family = set(index.family({relevant.document_id for relevant in query.relevant}))
    return next((hit for hit in hits if hit in family), "")


async def run(data: Path, cache: Path) -> None:
    """All sets that have versions."""
    with tempfile.TemporaryDirectory(prefix="trirag-bench-") as folder:
        async with running_rig(Path(folder), cache) as rig:
            await rig.ingest_all("cfr1013", load_documents(data, "cfr1013/docs"))
            print("cfr1013", await check(rig, "cfr1013", cfr_queries(data)), flush=True)
            async for name, base, queries in ingested_sets(rig, data, _SETS):
                print(name, await check(rig, base, queries), flush=True)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("TRIRAG_SHARED_DATA", default)))
    parser.add_argument("--cache", type=Path, default=Path(".run/bench/embeddings.db"))
    options = parser.parse_args()
    asyncio.run(run(options.data, options.cache))


if __name__ == "__main__":
    main()
