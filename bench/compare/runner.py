"""Hands the corpus over as files and runs each framework in its own interpreter.

The frameworks' packages stay out of the product's environment: LlamaIndex's store needs pymilvus 2, the product
pymilvus 3. A script of theirs gets a folder and the server's address, and prints one JSON line for each way it
searches: `{"type", "found": [[document ids] a query], "ms": [latency a query]}`.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.report import percentile
from bench.retrieval_corpus import Corpus
from bench.retrieval_data import Query
from bench.retrieval_quality import scores
from services.retrieval.domain.embedding import Vectors

_SCRIPTS = Path(__file__).parent
_SECONDS = 3600


def export(folder: Path, corpus: Corpus, queries: Sequence[Query], vectors: Sequence[Vectors]) -> None:
    """Writes passages.jsonl and passages.npy, queries.jsonl and queries.npy."""
    with (folder / "passages.jsonl").open("w", encoding="utf-8") as out:
        for number, row in enumerate(corpus.rows):
            text = f"{corpus.titles[row.document_id]}\n{row.text}"
            out.write(json.dumps({"id": f"p{number}", "document_id": row.document_id, "text": text}) + "\n")
    np.save(folder / "passages.npy", corpus.vectors)
    lines = [
        json.dumps({"text": query.text, "relevant": [one.document_id for one in query.relevant]}) for query in queries
    ]
    (folder / "queries.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    np.save(folder / "queries.npy", np.stack(list(vectors)))


def compare(folder: Path, uri: str, llamaindex: str, haystack: str) -> Iterator[dict[str, Any]]:
    """One row for each framework and way of searching; nothing for a framework without an interpreter."""
    relevant = [json.loads(line)["relevant"] for line in (folder / "queries.jsonl").read_text("utf-8").splitlines()]
    for name, python in (("llamaindex", llamaindex), ("haystack", haystack)):
        if not python:
            continue
        command = [python, str(_SCRIPTS / f"{name}_milvus.py"), str(folder), uri]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
        if done.returncode:
            print(f"{name} failed: " + " / ".join(done.stderr.strip().splitlines()[-3:]))
            continue
        for line in done.stdout.splitlines():
            said = json.loads(line)
            yield _row(name, said, relevant)


def _row(name: str, said: dict[str, Any], relevant: Sequence[Sequence[str]]) -> dict[str, Any]:
    ranks = [
        [found.index(document) + 1 if document in found else 0 for document in wanted]
        for found, wanted in zip(said["found"], relevant, strict=True)
    ]
    judged = scores(ranks)
    return {
        "type": f"{name} {said['type']}",
        "in_flight": 1,
        "p50_ms": percentile(said["ms"], 0.5),
        "p95_ms": percentile(said["ms"], 0.95),
        "per_second": 1000.0 * len(said["ms"]) / sum(said["ms"]),
        **{figure: judged[figure] for figure in ("recall@5", "recall@10", "ndcg@10")},
    }
