"""First figures for every row of the design's budgets, on a stack of its own: `python -m bench.budgets`.

Times are taken by the caller on loopback, straight at the service (not through Envoy) unless a row says otherwise:
they hold the service's own time and a few tenths of a millisecond of transport.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc

from bench.memory import resident_mib
from bench.report import summary, table
from services.orchestrator.metrics import WAITING
from tests.stack import ROOT, LocalStack
from trirag.common.v1 import types_pb2
from trirag.orchestrator.v1 import orchestrator_pb2, orchestrator_pb2_grpc
from trirag.perception.v1 import perception_pb2, perception_pb2_grpc
from trirag.retrieval.v1 import knowledge_base_pb2, knowledge_base_pb2_grpc
from trirag.validation.v1 import validation_pb2, validation_pb2_grpc

QUESTIONS = [
    json.loads(line)
    for line in (ROOT / "examples" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    if line.strip()
]
TIMEOUT = 60.0
SUBJECTS = ["pump", "valve", "turbine", "filter", "sensor", "cabinet", "gearbox", "boiler", "compressor", "inverter"]
PLACES = [
    "Nordhaven",
    "Eastbay",
    "Kronfeld",
    "Lindholm",
    "Marwick",
    "Osterby",
    "Pelham",
    "Quarndon",
    "Ravnsborg",
    "Stavik",
]
MEASURES = ["pressure", "temperature", "flow", "voltage", "speed", "load", "torque", "humidity", "level", "current"]


def timed(call: Callable[[], object], times: int) -> list[float]:
    """Milliseconds of each call, after five that do not count."""
    for _ in range(5):
        call()
    found = []
    for _ in range(times):
        began = time.perf_counter()
        call()
        found.append((time.perf_counter() - began) * 1000)
    return found


def synthetic(count: int) -> Iterator[knowledge_base_pb2.IngestDocument]:
    """Short documents of one chunk each, all different, made from a fixed seed."""
    rng = random.Random(7)
    for number in range(count):
        subject, place, measure = rng.choice(SUBJECTS), rng.choice(PLACES), rng.choice(MEASURES)
        value = rng.randint(10, 9999)
        text = f"The {measure} limit of {subject} {number} at {place} is {value} units."
        metadata = knowledge_base_pb2.IngestMetadata(
            fields={"document_id": f"s{number}", "title": f"{subject.title()} {number}", "language": "en"}
        )
        yield knowledge_base_pb2.IngestDocument(metadata=metadata, text=text, origin=f"synthetic:{number}")


def fill(stack: LocalStack, name: str, count: int) -> float:
    """Ingests the synthetic documents; seconds."""

    def messages() -> Iterator[knowledge_base_pb2.IngestRequest]:
        yield knowledge_base_pb2.IngestRequest(start=knowledge_base_pb2.IngestStart(knowledge_base=name))
        for document in synthetic(count):
            yield knowledge_base_pb2.IngestRequest(document=document)

    began = time.perf_counter()
    with grpc.insecure_channel(f"127.0.0.1:{stack.settings.retrieval_port}") as channel:
        for event in knowledge_base_pb2_grpc.KnowledgeBaseServiceStub(channel).Ingest(messages(), timeout=3600):
            if event.HasField("summary") and event.summary.rejected:
                raise SystemExit(f"{len(event.summary.rejected)} rejected: {event.summary.rejected[0].message}")
    return time.perf_counter() - began


def perception(stack: LocalStack) -> list[dict[str, object]]:
    """Parse, and the worker's memory."""
    with grpc.insecure_channel(f"127.0.0.1:{stack.settings.perception_port}") as channel:
        stub = perception_pb2_grpc.PerceptionServiceStub(channel)
        questions = iter([q["question"] for q in QUESTIONS] * 40)
        figures = timed(lambda: stub.Parse(perception_pb2.ParseRequest(question=next(questions)), timeout=TIMEOUT), 600)
    memory = resident_mib(stack.child_of("perception"))
    return [
        {"what": "Parse, ms", "budget": "p99 < 15", **summary(figures)},
        {"what": "Perception worker, MiB resident", "budget": "< 200", "n": 1, "max": memory},
    ]


def evidence(stack: LocalStack, count: int) -> list[types_pb2.Chunk]:
    """Passages of the examples, as an Ask found them."""
    found: dict[str, types_pb2.Chunk] = {}
    for row in QUESTIONS:
        if row.get("groups"):
            continue
        for source in ask(stack, row["question"], [row["kb"]] if row.get("kb") else []).answer.sources:
            found.setdefault(source.chunk.chunk_id, source.chunk)
        if len(found) >= count:
            break
    return list(found.values())[:count]


