"""A parse depends on text, day and packs alone: two processes with other hash seeds give the same bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

QUESTIONS = [
    "Compare the A320neo and the B737-800 in fuel burn since March 2023, and who signs P/N 65-90305-17?",
    "According to the QRH, what are the top three causes of E4027 and how come it won't start?",
    "对比A320和B737的油耗，截至去年底哪个更省油？根据《质量手册》第十二条第二款呢？",
    "怎么claim这个补贴？ORA-01555 keeps coming back",
    "Was bedeutet E4027 seit 15. März 2024?",
]
SCRIPT = """
import sys
from datetime import date
from services.common.converters.question import to_proto_question
from services.perception.bootstrap import build_interpreter
interpreter = build_interpreter()
for line in sys.stdin.read().splitlines():
    parsed = to_proto_question(interpreter.parse(line, date(2025, 3, 14)))
    print(parsed.SerializeToString(deterministic=True).hex())
"""


def starts(seed: str) -> subprocess.Popen[str]:
    """A process of its own that reads questions, one a line, and prints their parses."""
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        cwd=Path(__file__).parents[3],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def test_other_processes_parse_alike() -> None:
    # Both at once: most of their time goes into starting.
    processes = [starts("1"), starts("2")]
    first, second = (process.communicate("\n".join(QUESTIONS))[0] for process in processes)
    assert [process.returncode for process in processes] == [0, 0]
    assert len(first.splitlines()) == len(QUESTIONS)
    assert first == second
