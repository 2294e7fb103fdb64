"""What the verifier does to a language model's drafts, end to end, against a running stack with a model.

``python -m bench.drafts examples/questions.jsonl ../shared/data/cfr1013/answers.jsonl --out DIR [--each N]``

Prints the share of drafts that were rejected, by type of issue, what was done about it, and what the final answers
were. Writes ``drafts.jsonl`` (every draft of the model with its verdict and the passages before it, as rows that
``trirag validate`` reads), ``answers.jsonl`` (what the caller got, and what was expected) and ``sample.md``: as many
rejections and acceptances as ``--sample`` asks for, drawn by a hash of the draft so that the choice follows no wish, to
be read and judged by hand.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import grpc
from google.type import date_pb2

from bench.report import table
from cli.evaluate.answers import correct, what_it_said
from trirag.orchestrator.v1 import orchestrator_pb2 as pb
from trirag.orchestrator.v1 import orchestrator_pb2_grpc
from trirag.validation.v1 import validation_pb2

Row = dict[str, Any]
TIMEOUT_SECONDS = 120
PASSAGE_CHARS = 1200
TEXTS = ("document_id", "title", "source_uri", "language", "doc_type", "version", "supersedes", "authority")
DATES = ("published_at", "effective_from", "effective_to", "updated_at")


@dataclass
class Draft:
    """A draft of the model and what became of it. ``chunks`` are the passages, in the order of their numbers."""

    id: str
    question: str
    as_of: str | None
    strategy: str
    answer: str
    valid: bool
    decision: str
    issues: list[dict[str, str]]
    chunks: list[Row]

    @property
    def order(self) -> str:
        """A place in a queue that depends on nothing but the draft."""
        return hashlib.sha256(f"{self.id}\0{self.answer}".encode()).hexdigest()


@dataclass
class Outcome:
    """The final answer to one question."""

    question_id: str
    status: str
    method: str
    right: bool
    question: str
    expected: list[str]
    text: str


@dataclass
class Run:
    """Everything of one run."""

    drafts: list[Draft] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    without_draft: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)


def rows_of(path: Path, each: int) -> list[Row]:
    """The first ``each`` rows by the hash of their id: a mixture of types, the same every time."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    ordered = sorted((_as_answer_row(row, path.parent.name) for row in rows), key=lambda row: _hash(row["id"]))
    return ordered[:each]


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _as_answer_row(row: Row, folder: str) -> Row:
    """A retrieval query has no expectation but its answers: any answer that holds one of them is right."""
    if "query" not in row:
        return row
    return {
        "id": row["query_id"],
        "question": row["query"],
        "kb": folder,
        "as_of": row.get("as_of"),
        "expect": "answer",
        "answers": row.get("answers", []),
    }


def ask(stub: Any, row: Row, run: Run) -> None:
    """Asks one question with every step told."""
    request = pb.AskRequest(question=row["question"], knowledge_bases=[row["kb"]] if row.get("kb") else [])
    if row.get("as_of"):
        year, month, day = map(int, row["as_of"].split("-"))
        request.as_of.CopyFrom(date_pb2.Date(year=year, month=month, day=day))
    try:
        events = list(stub.AskStream(pb.AskStreamRequest(ask=request), timeout=TIMEOUT_SECONDS))
    except grpc.RpcError as error:
        run.failed[error.code().name] += 1
        return
    drafts = list(_drafts(row, events))
    run.drafts += drafts
    said = what_it_said(events[-1].answer)
    status, text = said["status"], said["answer"]
    right, expected = correct(row, said), row.get("answers") or [row["expect"]]
    run.outcomes.append(Outcome(row["id"], status, said["method"], right, row["question"], expected, text))
    if not drafts:
        run.without_draft[status] += 1


def _drafts(row: Row, events: Sequence[Any]) -> Iterator[Draft]:
    chunks: list[Row] = []
    attempt, text = None, ""
    for event in events:
        kind = event.WhichOneof("event")
        if kind == "searched":
            chunks = [_chunk(s.chunk) for s in sorted(event.searched.sources, key=lambda s: s.number)]
        elif kind == "attempt":
            attempt = event.attempt if event.attempt.strategy != "extractive" else None
            text = event.attempt.draft
        elif kind == "validated" and attempt is not None and text:
            verdict, decision = event.validated.verdict, event.validated.decision
            if verdict.valid and decision == "accept":
                text = events[-1].answer.answer.text  # as it left the house: a repair comes without an attempt
            issues = [_issue(issue) for issue in verdict.issues]
            told = (row["id"], row["question"], row.get("as_of"), attempt.strategy, text)
            yield Draft(*told, verdict.valid, decision, issues, chunks)


