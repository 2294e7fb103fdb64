from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.perception.domain.pattern_safety import parsed
from services.perception.domain.pipeline import Interpreter
from services.perception.domain.prefilter import CAPITAL, Needs, grams, met, needs_of

FLAGS = re.ASCII | re.IGNORECASE


def needs(pattern: str, flags: int = FLAGS) -> Needs:
    return needs_of(parsed(pattern, flags), flags)


def test_nothing_that_a_rule_matches_is_left_out(interpreter: Interpreter) -> None:
    """Every pattern, on the texts of every example: where it matches, its needs are met."""
    texts = [example.text for _, example in interpreter.rules.examples()]
    prepared = [interpreter.prepare(text)[0].text.text for text in texts[::3]]
    having = [(text, grams(text)) for text in (*prepared, *texts[::7])]
    looked_at = spared = 0
    for rule in interpreter.rules.rules:
        for pattern, wanted in zip(rule.patterns, rule.needs, strict=True):
            for text, found in having[looked_at % 11 :: 11]:
                if met(wanted, found):
                    continue
                spared += 1
                assert pattern.search(text) is None, (rule.id, text)
            looked_at += 1
    assert spared > 20 * looked_at


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"\bHow (?:many|much)\b", "HOW MUCH is it"),
        (r"colou?r", "color"),
        (r"(?:a|b|)c", "c"),
        (r"(?-i:WHO)|世卫", "WHO says"),
        (r"(?P<n>\d+) ?(?:%|percent)", "5%"),
        (r"(?<=rev\. )[a-z]", "Rev. b"),
        (r"(?:ab){2,3}", "ABAB"),
        (r"[\u4e00-\u9fff]{2}", "中文"),
        (r"(x)\1", "xx"),
        (r"x(?!y)|(?>no)", "no"),
        (r"[^a]", "b"),
        (r"第[一二三四]条", "第三条"),
    ],
)
def test_a_text_that_matches_meets_the_needs(pattern: str, text: str) -> None:
    assert re.search(pattern, text, FLAGS)
    assert met(needs(pattern), grams(text))


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"\bhow (?:many|much)\b", "when is it"),
        (r"(?:revenue|cost)s? .{0,40}\d{4}", "costs of the year"),
        (r"\d{4}年", "去年"),
        (r"(?-i:[A-Z]{2,})", "no capital"),
    ],
)
def test_a_text_without_the_words_is_spared(pattern: str, text: str) -> None:
    assert not met(needs(pattern), grams(text))


def test_capitals_are_marked() -> None:
    assert CAPITAL in grams("a B")
    assert CAPITAL not in grams("a b")


def test_case_folding_beyond_ascii_promises_nothing() -> None:
    assert needs("s", re.IGNORECASE) == ()  # ſ is an s there
    assert needs("(?i:s)", 0) == needs("(?i)s", 0) == ()


@pytest.mark.parametrize("pattern", ["(?i)ABc", "(?i)[A-C]bc", "(?i:AB)c"])
def test_a_pattern_that_tells_itself_to_ignore_case_needs_no_capital(pattern: str) -> None:
    assert re.search(pattern, "abc", re.ASCII)
    assert met(needs(pattern, re.ASCII), grams("abc"))


PIECES = st.sampled_from(
    ["a", "B", "[ab]", "(?:a|bc)", "c?", "(?:ab)+", r"\d", ".", r"\b", "(?=a)", "(?-i:A)", "中", "x{2}"]
)


@given(st.lists(PIECES, min_size=1, max_size=6).map("".join), st.text("aAbBcx1中 ", max_size=12))
@settings(max_examples=300, deadline=None)
def test_needs_are_necessary(pattern: str, text: str) -> None:
    if re.search(pattern, text, FLAGS):
        assert met(needs(pattern), grams(text))
