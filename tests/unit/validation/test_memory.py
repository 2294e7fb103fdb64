"""What an analyser remembers of texts never changes a verdict: the same row means something else in another table."""

from __future__ import annotations

from datetime import date

import pytest

from services.common.domain.document import Chunk, DocumentMetadata
from services.common.domain.verdict import Verdict
from services.validation.adapters.config import default_config
from services.validation.domain.analysis import Analyser
from services.validation.domain.case import Case
from services.validation.domain.judge import judge

TODAY = date(2026, 11, 30)
ROW = "| Kiosk A | 12 |"
TABLES = {unit: f"| Kiosk | Weight ({unit}) |\n|---|---|\n{ROW}\n| Kiosk B | 15 |" for unit in ("kg", "t")}
ANSWERS = {unit: f"Kiosk A has a weight of 12 {unit} [1]." for unit in TABLES}


def verdict(analyser: Analyser, table: str, answer: str) -> Verdict:
    chunk = Chunk(f"kiosks-{table}", DocumentMetadata("kiosks"), TABLES[table])
    question = "What is the weight of kiosk A?"
    return judge(question, None, ANSWERS[answer], (chunk,), None, TODAY, analyser.config, analyser)


@pytest.mark.parametrize("first", TABLES)
@pytest.mark.parametrize("answer", ANSWERS)
def test_a_row_is_read_in_the_table_of_the_request(first: str, answer: str) -> None:
    shared = Analyser(default_config())
    order = sorted(TABLES, key=lambda table: table != first)
    for table in (*order, *order):
        found = verdict(shared, table, answer)
        assert found == verdict(Analyser(default_config()), table, answer)
        assert found.valid is (table == answer)


def test_the_clauses_of_a_row_are_those_of_its_own_reading() -> None:
    shared = Analyser(default_config())
    dimensioned = []
    for table in TABLES:
        chunk = Chunk(table, DocumentMetadata("kiosks"), TABLES[table])
        case = Case("", None, "", (chunk,), None, TODAY, shared.config, shared)
        row = next(u.analysis for u in case.passages[0].units if u.analysis.text == ROW)
        (clause, *_) = case.clauses(row)
        assert clause.analysis is row
        dimensioned.append(row.quantities[-1].unit)
    assert dimensioned[0] != dimensioned[1]


def test_the_quantities_of_a_short_text_are_the_callers_own() -> None:
    analyser = Analyser(default_config())
    found = analyser.quantities("12 kg")
    assert [q.low for q in found]
    found.clear()
    assert [q.surface for q in analyser.quantities("12 kg")] == ["12 kg"]
