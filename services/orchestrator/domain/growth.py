"""Growth between two periods, computed from two quoted figures when no document states it."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from services.common.domain.question import ParsedQuestion
from services.common.domain.time import DayInterval, TimeRelation
from services.orchestrator.domain.passages import QUARTERS, Candidate

CUE = re.compile(
    r"\b(?:grow|grew|grown|growth|increas\w*|decreas\w*|declin\w*|chang\w*|rise|rose|risen|fall|fell|drop\w*)\b"
    r"|增长|增加|减少|下降|上升|变化|环比|同比|涨|跌",
    re.IGNORECASE,
)
PERIOD = re.compile(
    r"(?P<y1>(?:19|20)\d{2})\s*年?\s*(?:的)?\s*(?:Q(?P<q1>[1-4])|第?(?P<z1>[一二三四])季度)"
    r"|(?:Q(?P<q2>[1-4])|(?P<w2>first|second|third|fourth)[- ]quarter(?: of)?)(?:\s+(?P<y2>(?:19|20)\d{2}))?"
    r"|第?(?P<z3>[一二三四])季度"
    r"|(?P<y4>(?<!\d)(?:19|20)\d{2}(?!\d))",
    re.IGNORECASE,
)
NUMBER = r"(?<![\w.])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
FIGURE = re.compile(
    rf"(?P<before>(?:EUR|USD|GBP|CNY|RMB|[€$£¥])\s?)?{NUMBER}\s*(?P<after>[A-Za-z%]+|[\u4e00-\u9fff]{{1,3}})?"
)


@dataclass(frozen=True, slots=True)
class GrowthTexts:
    """Templates of the answer's language: {percent}, {earlier}, {later}; {year}, {quarter}, {numeral}."""

    up: str
    down: str
    quarter: str
    year: str


@dataclass(frozen=True, slots=True)
class Period:
    """A year, or a quarter of it (0: the whole year)."""

    year: int
    quarter: int = 0

    @property
    def interval(self) -> DayInterval:
        """Its days."""
        if not self.quarter:
            return DayInterval(date(self.year, 1, 1), date(self.year, 12, 31))
        last = self.quarter * 3
        return DayInterval(date(self.year, last - 2, 1), date(self.year, last, calendar.monthrange(self.year, last)[1]))

    def told(self, texts: GrowthTexts) -> str:
        """In the words of the answer's language."""
        template = texts.quarter if self.quarter else texts.year
        return template.format(year=self.year, quarter=self.quarter, numeral="〇一二三四"[self.quarter])

    @property
    def text(self) -> str:
        """``Q3 2024`` or ``2024``."""
        return f"Q{self.quarter} {self.year}" if self.quarter else str(self.year)


@dataclass(frozen=True, slots=True)
class Growth:
    """Two figures of one measure and unit, and their growth in percent, earlier to later."""

    earlier: Candidate
    later: Candidate
    earlier_period: Period
    later_period: Period
    percent: float

    def told(self, texts: GrowthTexts) -> str:
        """In words; the direction is in the words, not in a sign."""
        template = texts.up if self.percent >= 0 else texts.down
        return template.format(
            percent=f"{abs(self.percent):.1f}%",
            earlier=self.earlier_period.told(texts),
            later=self.later_period.told(texts),
        )


def asked_periods(parsed: ParsedQuestion) -> tuple[Period, Period] | None:
    """The two periods between which growth is asked, earlier first; None if the question asks for something else."""
    if not parsed.asks_number or not CUE.search(parsed.question):
        return None
    found: list[tuple[int, int]] = []
    for match in PERIOD.finditer(parsed.question):
        year = match["y1"] or match["y2"] or match["y4"]
        quarter = match["q1"] or match["z1"] or match["q2"] or match["w2"] or match["z3"] or "0"
        found.append((int(year or 0), int(QUARTERS.get(quarter.lower(), quarter))))
    if len(found) != 2 or bool(found[0][1]) != bool(found[1][1]):
        return None
    # "Q3 to Q4 2024": a period without a year has that of the other.
    years = [y or found[1 - i][0] for i, (y, _) in enumerate(found)]
    if not all(years):
        return None
    first, second = (Period(y, q) for y, (_, q) in zip(years, found, strict=True))
    ordered = sorted((first, second), key=lambda p: (p.year, p.quarter))
    return (ordered[0], ordered[1]) if first != second else None


def narrowed(parsed: ParsedQuestion, period: Period) -> ParsedQuestion:
    """The question about one period alone."""
    if parsed.time is None:
        return parsed
    time = replace(parsed.time, relation=TimeRelation.IN, interval=period.interval, text=period.text)
    return replace(parsed, time=time)


def grown(
    periods: tuple[Period, Period], ranked: Callable[[Period], Sequence[Candidate]], least: float
) -> Growth | None:
    """Growth from the best pair of sentences that give one figure each in the same unit."""
    earlier, later = (next(iter(ranked(p)), None) for p in periods)
    if earlier is None or later is None or min(earlier.score, later.score) < least:
        return None
    before, after = _figures(earlier.sentence.text), _figures(later.sentence.text)
    for unit, value in before.items():
        if unit in after and value:
            percent = (after[unit] - value) / value * 100
            return Growth(earlier, later, *periods, round(percent, 1))
    return None


def _figures(text: str) -> dict[str, float]:
    """First figure for each unit; bare numbers, years and quarters measure nothing."""
    found: dict[str, float] = {}
    for match in FIGURE.finditer(PERIOD.sub(" ", text)):
        unit = f"{(match['before'] or '').strip()} {match['after'] or ''}".strip().lower()
        if unit and "%" not in unit:
            found.setdefault(unit, float(match[2].replace(",", "")))
    return found
