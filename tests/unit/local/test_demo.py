"""The demonstration tells honestly whether an answer is what the example expects."""

from __future__ import annotations

from typing import Any

import pytest

from cli.local.demo import Outcome, demo_questions
from trirag.orchestrator.v1 import orchestrator_pb2 as pb

ROW = {"expect": "answer", "answers": ["66,500"], "must_cite": ["a", "b"], "must_not_cite": ["old"]}


def response(text: str, cited: list[str], status: int = pb.ANSWER_STATUS_ANSWERED) -> Any:
    sources = [pb.Source(chunk={"document": {"document_id": name}}, cited=True) for name in cited]
    return pb.AskResponse(answer=pb.Answer(status=status, text=text, sources=sources))


@pytest.mark.parametrize(
    ("row", "given", "told"),
    [
        (ROW, response("It is 66,500 kg [1].", ["a"]), ""),
        (ROW, response("It is 66 ,500 kg [1].", ["b"]), ""),
        (ROW, response("It is 65,000 kg [1].", ["a"]), "none of 66,500 in the answer"),
        (ROW, response("It is 66,500 kg [1].", ["c"]), "does not cite a, b"),
        ({**ROW, "cite": "all"}, response("66,500", ["a"]), "does not cite b"),
        (ROW, response("66,500", ["a", "old"]), "cites old"),
        (ROW, response("", [], pb.ANSWER_STATUS_REFUSED), "refused instead of answered"),
        ({**ROW, "expect": "refuse"}, response("", [], pb.ANSWER_STATUS_REFUSED), ""),
        (
            {**ROW, "expect": "refuse"},
            response("", [], pb.ANSWER_STATUS_EVIDENCE_ONLY),
            "evidence_only instead of refused",
        ),
        ({**ROW, "expect": "refuse"}, response("66,500", ["a"]), "answered instead of refused"),
    ],
)
def test_differences(row: dict[str, Any], given: Any, told: str) -> None:
    assert Outcome(row, given).mismatch == told


def test_the_demo_asks_in_both_languages_and_one_that_must_be_refused() -> None:
    rows = demo_questions()
    assert {row["language"] for row in rows} == {"en", "zh"}
    assert any(row["expect"] == "refuse" for row in rows)
    assert any(row.get("as_of") for row in rows)
