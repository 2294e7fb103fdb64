"""What holds for every text, not only for the ones somebody thought of."""

from __future__ import annotations

import string
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import date

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.common.domain.question import Mention, ParsedQuestion, TimeConstraint
from services.perception.domain.pipeline import Interpreter

PIECES = [
    "Compare the A320 and the B737", "What is the fee", "since March 2023", "from 2018 to 2020",
    "before", "after", "Q4 2024", "in the last 30 days", "two years ago", "error 809",
    "Article 9(2)(h)", "of the GDPR", "IBM Cloud", "and", "or", "?", ",", ". ",
    "according to the QRH", "how many", "which is faster", "today", "31 February 2023", "FY2024",
    "对比", "A320", "和", "的区别", "截至2024年3月", "去年底", "近三年", "2023年3月至5月", "多少",
    "吗？", "如何更换", "主轮",
    "根据《数据安全法》", "第十二条第二款", "上个月", "财政部", "，", "。", "報錯", "怎麼辦",
    "🙂", "\u200b", "\u202e", "é",
    "10²", "½", "שלום", "مرحبا", "Привет", "こんにちは", "\u0000", "((((", "\\", "%s", "'", "\"", "《",
    "》", "v4.0.3",
]  # fmt: skip
ANY_TEXT = st.text(alphabet=st.characters(codec="utf-8"), max_size=120)
MADE_TEXT = st.lists(st.sampled_from(PIECES), min_size=1, max_size=9).map(" ".join)
TEXTS = st.one_of(MADE_TEXT, ANY_TEXT)
DAYS = st.dates(min_value=date(1990, 1, 1), max_value=date(2100, 12, 31))
MANY = settings(
    max_examples=120, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
WIDE = {ord(digit): ord(digit) - ord("0") + ord("０") for digit in string.digits}


def mentions(parsed: ParsedQuestion) -> list[Mention]:
    found = [*parsed.entities, *parsed.codes, *parsed.attributes, *parsed.sides, *parsed.exclusions]
    return [*found, *([parsed.source] if parsed.source else [])]


def times(parsed: ParsedQuestion) -> list[TimeConstraint]:
    return [*parsed.time_mentions, *([parsed.time] if parsed.time else [])]


@MANY
@given(text=TEXTS, day=DAYS)
def test_spans_index_the_original_text(interpreter: Interpreter, text: str, day: date) -> None:
    parsed = interpreter.parse(text, day)
    for mention in mentions(parsed):
        assert 0 <= mention.span.start < mention.span.end <= len(text)
        assert text[mention.span.start : mention.span.end] == mention.text
    for time in times(parsed):
        assert text[time.span.start : time.span.end] == time.text
    for part in parsed.parts:
        assert 0 <= part.span.start <= part.span.end <= len(text)
    for stretch in parsed.language_spans:
        assert 0 <= stretch.span.start <= stretch.span.end <= len(text)


@MANY
@given(text=TEXTS, day=DAYS)
def test_time_intervals_are_ordered_and_fit_their_relation(interpreter: Interpreter, text: str, day: date) -> None:
    for time in times(interpreter.parse(text, day)):
        start, end = time.interval.start, time.interval.end
        assert start is None or end is None or start <= end
        shape = {
            "in": (True, True), "between": (True, True), "since": (True, False), "after": (True, False),
            "before": (False, True), "as_of": (False, True), "latest": (False, False),
        }[time.relation.value]  # fmt: skip
        assert (start is not None, end is not None) == shape


@MANY
@given(year=st.integers(1900, 2099), month=st.integers(1, 12), day=DAYS)
def test_a_named_month_is_read_as_exactly_that_month(
    interpreter: Interpreter, year: int, month: int, day: date
) -> None:
    for text in (f"{year}年{month}月的报告", f"the report of {date(year, month, 1):%B %Y}"):
        time = interpreter.parse(text, day).time
        assert time is not None
        assert time.interval.start == date(year, month, 1)
        assert time.interval.end is not None
        assert (time.interval.end.year, time.interval.end.month) == (year, month)


def without_places(parsed: ParsedQuestion) -> dict[str, object]:
    """Everything but the user's own spelling and where it stood."""

    def strip(value: object) -> object:
        if isinstance(value, dict):
            return {k: strip(v) for k, v in value.items() if k not in ("span", "text", "matched_text", "question")}
        if isinstance(value, list | tuple):
            return [strip(v) for v in value]
        return value

    result = strip(asdict(replace(parsed, language_spans=(), ambiguities=())))
    assert isinstance(result, dict)
    return result


@MANY
@given(text=MADE_TEXT, blanks=st.sampled_from(["  ", "   ", "\t", "\n ", "\u3000", "\u00a0 "]))
def test_repeated_blanks_change_nothing(interpreter: Interpreter, text: str, blanks: str) -> None:
    day = date(2025, 3, 14)
    once, again = (interpreter.parse(t, day) for t in (text, f"{blanks}{text.replace(' ', blanks)}{blanks}"))
    assert without_places(once) == without_places(again)


@MANY
@given(text=MADE_TEXT)
def test_full_width_digits_change_nothing(interpreter: Interpreter, text: str) -> None:
    day = date(2025, 3, 14)
    assert without_places(interpreter.parse(text, day)) == without_places(interpreter.parse(text.translate(WIDE), day))


@MANY
@given(text=TEXTS, day=DAYS)
def test_the_same_input_gives_the_same_parse(interpreter: Interpreter, text: str, day: date) -> None:
    assert interpreter.parse(text, day) == interpreter.parse(text, day)


def test_the_longest_hostile_texts_are_parsed(parse: Callable[..., ParsedQuestion]) -> None:
    """Texts made to make patterns backtrack; that this ends at all is the point."""
    hostile = [
        "a" * 4000,
        "a " * 2000,
        "which or " * 440,
        "和" * 4000,
        "A-" * 2000,
        "1.1." * 1000,
        "from 2018 to " * 300,
    ]
    hostile += [
        "(" * 4000,
        "《" * 4000,
        "what is the the " * 250,
        "多少，" * 1300,
        "2023年" * 800,
        "compare a and b, " * 230,
        'What does "' + "A" * 3000 + " say about the fee?",
        "What is the fee according to 'M" + "1" * 3000 + " manual?",
        "According to '" + "of " * 1300 + "manual, who pays?",
    ]
    for text in hostile:
        assert parse(text[:4000]).actions
