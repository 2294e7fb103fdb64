"""Comparing ways to search, and the ranking figures against a library of them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cli_samples as samples
import ir_measures
import pytest
from cli_fakes import FakeEdge, Result
from ir_measures import RR, R, nDCG

from cli.evaluate import retrieval
from trirag.retrieval.v1 import retrieval_pb2

Trirag = Callable[..., Result]


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def test_the_ranking_figures_are_those_of_ir_measures() -> None:
    generator = random.Random(5)
    qrels, run, rows, said = [], [], [], {}
    for number in range(40):
        query = str(number)
        ranked = [f"d{n}" for n in generator.sample(range(30), 12)]
        relevant = sorted({f"d{generator.randrange(30)}" for _ in range(generator.randint(1, 4))})
        qrels += [ir_measures.Qrel(query, document, 1) for document in relevant]
        run += [ir_measures.ScoredDoc(query, document, -float(rank)) for rank, document in enumerate(ranked)]
        items = [{"document_id": document} for document in relevant]
        rows.append({"query_id": query, "relevant": items})
        found = retrieval.found_at(items, [(document, "") for document in ranked[: retrieval.DEPTH]])
        said[query] = {"found_at": found, "latency_ms": 1.0}
    measures = {"recall@1": R @ 1, "recall@5": R @ 5, "recall@10": R @ 10, "mrr@10": RR @ 10, "ndcg@10": nDCG @ 10}
    expected = ir_measures.calc_aggregate(list(measures.values()), qrels, run)
    ours = retrieval.score(rows, said)["all"]
    assert {name: ours[name] for name in measures} == {
        name: pytest.approx(expected[measure], abs=1e-4) for name, measure in measures.items()
    }


def test_eval_retrieval_compares_ways_to_search(edge: FakeEdge, trirag: Trirag, tmp_path: Path) -> None:
    def search(request: retrieval_pb2.SearchRequest) -> retrieval_pb2.SearchResponse:
        task = request.tasks[0]
        found = task.type != retrieval_pb2.SEARCH_TYPE_KEYWORD or task.query == "speed"
        hits = [retrieval_pb2.Hit(chunk=samples.chunk(1), score=1.0, rank=1)] if found else []
        result = retrieval_pb2.TaskResult(status=retrieval_pb2.TASK_STATUS_OK, hits=hits, cached=task.query == "seats")
        return retrieval_pb2.SearchResponse(results=[result])

    edge.answers["Search"] = search
    rows = [
        {"query_id": "1", "query": "speed", "type": "fact", "relevant": [{"document_id": "handbook-1"}]},
        {"query_id": "2", "query": "seats", "type": "both", "relevant": [{"document_id": "handbook-1"}]},
    ]
    file, report = write(tmp_path / "queries.jsonl", rows), tmp_path / "report"
    arguments = (
        "eval",
        "retrieval",
        str(file),
        "--kb",
        "fleet",
        "--types",
        "keyword,rerank",
        "--all-versions-for",
        "both",
    )
    result = trirag(*arguments, "--report", str(report), "--json")
    assert result.status == 0, result.err
    assert {name: row["recall@1"] for name, row in result.json["searches"].items()} == {"keyword": 0.5, "rerank": 1.0}
    tasks = [request.tasks[0] for request in edge.requests["Search"]]
    assert [task.type for task in tasks] == [retrieval_pb2.SEARCH_TYPE_KEYWORD] * 2 + [
        retrieval_pb2.SEARCH_TYPE_UNSPECIFIED
    ] * 2
    assert [task.filter.include_superseded for task in tasks] == [False, True] * 2
    assert [(row["search"], row["query_id"]) for row in read(report / "failing.jsonl")] == [("keyword", "2")]
    assert "## searches" in (report / "report.md").read_text()
    shown = trirag(*arguments)
    assert "p95 ms" in shown.out
    assert "1 of keyword" in shown.err


def test_eval_retrieval_names_a_way_that_is_none(trirag: Trirag, tmp_path: Path) -> None:
    file = write(tmp_path / "queries.jsonl", [{"query_id": "1", "query": "q", "relevant": [{"document_id": "d"}]}])
    result = trirag("eval", "retrieval", str(file), "--types", "dense,best")
    assert result.status == 2
    assert "'best'" in result.err
    assert trirag("eval", "retrieval", str(file), "--types", "dense", "--rerank").status == 2
