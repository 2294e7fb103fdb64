"""Many Asks at once against a running stack: `python -m bench.load --asks 200 --concurrency 200`.

Uses the extractive composer unless --llm is given. Every answer is checked: it must be verified, say what the
question's file says that it must, and cite what it must. ghz profiles for the same load stand in bench/ghz/.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import grpc
from google.rpc import error_details_pb2
from google.type import date_pb2

from bench.report import summary, table
from cli.evaluate.answers import fault, what_it_said
from services.common.errors import detail_of
from trirag.orchestrator.v1 import orchestrator_pb2 as pb
from trirag.orchestrator.v1 import orchestrator_pb2_grpc

QUESTIONS = Path(__file__).resolve().parent.parent / "examples" / "questions.jsonl"
LOOPBACK = re.compile(r"^(127\.\d+\.\d+\.\d+|localhost|\[::1\]):\d+$")
OVERLOADED = (grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAVAILABLE)


@dataclass
class Tally:
    """What came of the Asks."""

    codes: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    without_retry_info: int = 0
    latencies: list[float] = field(default_factory=list)
    lost: int = 0
    told_to_retry: int = 0
    degraded: int = 0


async def one(stub, row: dict, tally: Tally, gate: asyncio.Semaphore, llm: bool, timeout: float, retries: int) -> None:
    """Asks one question, as often as it is told to come back, and judges what comes of it."""
    request = pb.AskRequest(
        question=row["question"], knowledge_bases=[row["kb"]] if row.get("kb") else [], extractive_only=not llm
    )
    if row.get("as_of"):
        year, month, day = map(int, row["as_of"].split("-"))
        request.as_of.CopyFrom(date_pb2.Date(year=year, month=month, day=day))
    async with gate:
        began = time.perf_counter()
        for left in range(retries, -1, -1):
            try:
                response = await stub.Ask(request, timeout=timeout)
                break
            except grpc.aio.AioRpcError as error:
                pause = _retry_after(error)
                if error.code() in OVERLOADED and pause is None:
                    tally.without_retry_info += 1
                if error.code() in OVERLOADED and pause is not None and left:
                    tally.told_to_retry += 1
                    await asyncio.sleep(pause)
                    continue
                tally.codes[error.code().name] += 1
                if error.code() not in OVERLOADED:
                    tally.lost += 1
                return
    tally.latencies.append((time.perf_counter() - began) * 1000)
    tally.codes["OK"] += 1
    tally.degraded += response.answer.degraded
    problem = wrong(row, response)
    if problem:
        tally.wrong.append(f"{row['id']}: {problem}")


def wrong(row: dict, response: pb.AskResponse) -> str:
    """Why an answer is wrong; empty if it is right."""
    answer = response.answer
    if answer.status == pb.ANSWER_STATUS_ANSWERED and not answer.verdict.valid:
        return "not verified"
    return fault(row, what_it_said(response))


def _retry_after(error: grpc.aio.AioRpcError) -> float | None:
    """Seconds to wait, if the server says so."""
    retry = detail_of(error, error_details_pb2.RetryInfo)
    return retry.retry_delay.ToTimedelta().total_seconds() if retry else None


async def run(
    url: str, asks: int, concurrency: int, llm: bool, timeout: float, ids: set[str], retries: int
) -> dict[str, object]:
    """Asks the public questions round and round; returns figures."""
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines() if line.strip()]
    rows = [r for r in rows if not r.get("groups") and (not ids or r["id"] in ids)]
    tally, gate = Tally(), asyncio.Semaphore(concurrency)
    began = time.perf_counter()
    async with grpc.aio.insecure_channel(url, options=[("grpc.enable_http_proxy", 0)]) as channel:
        stub = orchestrator_pb2_grpc.OrchestratorServiceStub(channel)
        await asyncio.gather(*(one(stub, rows[i % len(rows)], tally, gate, llm, timeout, retries) for i in range(asks)))
    seconds = time.perf_counter() - began
    return {
        "asks": asks,
        "concurrency": concurrency,
        "seconds": round(seconds, 2),
        "answered_per_second": round(tally.codes["OK"] / seconds, 1),
        "codes": dict(tally.codes),
        "wrong": len(tally.wrong),
        "wrong_by_question": sorted(set(tally.wrong)),
        "lost": tally.lost,
        "told_to_retry": tally.told_to_retry,
        "degraded": tally.degraded,
        "overload_without_retry_info": tally.without_retry_info,
        "latency_ms": summary(tally.latencies),
    }


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default=os.environ.get("TRIRAG_URL", "127.0.0.1:8080"))
    parser.add_argument("--asks", type=int, default=200)
    parser.add_argument("--concurrency", type=int, default=200)
    parser.add_argument("--timeout", type=float, default=60.0, help="deadline of each Ask, seconds")
    parser.add_argument("--retries", type=int, default=0, help="how often to come back when told to")
    parser.add_argument("--llm", action="store_true", help="let the language model write")
    parser.add_argument("--ids", default="", help="only these questions, comma-separated")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if not LOOPBACK.match(arguments.url):
        parser.error("load is sent to loopback only")
    ids = {i for i in arguments.ids.split(",") if i}
    figures = asyncio.run(
        run(
            arguments.url,
            arguments.asks,
            arguments.concurrency,
            arguments.llm,
            arguments.timeout,
            ids,
            arguments.retries,
        )
    )
    if arguments.json:
        print(json.dumps(figures, ensure_ascii=False))
    else:
        print(table("Load", [{"figure": k, "value": v} for k, v in figures.items()]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
