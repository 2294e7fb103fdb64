"""Patterns that look for needed strings first find what plain regular expressions find."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

import services.validation.domain
from services.validation.adapters.config import default_config
from services.validation.domain.reading.patterns import Pattern, strings_to_look_for


@pytest.mark.parametrize(
    ("source", "flags", "needs"),
    [
        (r"\b(?:no|not) later than (?P<d>\d+) (?:May|June)\b", re.I, {"no later than ", "not later than "}),
        (r"in(?:creased|flated)\b", 0, {"increased", "inflated"}),
        (r"\bQ(?P<q>[1-4])x", re.I, {"q1x", "q2x", "q3x", "q4x"}),
        (r"\d+\s*(?:[日号]|月)", 0, {"日", "号", "月"}),
        (r"days? after", 0, {"day after", "days after"}),
        (r"(?=.*until)\w+", 0, {"until"}),
        (r"(?:maximum|max)\b", 0, {"max"}),
    ],
)
def test_strings_to_look_for_of_an_expression(source: str, flags: int, needs: set[str]) -> None:
    assert strings_to_look_for(source, flags) == needs


@pytest.mark.parametrize(
    "source", [r"\w+", r"(?:until)?\s*\d", r"(?:until|\d+)", r"[^a]x*", r"e", r"(?i:until)", r"a|"]
)
def test_expressions_that_match_without_any_string(source: str) -> None:
    assert strings_to_look_for(source) == frozenset()


def _all_patterns() -> Iterator[Pattern]:
    """Of the modules of the domain, and of the configuration."""
    config = default_config()
    owners = [config.lexicon, config.quantity_words, *config.lexicon.modality]
    for owner in owners:
        yield from (value for name in owner.__slots__ if isinstance(value := getattr(owner, name), Pattern))
    package = services.validation.domain
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        for value in vars(importlib.import_module(module.name)).values():
            yield from (p for p in (value if isinstance(value, list | tuple) else [value]) if isinstance(p, Pattern))


_PATTERNS = [p for p in _all_patterns() if p.needs]
_PIECES = sorted({need for p in _PATTERNS for need in p.needs})


def test_most_patterns_know_what_they_need() -> None:
    assert len(_PATTERNS) > 100


@given(data=st.data(), pattern=st.sampled_from(_PATTERNS))
def test_finds_what_the_plain_expression_finds(data: st.DataObject, pattern: Pattern) -> None:
    own = st.sampled_from(sorted(pattern.needs))
    piece = st.one_of(
        own, own.map(str.upper), st.sampled_from(_PIECES), st.sampled_from([" ", "5", "2024", "年", ", "])
    )
    text = "".join(data.draw(st.lists(st.one_of(piece, st.text(alphabet="iıİſsKk 1月", max_size=2)), max_size=8)))
    plain = pattern.compiled
    assert [m.span() for m in pattern.finditer(text)] == [m.span() for m in plain.finditer(text)]
    assert pattern.findall(text) == plain.findall(text)
    found, expected = pattern.search(text, 1), plain.search(text, 1)
    assert (found and found.span()) == (expected and expected.span())


@pytest.mark.parametrize("text", ["fİve", "fıve", "FIVE", "five"])
def test_letters_that_only_case_blind_search_takes_for_others(text: str) -> None:
    assert bool(Pattern("five", re.I).search(text)) == bool(re.search("five", text, re.I))