def validation(stack: LocalStack) -> list[dict[str, object]]:
    """ValidateAnswer with 10 statements and 10 chunks, CheckSufficiency with 20 chunks."""
    chunks = evidence(stack, 20)
    sentences = [c.text.replace("\n", " ").strip(" #|")[:160].split(". ")[0] for c in chunks[:10]]
    answer = "\n".join(f"{s} [{i}]." for i, s in enumerate(sentences, start=1))
    question = "How do the limits and intervals of the fleet compare?"
    judge = validation_pb2.ValidateAnswerRequest(question=question, answer=answer, chunks=chunks[:10])
    enough = validation_pb2.CheckSufficiencyRequest(question=question, chunks=chunks)
    with grpc.insecure_channel(f"127.0.0.1:{stack.settings.validation_port}") as channel:
        stub = validation_pb2_grpc.ValidationServiceStub(channel)
        judged = timed(lambda: stub.ValidateAnswer(judge, timeout=TIMEOUT), 200)
        checked = timed(lambda: stub.CheckSufficiency(enough, timeout=TIMEOUT), 200)
    return [
        {"what": "ValidateAnswer, 10 statements x 10 chunks, ms", "budget": "p99 < 25", **summary(judged)},
        {"what": "CheckSufficiency, 20 chunks, ms", "budget": "p99 < 25", **summary(checked)},
    ]


def ask(stack: LocalStack, question: str, bases: list[str]) -> orchestrator_pb2.AskResponse:
    """One Ask by quotation, through the edge."""
    with grpc.insecure_channel(stack.url) as channel:
        return orchestrator_pb2_grpc.OrchestratorServiceStub(channel).Ask(
            orchestrator_pb2.AskRequest(question=question, knowledge_bases=bases, extractive_only=True),
            timeout=TIMEOUT,
        )


def asks(stack: LocalStack, base: str, times: int) -> list[dict[str, object]]:
    """Whole Asks over the large knowledge base, one at a time, and what the orchestrator adds itself."""
    rng = random.Random(11)
    documents = list(synthetic(2000))
    whole, own = [], []
    for number in range(times + 5):
        text = rng.choice(documents).text
        question = f"What is {text.split(' is ')[0].replace('The', 'the')}?"
        began = time.perf_counter()
        response = ask(stack, question, [base])
        if number >= 5:
            whole.append((time.perf_counter() - began) * 1000)
            waited = sum(t.duration_ms for t in response.timings if t.stage in WAITING)
            own.append(response.latency_ms - waited)
    return [
        {"what": "Ask by quotation through the edge, 10,000 chunks, ms", "budget": "p95 < 250", **summary(whole)},
        {"what": "Orchestrator's own time in an Ask, ms", "budget": "p50 < 5", **summary(own)},
    ]


def calls(stack: LocalStack) -> list[dict[str, object]]:
    """Search calls of an Ask over one and over four knowledge bases."""
    found = []
    for bases in (["fleet"], ["fleet", "company", "runbooks", "regulations"]):
        before = stack.envoy_stat("cluster.retrieval.upstream_rq_total")
        response = ask(stack, "What is the A-check interval of the A320?", bases)
        made = stack.envoy_stat("cluster.retrieval.upstream_rq_total") - before
        rounds = sum(1 for t in response.timings if t.stage == "fuse")
        found.append(
            {
                "what": f"Search calls of an Ask over {len(bases)} knowledge base(s), {rounds} round(s)",
                "budget": "1 a round",
                "n": 1,
                "max": made,
            }
        )
    return found


def main() -> int:
    """Starts a stack, measures, stops it, prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--asks", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    cache = ROOT / ".run" / "bench" / "retrieval"
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        stack = LocalStack(Path(folder), {"TRIRAG_LLM_URL": "none", "TRIRAG_RETRIEVAL_DATA_DIR": f"{folder}/retrieval"})
        keep = cache / "embeddings.db"
        (Path(folder) / "retrieval").mkdir()
        # Embedding ten thousand passages takes minutes: the second run of a day finds them.
        (Path(folder) / "retrieval" / "embeddings.db").symlink_to(keep)
        try:
            stack.start(with_vllm=False)
            for base in sorted((ROOT / "examples" / "corpus").iterdir()):
                done = stack.trirag("ingest", str(base), "--kb", base.name, timeout=600)
                if done.status:
                    raise SystemExit(done.stderr)
            seconds = fill(stack, "large", arguments.chunks)
            rows = [*perception(stack), *validation(stack), *asks(stack, "large", arguments.asks), *calls(stack)]
        finally:
            stack.stop()
    rows.append(
        {"what": f"Ingest of {arguments.chunks} one-sentence documents, s", "budget": "", "max": round(seconds, 1)}
    )
    print(json.dumps(rows) if arguments.json else table("Budgets", rows))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
