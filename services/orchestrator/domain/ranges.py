"""Does a number of the question fall into a range that a sentence speaks of? Brackets by age, amount or distance."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

NUMBER = r"(\d{1,3}(?:[,，]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
UNIT = r"\s*([A-Za-z%]+|[\u4e00-\u9fff])?"
# Not the digits of a code: the band L4, the A320 and the PX-200 are no amounts.
QUANTITY = re.compile(r"(?<![A-Za-z\d.,])(?<![A-Za-z]-)" + NUMBER + UNIT)
WORD = r"\s*([A-Za-z]*)\s*"
CHINESE_UNIT = r"([\u4e00-\u9fff]{0,2}?)"
# (pattern, groups of the lower and the upper bound, is the upper bound inside?)
RANGES = (
    (re.compile(rf"满?{NUMBER}{CHINESE_UNIT}(?:以上)?[、,，]?(?:不满|不足|未满){NUMBER}"), (1, 3), False),
    (re.compile(rf"{NUMBER}{CHINESE_UNIT}[至到—~～]{NUMBER}"), (1, 3), True),
    (re.compile(rf"{NUMBER}{WORD}(?:to|–|-|(?:and )?up to|but not more than)\s*{NUMBER}"), (1, 3), True),
    (
        re.compile(rf"{NUMBER}{WORD}(?:or more )?(?:but|and) (?:less than|under|fewer than|below)\s*{NUMBER}"),
        (1, 3),
        False,
    ),
)
FROM = re.compile(
    rf"(?:满|at least |从)\s*{NUMBER}|{NUMBER}(?:\s*[A-Za-z]+ or more|[\u4e00-\u9fff]{{0,2}}以上)", re.IGNORECASE
)
UP_TO = re.compile(rf"(?:less than|under|up to|fewer than|不满|不足|未满|不超过)\s*{NUMBER}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NumberRange:
    """From ``low`` to ``high``; ``closed`` if ``high`` belongs to it."""

    low: float
    high: float
    closed: bool

    def contains(self, value: float) -> bool:
        """True if the value lies inside."""
        return self.low <= value and (value <= self.high if self.closed else value < self.high)


def ranges_in(text: str) -> list[NumberRange]:
    """The ranges that a sentence names; an open end is infinite."""
    found: list[NumberRange] = []
    rest = text
    for pattern, (low, high), closed in RANGES:
        for match in pattern.finditer(rest):
            bounds = _number(match.group(low)), _number(match.group(high))
            if bounds[0] < bounds[1]:
                found.append(NumberRange(bounds[0], bounds[1], closed))
        rest = pattern.sub(" ", rest)
    found += [NumberRange(_number(m.group(1) or m.group(2)), math.inf, True) for m in FROM.finditer(rest)]
    found += [NumberRange(-math.inf, _number(m.group(1)), False) for m in UP_TO.finditer(FROM.sub(" ", rest))]
    return found


def fit(question: str, sentence: str) -> float:
    """1 if a number of the question lies in a range of the sentence, -1 if there are ranges and none fits, else 0."""
    values = [_number(m.group(1)) for m in QUANTITY.finditer(question)]
    named = ranges_in(sentence)
    if not values or not named:
        return 0.0
    return 1.0 if any(r.contains(v) for r in named for v in values) else -1.0


def _number(text: str) -> float:
    return float(text.replace(",", "").replace("，", ""))