def _chunk(chunk: Any) -> Row:
    """A passage as a row of the validation cases has it."""
    document = chunk.document
    metadata = {name: getattr(document, name) for name in TEXTS if getattr(document, name)}
    for name in DATES:
        if document.HasField(name):
            day = getattr(document, name)
            metadata[name] = f"{day.year:04}-{day.month:02}-{day.day:02}"
    return {"chunk_id": chunk.chunk_id, "text": chunk.text, "metadata": metadata}


def _issue(issue: Any) -> dict[str, str]:
    return {
        "type": validation_pb2.IssueType.Name(issue.type).removeprefix("ISSUE_TYPE_"),
        "severity": validation_pb2.Severity.Name(issue.severity).removeprefix("SEVERITY_"),
        "check": issue.check_id,
        "statement": str(issue.statement_index),
        "message": issue.message,
    }


def report(run: Run) -> str:
    """The tables."""
    count = len(run.drafts)
    rejected = [d for d in run.drafts if not d.valid]
    share = f"{len(rejected) / count:.2f}" if count else "-"
    types = Counter(i["type"] for d in rejected for i in d.issues if i["severity"] == "BLOCK")
    decisions = Counter(d.decision for d in rejected)
    ends = Counter((o.status, o.method) for o in run.outcomes)
    right = Counter((o.status, o.method) for o in run.outcomes if o.right)
    summary = [
        {
            "questions": len(run.outcomes),
            "failed": sum(run.failed.values()),
            "drafts": count,
            "rejected": len(rejected),
            "share": share,
            "no draft": sum(run.without_draft.values()),
        }
    ]
    return "\n".join(
        [
            table("Drafts of the model", summary),
            table("Issues of rejected drafts", [{"type": t, "issues": n} for t, n in types.most_common()]),
            table("What followed a rejection", [{"decision": d, "drafts": n} for d, n in decisions.most_common()]),
            table(
                "Final answers",
                [
                    {"status": s, "by": m, "questions": n, "as expected": right[s, m]}
                    for (s, m), n in ends.most_common()
                ],
            ),
        ]
    )


def sample(run: Run, size: int) -> str:
    """Rejections and acceptances to read: draft, issues, the passages that it cites."""
    parts = []
    for title, valid in (("Rejected", False), ("Accepted", True)):
        chosen = sorted((d for d in run.drafts if d.valid is valid), key=lambda d: d.order)[:size]
        parts.append(f"# {title} ({len(chosen)})\n")
        parts += [_shown(number, draft) for number, draft in enumerate(chosen, 1)]
    return "\n".join(parts)


def _shown(number: int, draft: Draft) -> str:
    lines = [f"## {number}. {draft.id}: {draft.question} {draft.as_of or ''}", "", f"> {draft.answer}", ""]
    lines += [
        f"- {i['severity']} {i['type']} ({i['check']}, statement {i['statement']}): {i['message']}"
        for i in draft.issues
    ]
    for source, chunk in enumerate(draft.chunks, 1):
        if f"[{source}]" in draft.answer:
            title = chunk["metadata"].get("title", "")
            lines.append(f"- [{source}] ({title}) {' '.join(chunk['text'][:PASSAGE_CHARS].split())}")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, help="answers.jsonl or queries.jsonl")
    parser.add_argument("--url", default=os.environ.get("TRIRAG_URL", "127.0.0.1:8080"))
    parser.add_argument("--each", type=int, default=34, help="questions of each file")
    parser.add_argument("--sample", type=int, default=40, help="rejections, and acceptances, to write out")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    run = Run()
    with grpc.insecure_channel(arguments.url) as channel:
        stub = orchestrator_pb2_grpc.OrchestratorServiceStub(channel)
        for path in arguments.files:
            for row in rows_of(path, arguments.each):
                ask(stub, row, run)
    with (arguments.out / "drafts.jsonl").open("w", encoding="utf-8") as out:
        for draft in run.drafts:
            out.write(json.dumps(asdict(draft), ensure_ascii=False) + "\n")
    with (arguments.out / "answers.jsonl").open("w", encoding="utf-8") as out:
        for outcome in run.outcomes:
            out.write(json.dumps(asdict(outcome), ensure_ascii=False) + "\n")
    (arguments.out / "sample.md").write_text(sample(run, arguments.sample), encoding="utf-8")
    print(report(run))


if __name__ == "__main__":
    main()
