"""Numbers that no document means must not stop the verifier."""

from __future__ import annotations

from datetime import date

import pytest

from services.common.domain.document import Chunk, DocumentMetadata
from services.validation.adapters.config import default_config
from services.validation.domain.values import numerals
from services.validation.validator import check_sufficiency, validate_answer


@pytest.mark.parametrize("number", ["一" + "亿" * 45, "九" * 400, "9" * 400, "9" * 400 + "亿", "1e999"])
def test_a_number_beyond_all_measure_is_judged_like_any_text(number: str) -> None:
    chunk = Chunk("c", DocumentMetadata("d"), f"泵的检修间隔为{number}小时。泵的额定压力为12巴。")
    config = default_config()
    assert validate_answer("压力？", None, "泵的额定压力为12巴[1]。", (chunk,), None, date(2026, 1, 1), config).valid
    assert not validate_answer("间隔？", None, "间隔为8小时[1]。", (chunk,), None, date(2026, 1, 1), config).valid
    check_sufficiency("间隔是多少？", None, (chunk,), None, date(2026, 1, 1), config)


def test_a_row_of_magnitudes_is_no_number() -> None:
    assert numerals.parse_chinese("一" + "亿" * 45) is None
    assert numerals.parse_chinese("一亿亿") is not None
