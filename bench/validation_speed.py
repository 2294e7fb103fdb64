"""Latency, throughput and memory of Validation at the sizes of the design's budgets.

usage: python -m bench.validation_speed [--seconds N] [--threads 16]

ValidateAnswer: 10 statements on 10 chunks; CheckSufficiency: 20 chunks. Texts differ from call to call, so that the
memory of read texts does not help beyond one request; "chunks known" judges new answers on chunks that were read
before, as in every question (sufficiency first) and every further attempt. Beside the time on the clock stands the
processor time of a call, which other programs of the machine do not lengthen; answers a second a core come from it.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date

from services.common.domain.document import Chunk, DocumentMetadata
from services.validation.adapters.config import default_config
from services.validation.validator import check_sufficiency, validate_answer, warm_up

TODAY = date(2026, 11, 30)
_ENGLISH = (
    "Pump {n} delivers {a} litres per minute at a pressure of {b} bar. It must not be operated above {c} °C unless the "
    "cooling circuit is open. The seals should be inspected every {d} hours by the maintenance team."
)
_CHINESE = "第{n}号机组每小时耗水{a}升，压力不得超过{b}千帕。操作人员应当每{d}天检查一次密封件，温度宜保持在{c}℃以下。"


def _chunks(seed: int, count: int) -> tuple[Chunk, ...]:
    chunks = []
    for i in range(count):
        n = seed * 100 + i
        template = _CHINESE if i % 2 else _ENGLISH
        text = template.format(n=n, a=20 + n % 60, b=3 + n % 9, c=40 + n % 30, d=10 + n % 80)
        chunks.append(Chunk(f"c{n}", DocumentMetadata(f"d{n}", title=f"Manual {n}"), text))
    return tuple(chunks)


def _answer(seed: int) -> str:
    lines = []
    for i in range(10):
        n = seed * 100 + i
        if i % 2:
            lines.append(f"第{n}号机组每小时耗水{20 + n % 60}升[{i + 1}]。")
        else:
            lines.append(f"Pump {n} delivers {20 + n % 60} litres per minute [{i + 1}].")
    return "\n".join(lines)


def _validate(seed: int) -> None:
    validate_answer(
        f"What do pumps {seed} deliver?", None, _answer(seed), _chunks(seed, 10), None, TODAY, default_config()
    )


def _validate_known(seed: int) -> None:
    known = seed % 8
    answer = _answer(known).replace("delivers", f"delivers, in run {seed},")
    validate_answer(f"What does pump {known} do?", None, answer, _chunks(known, 10), None, TODAY, default_config())


def _sufficient(seed: int) -> None:
    check_sufficiency(
        f"How many litres does pump {seed * 100} deliver?", None, _chunks(seed, 20), None, TODAY, default_config()
    )


def measure(name: str, call: Callable[[int], None], seconds: float, threads: int) -> dict[str, float | str]:
    """Milliseconds on the clock and of the processor at the 50th and 99th percentile, ``threads`` at a time."""
    for seed in range(5):
        call(seed)
    times: list[float] = []
    busy: list[float] = []

    def timed(seed: int) -> None:
        start, used = time.perf_counter(), time.thread_time()
        call(seed)
        times.append(time.perf_counter() - start)
        busy.append(time.thread_time() - used)

    begin, seed = time.perf_counter(), 10
    with ThreadPoolExecutor(threads) as pool:
        while time.perf_counter() - begin < seconds:
            list(pool.map(timed, range(seed, seed + threads * 4)))
            seed += threads * 4
    passed = time.perf_counter() - begin
    return {
        "what": name,
        "in_flight": threads,
        "calls": len(times),
        "p50_ms": _percentile(times, 0.5),
        "p99_ms": _percentile(times, 0.99),
        "cpu_p50_ms": _percentile(busy, 0.5),
        "cpu_p99_ms": _percentile(busy, 0.99),
        "calls_a_second": round(len(times) / passed, 1),
        "calls_a_second_a_core": round(len(busy) / sum(busy), 1),
    }


def _percentile(seconds: list[float], share: float) -> float:
    """In milliseconds."""
    return round(1000 * sorted(seconds)[min(len(seconds) - 1, int(len(seconds) * share))], 2)


def main() -> int:
    """Print one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--threads", type=int, default=16)
    options = parser.parse_args()
    warm_up(default_config())
    loaded = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    calls = (
        ("ValidateAnswer 10x10", _validate),
        ("ValidateAnswer 10x10, chunks known", _validate_known),
        ("CheckSufficiency 20", _sufficient),
    )
    results = [
        measure(name, call, options.seconds, threads) for name, call in calls for threads in (1, options.threads)
    ]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"results": results, "memory_mib": {"loaded": round(loaded), "peak": round(peak)}}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
