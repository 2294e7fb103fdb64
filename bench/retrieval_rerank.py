"""Learns the weights of the local reranker (config/rerank.yaml) from the labelled sets.

    python -m bench.retrieval_rerank [--sets asvs,gdpr] [--cache FILE] [--features FILE] [--without FEATURE] [--write]

Every set counts the same however many queries it has. Queries are split into five folds by the document that
answers them, and the table shows each set judged by weights that never saw its documents; the weights that are
written are then learnt from all of them. Beside the sets there are questions that name a day, asked of every version
(bench/retrieval_dated.py), which only the weight of ``in_force_then`` is learnt from.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import os
import pickle
import tempfile
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench.rerank_learning import FOLDS, Judged, Vector, learn, learn_without, score
from bench.retrieval_data import SETS, Query, is_relevant, load_documents
from bench.retrieval_dated import DATED, dated_queries
from bench.retrieval_quality import scores, wants_every
from bench.retrieval_rig import Rig, ingested_sets, running_rig
from services.retrieval.domain.filters import ChunkFilter
from services.retrieval.domain.ranking.fusion import reciprocal_rank_fusion
from services.retrieval.domain.ranking.links import mention_pairs
from services.retrieval.domain.ranking.rerank import (
    FEATURES,
    IN_FORCE_THEN,
    RerankCandidate,
    RerankQuery,
    linkables,
    rerank_features,
)
from services.retrieval.domain.search import SearchTask


def fold_of(query: Query) -> int:
    """By the answering document, so that no document is learnt from and judged on."""
    digest = hashlib.sha256(query.relevant[0].document_id.encode()).digest()
    return digest[0] % FOLDS


async def gather(rig: Rig, base: str, queries: Sequence[Query], every_version: bool = False) -> list[Judged]:
    """Candidates of each query as the default search brings them, with their features."""
    rows = []
    for query in queries:
        every = every_version or wants_every(query)
        condition = ChunkFilter(access_keys=(), in_force_on=None if every_version else query.as_of)
        task = SearchTask("q", query.text, base, condition, rerank=True, every_version=every)
        candidates, chunks = await rig.search.candidates(task, frozenset())
        covers = [[is_relevant(chunk, relevant) for chunk in chunks] for relevant in query.relevant]
        rows.append(
            judged(
                query,
                *rig.reranker.read(query.text, candidates),
                np.array(covers, dtype=bool).reshape(len(query.relevant), -1),
            )
        )
    return rows


def judged(
    query: Query, read: RerankQuery, candidates: Sequence[RerankCandidate], covers: npt.NDArray[np.bool_]
) -> Judged:
    """One query as the learner takes it."""
    features = rerank_features(read, candidates)
    pairs = mention_pairs(read.text, linkables(candidates), range(len(candidates)))
    passages = Counter(candidate.document_id for candidate in candidates)
    return Judged(
        fold_of(query),
        frozenset(relevant.document_id for relevant in query.relevant),
        np.array([[values[name] for name in FEATURES] for values in features]).reshape(-1, len(FEATURES)),
        covers,
        np.array([candidate.dense_rank for candidate in candidates], dtype=np.int64),
        np.array([candidate.keyword_rank for candidate in candidates], dtype=np.int64),
        np.array(pairs, dtype=np.int64).reshape(-1, 2),
        np.array([passages[candidate.document_id] for candidate in candidates], dtype=np.float64),
    )


def ranks_by(row: Judged, order: npt.NDArray[np.int64]) -> list[int]:
    """For each judged item the first rank that satisfies it; 0 if none does."""
    result = []
    for covers in row.covers:
        places = np.flatnonzero(covers[order])
        result.append(int(places[0]) + 1 if places.size else 0)
    return result


def order_by_rank(ranks: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Candidates of one component list in its order."""
    present = np.flatnonzero(ranks)
    return present[np.argsort(ranks[present])]


def order_by_rrf(row: Judged) -> npt.NDArray[np.int64]:
    """Candidates by reciprocal rank fusion."""
    lists = {
        "dense": [str(index) for index in order_by_rank(row.dense_rank)],
        "keyword": [str(index) for index in order_by_rank(row.keyword_rank)],
    }
    return np.array([int(key) for key, _ in reciprocal_rank_fusion(lists)], dtype=np.int64)


