"""What every match holds, told from the parse tree alone."""

from __future__ import annotations

import re
from re import _parser as parser  # type: ignore[attr-defined]

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.common.domain.regex_needs import Looking, needed_strings, share


def _form(character: str, flags: int) -> str | None:
    return None if flags & re.IGNORECASE and character.isalpha() else character


def needs(source: str, joined: int = 24, flags: int = 0) -> set[frozenset[str]]:
    return set(needed_strings(parser.parse(source, flags), flags, Looking(_form, joined)))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("not? later", [{"no later", "not later"}]),
        (r"in [Q][1-3]\b", [{"in Q1", "in Q2", "in Q3"}]),
        (r"from .* until", [{"from "}, {" until"}]),
        ("(?:a|b)c+", [{"a", "b"}, {"c"}]),
        ("(?=x)y(?!z)w", [{"x"}, {"yw"}]),
        ("(?:one|two .*three)", [{"one", "three"}]),
        ("(?>ab)c", [{"abc"}]),
        ("(?:ab)*c", [{"c"}]),
        (r"(?:ab)?\w", []),
        ("a|", []),
    ],
)
def test_strings_of_an_expression(source: str, expected: list[set[str]]) -> None:
    assert needs(source) == {frozenset(strings) for strings in expected}


def test_what_is_not_joined_is_needed_by_itself() -> None:
    assert needs("how (?:many|much) of", joined=1) == {
        frozenset({"how m"}), frozenset({"any", "uch"}), frozenset({" of"}),
    }  # fmt: skip


def test_a_letter_whose_case_does_not_count_is_not_known() -> None:
    assert needs("5(?i:a)6") == {frozenset({"5"}), frozenset({"6"})}
    assert needs("(?-i:a)6", flags=re.IGNORECASE) == {frozenset({"a6"})}


def test_digits_are_ten_only_in_ascii() -> None:
    assert needs(r"\d", flags=re.ASCII) == {frozenset("0123456789")}
    assert needs(r"\d") == needs(r"(?u:\d)", flags=re.ASCII) == set()


def test_rare_strings_have_a_small_share() -> None:
    assert share(["quiz"]) < share(["the"]) < share(["the", "of"]) < share(["e"])


_PIECES = st.sampled_from(
    ["a", "B", "[ab]", "(?:a|bc)", "(?:|b)", "c?", "(?:ab)+", "(?:ab){0,2}", r"\d", ".", r"\b", "(?=a)", "(?<=b)",
     "(?!c)", "(?i:A)", "(?>a|b)", "中", "x{2}", "(a)\\1"]
)  # fmt: skip


@given(st.lists(_PIECES, min_size=1, max_size=6), st.text("aAbBcx1中 ", max_size=12), st.sampled_from([1, 4, 24]))
@settings(max_examples=500, deadline=None)
def test_every_match_holds_what_is_needed(pieces: list[str], text: str, joined: int) -> None:
    source = "".join(pieces).replace("(a)\\1", "(a)\\1" if pieces.count("(a)\\1") == 1 else "aa")
    if re.search(source, text):
        assert all(any(string in text for string in strings) for strings in needs(source, joined))
