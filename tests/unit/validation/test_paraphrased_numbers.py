"""The number check alone on answers in words of their own: derived values pass, a wrong value does not."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
import yaml

from services.common.domain.document import Chunk, DocumentMetadata
from services.common.domain.verdict import Severity
from services.validation.adapters.config import default_config
from services.validation.validator import validate_answer

TODAY = date(2026, 11, 30)


def _cases() -> Iterator[object]:
    text = Path(__file__).with_name("paraphrased_numbers.yaml").read_text(encoding="utf-8")
    groups = yaml.load(text, Loader=yaml.CSafeLoader)
    for i, group in enumerate(groups):
        for kind in ("valid", "invalid"):
            for j, answer in enumerate(group[kind]):
                yield pytest.param(group["chunks"], group["question"], answer, kind == "valid", id=f"{i}-{kind}-{j}")


@pytest.mark.parametrize(("texts", "question", "answer", "valid"), list(_cases()))
def test_number(texts: list[str], question: str, answer: str, valid: bool) -> None:
    chunks = [Chunk(f"c{i}", DocumentMetadata(f"d{i}", title=f"Doc {i}"), text) for i, text in enumerate(texts)]
    verdict = validate_answer(question, None, answer, chunks, None, TODAY, default_config())
    found = [i.message for i in verdict.issues if i.check_id == "quantities" and i.severity is Severity.BLOCK]
    assert bool(found) is not valid, found