def report(data: Mapping[str, Sequence[Judged]], dated: Mapping[str, Sequence[Judged]]) -> None:
    """Every set by cross-validated weights, beside the lists they rerank."""
    by_fold = [learn_without(data, fold, dated) for fold in range(FOLDS)]
    print(f"{'set':24}{'measure':10}{'dense':>8}{'keyword':>9}{'rrf':>8}{'rerank':>8}   by fold (rerank)")
    for name, rows in (*data.items(), *dated.items()):
        columns = {
            "dense": [ranks_by(row, order_by_rank(row.dense_rank)) for row in rows],
            "keyword": [ranks_by(row, order_by_rank(row.keyword_rank)) for row in rows],
            "rrf": [ranks_by(row, order_by_rrf(row)) for row in rows],
            "rerank": [ranks_by(row, np.argsort(-score(row, by_fold[row.fold]), kind="stable")) for row in rows],
        }
        figures = {column: scores(ranks) for column, ranks in columns.items()}
        for measure in ("recall@1", "recall@5", "recall@10", "mrr@10", "ndcg@10"):
            folds = []
            for fold in range(FOLDS):
                part = [ranks for row, ranks in zip(rows, columns["rerank"], strict=True) if row.fold == fold]
                folds.append(f"{scores(part)[measure]:.3f}" if part else "-")
            line = "".join(f"{figures[c][measure]:{w}.3f}" for c, w in zip(columns, (8, 9, 8, 8), strict=True))
            short = name in data and figures["rerank"][measure] < max(
                figures["dense"][measure], figures["keyword"][measure]
            )
            print(f"{name:24}{measure:10}{line} {'!' if short else ' '} {' '.join(folds)}")


def write(path: Path, weights: Vector, sets: Sequence[str]) -> None:
    """The weights as a file that a person can read."""
    lines = [
        "# Weights of the local reranker: the score of a passage is the weighted sum of these features, which",
        "# services/retrieval/domain/ranking/rerank.py computes over the candidates of one query.",
        f"# Learnt on {date.today().isoformat()} by `python -m bench.retrieval_rerank --write` from",
        *(f"# {line}" for line in textwrap.wrap(_learnt_from(sets), 100, break_on_hyphens=False)),
        "weights:",
        *(f"  {name}: {weight:.3f}" for name, weight in zip(FEATURES, weights, strict=True)),
    ]
    path.write_text("\n".join(lines) + "\n", "utf-8")


def _learnt_from(sets: Sequence[str]) -> str:
    return f"{', '.join(sets)}; every set counts the same. {IN_FORCE_THEN} alone is from {', '.join(DATED)}."


async def collect(data: Path, names: Sequence[str], cache: Path) -> dict[str, list[Judged]]:
    """Ingests what the sets and the dated questions need and gathers their candidates."""
    found: dict[str, list[Judged]] = {}
    with tempfile.TemporaryDirectory(prefix="trirag-rerank-") as folder:
        async with running_rig(Path(folder), cache) as rig:
            async for name, base, queries in ingested_sets(rig, data, names):
                found[name] = await gather(rig, base, queries)
                print(f"{name}: {len(found[name])} queries", flush=True)
            done = {SETS[name][0] for name in names}
            for name, (base, documents) in DATED.items():
                if base not in done:
                    await rig.ingest_all(base, load_documents(data, documents))
                    done.add(base)
                found[name] = await gather(rig, base, dated_queries(data, name), every_version=True)
                print(f"{name}: {len(found[name])} queries", flush=True)
    return found


def blank(rows: Sequence[Judged], features: Sequence[str]) -> None:
    """Takes features away, to see what the others do without them."""
    for row in rows:
        row.features[:, [FEATURES.index(name) for name in features]] = 0.0


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    root = Path(__file__).resolve().parent.parent
    default = Path(os.environ.get("TRIRAG_SHARED_DATA", root.parent / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--cache", type=Path, default=Path(".run/bench/embeddings.db"))
    parser.add_argument("--features", type=Path, help="keep gathered features here, and use them if they are there")
    parser.add_argument("--without", default="", help="features to leave out, separated by commas")
    parser.add_argument("--write", action="store_true", help="write config/rerank.yaml")
    options = parser.parse_args()
    names = options.sets.split(",")
    if options.features and options.features.exists():
        found = pickle.loads(options.features.read_bytes())
    else:
        found = asyncio.run(collect(options.data, names, options.cache))
        if options.features:
            options.features.write_bytes(pickle.dumps(found))
    for rows in found.values():
        blank(rows, [name for name in options.without.split(",") if name])
    data, dated = ({name: found[name] for name in part} for part in (names, DATED))
    report(data, dated)
    if options.write:
        write(root / "config" / "rerank.yaml", learn(list(data.values()), list(dated.values())), names)


if __name__ == "__main__":
    main()
