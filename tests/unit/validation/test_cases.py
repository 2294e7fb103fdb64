"""Families of answers on one question and its evidence (cases/*.yaml): right ones pass, wrong ones are named."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from services.common.domain.verdict import Severity, Verdict
from services.validation.adapters.config import default_config
from services.validation.adapters.rows import validation_row
from services.validation.validator import validate_answer

CASES = Path(__file__).parent / "cases"
TODAY = date(2026, 11, 30)
# Known limits, kept here so that a repair shows: what a check cannot see yet.
KNOWN_GAPS = frozenset(
    {
        "乙型电机的噪声更大，高于甲型[1][2]。",
        "The bridge was closed in March after an inspection found rust in two girders [1].",
        "The southern branch keeps its archive in Malden [1].",
        "Between freezing and boiling lie 50 °C [1].",
    }
)


def _families() -> Iterator[dict[str, Any]]:
    for path in sorted(CASES.glob("*.yaml")):
        yield from yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


def _parameters() -> Iterator[Any]:
    for family in _families():
        for number, answer in enumerate(family["valid"]):
            yield pytest.param(family, answer, (), id=f"{family['id']}-valid-{number}")
        for number, (answer, *types) in enumerate(family.get("invalid") or []):
            yield pytest.param(family, answer, tuple(types), id=f"{family['id']}-invalid-{number}")
        for number, (answer, *types) in enumerate(family.get("open") or []):
            gap = pytest.mark.xfail(reason="a known limit of the checks", strict=False)
            yield pytest.param(family, answer, tuple(types), id=f"{family['id']}-open-{number}", marks=gap)


def _judge(family: dict[str, Any], answer: str) -> Verdict:
    chunks = []
    for number, chunk in enumerate(family["chunks"]):
        metadata = chunk.get("metadata") or {"document_id": f"d{number}"}
        plain = {key: value if isinstance(value, int) else str(value) for key, value in metadata.items()}
        chunks.append({"chunk_id": f"c{number}", "text": chunk["text"], "metadata": plain})
    as_of = str(family["as_of"]) if family.get("as_of") else None
    row = validation_row({"question": family["question"], "as_of": as_of, "answer": answer, "chunks": chunks})
    return validate_answer(row.question, None, row.answer, row.chunks, row.as_of, TODAY, default_config())


@pytest.mark.parametrize(("family", "answer", "types"), list(_parameters()))
def test_case(family: dict[str, Any], answer: str, types: tuple[str, ...], request: pytest.FixtureRequest) -> None:
    if answer in KNOWN_GAPS:
        request.applymarker(pytest.mark.xfail(reason="a known limit of the checks", strict=False))
    verdict = _judge(family, answer)
    found = {issue.type.value for issue in verdict.issues if issue.severity is Severity.BLOCK}
    if types:
        assert not verdict.valid
        assert found & set(types)
    else:
        assert verdict.valid, [issue.message for issue in verdict.issues]
