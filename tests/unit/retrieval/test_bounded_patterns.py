"""No pattern goes over a long run of characters again from each of them, and no sentence is read without end."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from services.retrieval.domain.conflict import statements as statements_module
from services.retrieval.domain.values.stated_values import Reading, read_values
from tests.unit.retrieval.conflict_pairs import read

_parser: Any = getattr(re, "_parser")  # noqa: B009 the standard library's own reader of patterns
_ENDLESS = _parser.MAXREPEAT
_LONG = 2_000
_MODULES = (
    "domain.values.value_patterns",
    "domain.conflict.statements",
    "domain.conflict.subjects",
    "domain.passages.plain",
    "domain.conflict.sayings",
    "domain.passages.structure",
    "domain.values.number_words",
    "domain.values.whole_spans",
    "domain.values.time_spans",
    "adapters.parsers.html_markdown",
    "adapters.parsers.pdf_layout",
    "adapters.parsers.cell_values",
)
# Searched from a bounded distance before the end, or matched from the beginning only.
_HELD = {"_HYPHEN_END", "_LIST_ITEM", "_TABLE_ROW", "_ANCHORS"}


def _patterns(value: object) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _patterns(part)


def _named() -> list[tuple[str, re.Pattern[str]]]:
    found = []
    for module in _MODULES:
        values = vars(importlib.import_module(f"services.retrieval.{module}"))
        found += [(f"{module}.{name}", p) for name, v in values.items() if name not in _HELD for p in _patterns(v)]
    return found


def _ways(items: Sequence[Any]) -> Iterator[list[Any]]:
    """The sequences of items of a pattern, one for each way through what it begins with."""
    for at, (op, argument) in enumerate(items):
        name, rest = str(op), list(items[at + 1 :])
        if name == "BRANCH":
            for branch in argument[1]:
                yield from _ways([*branch, *rest])
            return
        if name == "SUBPATTERN":
            yield from _ways([*argument[3], *rest])
            return
        if name == "MAX_REPEAT" and argument[0] == 0 and argument[1] == 1:
            yield from _ways(rest)
            yield from _ways([*argument[2], *rest])
            return
        yield list(items[at:])
        return


def _needs_more(items: Sequence[Any]) -> bool:
    return any(not (str(op) in ("MAX_REPEAT", "MIN_REPEAT") and argument[0] == 0) for op, argument in items)


def _is_endless(item: Any) -> bool:
    return str(item[0]) in ("MAX_REPEAT", "MIN_REPEAT") and item[1][1] == _ENDLESS


def _goes_on_over(first: Any, run: Any) -> bool:
    """True if a run of anything but a few characters goes on over the character that a match begins with."""
    op, argument = run[1][2][0]
    if str(op) != "IN" or str(argument[0][0]) != "NEGATE":
        return str(op) == "ANY"
    begin = {a for o, a in (first[1] if str(first[0]) == "IN" else [first]) if str(o) == "LITERAL"}
    return bool(begin - {a for o, a in argument if str(o) == "LITERAL"})


def _begins_endlessly(pattern: re.Pattern[str]) -> bool:
    """True if a match may begin anywhere in a run of characters, and then needs something behind the run."""
    for way in _ways(_parser.parse(pattern.pattern, pattern.flags)):
        if way and _is_endless(way[0]) and _needs_more(way[1:]):
            return True
        run = next(iter(_ways(way[1:]))) if way and str(way[0][0]) in ("LITERAL", "IN") and len(way) > 1 else []
        if run and _is_endless(run[0]) and _needs_more(run[1:]) and _goes_on_over(way[0], run[0]):
            return True
    return False


def _looks_ahead_endlessly(items: Any) -> bool:
    """True if what a match begins with is a look over any number of characters."""
    for op, argument in items:
        name = str(op)
        if name in ("ASSERT", "ASSERT_NOT") and argument[0] == 1 and _endless(argument[1]):
            return True
        if not name.startswith("ASSERT"):
            return False
    return False


def _endless(items: Any) -> bool:
    repeats = [argument for op, argument in items if str(op) in ("MAX_REPEAT", "MIN_REPEAT")]
    return any(most >= _LONG or _endless(inner) for _, most, inner in repeats)


@pytest.mark.parametrize(("name", "pattern"), _named(), ids=lambda value: value if isinstance(value, str) else "")
def test_no_pattern_tries_a_run_again_from_each_of_its_characters(name: str, pattern: re.Pattern[str]) -> None:
    assert not _begins_endlessly(pattern), name
    assert not any(_looks_ahead_endlessly(way) for way in _ways(_parser.parse(pattern.pattern, pattern.flags))), name


@pytest.mark.parametrize("unit", ["-", "a-", " ", "1", "1.", "A", "中", "(", "[1", "一、", "<br>"])
def test_no_more_of_a_sentence_is_read_than_a_sentence_has(monkeypatch: pytest.MonkeyPatch, unit: str) -> None:
    lengths = []

    def measured(text: str) -> Reading:
        lengths.append(len(text))
        return read_values(text)

    monkeypatch.setattr(statements_module, "read_values", measured)
    read(f"The limit is 5 days {unit * 8_000}")
    assert max(lengths, default=0) <= 4_000


def test_a_number_that_is_cut_off_is_not_read() -> None:
    [statement] = read(f"The limit of the storage is {'very ' * 794}12345678 boxes and no more than that.") or [None]
    assert statement is None or all(value.amount == 12345678 for value in statement.stated)


def test_codes_behind_hyphens_and_long_links_are_still_read() -> None:
    assert read_values("-a1, x-y-b2, 3D-A320 and A-1-B").keys == {"A1", "X-Y-B2", "A320", "A-1-B"}
