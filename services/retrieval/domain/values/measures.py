"""Values with units: what a question asks to be told in, and whether a passage holds such a value, in both languages.

"How long", 多少公里 and "what percentage" ask for a value of a measure; a passage that holds none can hardly answer.
"How many points" asks for a number of points. Only the presence is read here, not whether it is the right value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from services.retrieval.domain.ranking.asked_words import HAN_HOW_MANY, HOW_MANY, NOUNS, QUESTION_WORDS
from services.retrieval.domain.values.number_words import HAN_NUMBER, WORD_NUMBERS
from services.retrieval.domain.values.time_spans import OFTEN

ANY = "*"
"""Among the measures asked for: a value of any of them, but no plain count."""
INTERVAL = "interval"
"""The measure of how often: every week."""
RATIO, CALENDAR, OCCASION = "ratio", "calendar", "occasion"
_COUNTS = frozenset({"count", "grade"})
_NO_MEASURES = _COUNTS | {OCCASION, INTERVAL}
# What these words measure behind "how many": points are scored, and times are occasions, not a multiple.
_ASKED = {"points": "", "point": "", "times": OCCASION}

_NUMBER = re.compile(rf"\d[\d,.]*|{HAN_NUMBER}")
# A percentage in Chinese, and a ratio: 20:1, 20 to 1, 20比1.
_RATIO_TOLD = re.compile(r"百分之\s*[\d零〇一二两三四五六七八九十]|\d\s?(?:[:：比]|to\b)\s?1(?![\d:.,])")
_AGED = re.compile(r"\bage[ds]?(?:\sof)?$")
_SCALES = frozenset({"hundred", "thousand", "million", "billion", "trillion", "mn", "bn"})
_HAN_SCALE = re.compile(r"\s*[多余几]?(?:万亿|千万|百万|十万|[万亿千百])?[多余]?\s*")
_LATIN_UNIT = re.compile(r"[\s-]{0,2}([A-Za-z°℃℉%％‰Ωμ\"×][A-Za-z²³/·]*)(?:[\s-]([A-Za-z]+))?")
# "One" is a pronoun as often as a number.
_NUMBER_WORDS = WORD_NUMBERS - {"one"} | _SCALES
# Words that stand between a number and what it counts; the segmenter leaves some of them joined to it, as in 两所.
_COUNTED_IN = "个所支名位件次份层家种条人座台辆只张本"
_HAN_NUMERALS = frozenset(f"{ord(char):x}" for char in "零〇一二两三四五六七八九十百千万亿")
_HAN_MEASURES = frozenset(f"{ord(char):x}" for char in _COUNTED_IN)
# Numbers read from one passage: a table has hundreds.
_MOST = 200
# Characters behind a question word that may name a unit, and tokens between a number and what it counts.
_UNIT_WITHIN = 40
_COUNT_WITHIN = 4


@dataclass(frozen=True, slots=True)
class Units:
    """What units measure; money is one measure, whatever the currency.

    ``latin`` by name in lower case, ``symbols`` as written, ``han`` by Chinese name, ``longest_han`` the length of the
    longest of these, ``prefixes`` that stand before the number.
    """

    latin: Mapping[str, str] = field(default_factory=dict)
    symbols: Mapping[str, str] = field(default_factory=dict)
    han: Mapping[str, str] = field(default_factory=dict)
    prefixes: Mapping[str, str] = field(default_factory=dict)
    longest_han: int = 0

    def han_at(self, text: str, position: int) -> str:
        """What the longest Chinese unit that begins at ``position`` measures; empty if none does."""
        for end in range(min(len(text), position + self.longest_han), position, -1):
            if found := self.han.get(text[position:end]):
                return found
        return ""

    def latin_of(self, word: str, following: str) -> str:
        """What a Latin unit of one or two words measures; empty for another word."""
        two = self.latin.get(f"{word} {following}".lower(), "") if following else ""
        return two or self.symbols.get(word) or self.latin.get(word.lower(), "")


@dataclass(frozen=True, slots=True)
class AskedMeasure:
    """What a question asks to be told: values of any of ``measures``, or a number of the things whose name begins at an
    offset in ``counted``. Nothing is asked if both are empty."""

    measures: frozenset[str] = frozenset()
    counted: tuple[int, ...] = ()


def asked_measure(question: str, units: Units) -> AskedMeasure:
    """The measures that a question asks for."""
    low = question.lower()
    measures: set[str] = set()
    counted: list[int] = []
    for match in HOW_MANY.finditer(low):
        first, second = (*low[match.end() : match.end() + _UNIT_WITHIN].split(), "", "")[:2]
        measures.add(_ASKED[first] if first in _ASKED else units.latin_of(first, second))
        counted.append(match.end())
    for match in HAN_HOW_MANY.finditer(low):
        found = units.han_at(low, match.end()) or units.han_at(low, match.end() + 1)
        measures.add("" if found in _COUNTS else found)
        counted.append(match.end())
    measures.discard("")
    for pattern, asked in QUESTION_WORDS:
        if not measures and pattern.search(low):
            measures |= asked
    for english, chinese, asked in NOUNS:
        if english.search(low) or chinese.search(low):
            measures |= asked
    return AskedMeasure(frozenset(measures), tuple(counted))


def holds(text: str, wanted: frozenset[str], units: Units) -> bool:
    """True if ``text`` holds a value of any of the measures."""
    if INTERVAL in wanted and OFTEN.search(text):
        return True
    return any(found in wanted or (ANY in wanted and found not in _NO_MEASURES) for found in values(text, units))


def values(text: str, units: Units) -> Iterator[str]:
    """What the values in ``text`` measure, in no order."""
    if _RATIO_TOLD.search(text):
        yield RATIO
    for count, match in enumerate(_NUMBER.finditer(text)):
        if count == _MOST:
            break
        if found := _measured(text, match.start(), match.end(), units):
            yield found
    words = text.split()
    for index, word in enumerate(words):
        if word.lower() in _NUMBER_WORDS:
            first, second = ((*words[index + 1 : index + 3], "", "")[n].strip(".,;:()") for n in (0, 1))
            if found := units.latin_of(first, second):
                yield found


def _measured(text: str, start: int, end: int, units: Units) -> str:
    """What the number at these offsets measures; empty for a mere number."""
    before = text[max(0, start - 8) : start].rstrip()
    if before.endswith("第") or _is_of_a_date(text, start, end, before):
        return ""
    if _AGED.search(before):
        return CALENDAR
    for name, found in units.prefixes.items():
        if before.endswith(name):
            return found
    position = end - 1 if text[end - 1] in ".," else end
    scale = _HAN_SCALE.match(text, position)
    if found := units.han_at(text, scale.end() if scale else position):
        return found
    latin = _LATIN_UNIT.match(text, position)
    if latin and latin[1].lower() in _SCALES:
        latin = _LATIN_UNIT.match(text, latin.end(1))
    return units.latin_of(latin[1], latin[2] or "") if latin else ""


def _is_of_a_date(text: str, start: int, end: int, before: str) -> bool:
    """True for the numbers of 1915 年 and 3 月 5 日: a month is counted in 个月, and a year has four figures."""
    unit = text[end : end + 2].lstrip()[:1]
    if unit == "年":
        return end - start == 4 and text[start] in "12一二"
    return unit == "月" or (unit == "日" and before.endswith("月"))


def counts(tokens: Sequence[str], things: frozenset[str]) -> bool:
    """True if one of ``things`` stands behind a number in ``tokens``, with at most three tokens between."""
    return any(
        token in things and any(is_number(one) for one in tokens[max(0, index - _COUNT_WITHIN) : index])
        for index, token in enumerate(tokens)
    )


@lru_cache(maxsize=65_536)
def is_number(token: str) -> bool:
    """True for a token of keyword search that is a number: figures, a number word, or Chinese numerals."""
    if token.isdigit() or token in _NUMBER_WORDS:
        return True
    points = token.removeprefix("u").split("x")
    if len(points) > 1 and points[-1] in _HAN_MEASURES:
        points.pop()
    return token.startswith("u") and all(point in _HAN_NUMERALS for point in points)
