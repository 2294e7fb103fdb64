"""Dates, periods, clock times and weekdays: stated in the cited evidence, on the right event, or a deadline
that follows."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from datetime import date

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.analysis import Analysis
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.reading.evidence import Unit, in_force_days
from services.validation.domain.times.deadlines import follows
from services.validation.domain.times.moments import (
    Moment,
    covers,
    same_time,
)
from services.validation.domain.times.period_ends import of_other_year
from services.validation.domain.times.relative_days import told_days
from services.validation.domain.times.relative_years import told_relatively
from services.validation.domain.times.told_times import DAYS, agree, metadata_moments
from services.validation.domain.times.weekdays import days_between, days_told, other_days, week_ranges
from services.validation.domain.values import binding
from services.validation.domain.wording.align import SYNONYM, match

_MARGIN = 0.45
_STARTS = re.compile(
    r"(?:from|since|after|starting|effective|as of|begin\w*|with effect from|not before|自|从|早于)\s*(?:on\s+)?$", re.I
)
_ENDS = re.compile(
    r"(?:until|till|through|by|before|no later than|not later than|expir\w*|ends?|ending|up to|至|到|截至|截止到?"
    r"|晚于)\s*(?:on\s+)?$",
    re.I,
)
_STARTS_AFTER = re.compile(r"^\s*(?:起|开始|以后|之后|后|施行|实施|生效)")
_ENDS_AFTER = re.compile(r"^\s*(?:前|之前|以前|止|为止|截止|到期|届满|失效)")


@register(
    "dates",
    Lock.TRACEABILITY,
    sees="days, months, quarters, years, weekdays and clock times in any notation; swapped day and month; a"
    " right date on "
    "another event; deadlines and ends of terms recomputed from a date and a duration",
    blind="relative dates that depend on the day of reading (next week), working-day arithmetic over holidays",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield DATE_MISMATCH."""
    for reading in case.reworded:
        units = case.units(reading.cited)
        known = [(unit, m) for unit in units for m in unit.analysis.moments]
        extra = [m for c in reading.cited for m in metadata_moments(case.passage(c))]
        extra += [m for unit in units for _, _, header in unit.headers for m in header.moments]
        for moment in reading.analysis.moments:
            finding = _judge(case, reading, moment, known, extra)
            if finding is not None:
                yield finding


def _judge(
    case: Case, reading: Reading, moment: Moment, known: Sequence[tuple[Unit, Moment]], extra: Sequence[Moment]
) -> Finding | None:
    right = [(u, m) for u, m in known if agree(moment, m) and not of_other_year(case, reading, moment, u, m)]
    if right:
        return _wrong_event(case, reading, moment, right, known) or _wrong_edge(reading, moment, right)
    if any(agree(moment, m) for m in extra) or follows(case, reading, moment):
        return None
    if told_relatively(case, reading, moment) or _end_of_period(case, reading, moment, known):
        return None
    if moment.kind == "weekday" and _among_days_told(case, reading, moment):
        return None
    if moment.kind == "day" and _told_by_another_day(case, reading, moment):
        return None
    rivals = [(u, m) for u, m in known if m.kind == moment.kind]
    if not rivals and any(covers(moment, m) or covers(m, moment) for m in case.question.analysis.moments):
        return None
    if moment.kind == "year" and _version_year(case, reading, moment):
        return None
    unit, rival = max(rivals, key=lambda pair: _affinity(case, reading, moment, *pair)) if rivals else (None, None)
    text = reading.analysis.text[moment.start : moment.end]
    expected = unit.analysis.text[rival.start : rival.end] if unit is not None and rival is not None else ""
    return Finding(
        IssueType.DATE_MISMATCH,
        reading.index,
        f"{text} is not in the cited evidence" + (f"; it says {expected}" if expected else ""),
        RemedyKind.REGENERATE,
        span=(moment.start, moment.end),
        citation=unit.citation if unit is not None else 0,
        evidence=(unit.start + rival.start, unit.start + rival.end) if unit is not None and rival is not None else None,
        found=text,
        expected=expected,
    )


def _told_by_another_day(case: Case, reading: Reading, moment: Moment) -> bool:
    """7 April, where the evidence has the next day after 6 April."""
    asked = [m for m in case.question.analysis.moments if m.kind == "day"]
    return any(
        (month, day) == (moment.sub, moment.day) and (not year or not moment.year or year == moment.year)
        for passage in map(case.passage, reading.cited)
        for year, month, day in told_days(passage, [*asked, *metadata_moments(passage)])
    )


def _end_of_period(case: Case, reading: Reading, moment: Moment, known: Sequence[tuple[Unit, Moment]]) -> bool:
    """An end of 4月到6月 where the evidence says second quarter, or the quarter whose months the evidence tells."""
    spans = _ranges(reading.analysis)
    mine = [span for first, last, span in spans if moment in (first, last)]
    if mine:
        return any(m.interval() in mine for _, m in known)
    if moment.kind not in ("quarter", "half", "year"):
        return False
    wanted = moment.interval()
    return any(span == wanted for unit in case.units(reading.cited) for _, _, span in _ranges(unit.analysis))


def _ranges(analysis: Analysis) -> list[tuple[Moment, Moment, tuple[date, date]]]:
    """Neighbouring months or days joined by "to", with the first and the last day of both together."""
    found: list[tuple[Moment, Moment, tuple[date, date]]] = []
    for first, last in itertools.pairwise(analysis.moments):
        a, b = first.interval(), last.interval()
        joined = first.kind in DAYS and last.kind in DAYS and _TO.fullmatch(analysis.text, first.end, last.start)
        if joined and a and b and a[0] < b[1]:
            found.append((first, last, (a[0], b[1])))
    return found


_TO = re.compile(r"\s*(?:to|until|till|through|-|~|–|至|到)\s*", re.I)


def _among_days_told(case: Case, reading: Reading, moment: Moment) -> bool:
    """A weekday out of "weekdays" or of a range; as an end of a range, the range is what the evidence tells."""
    analysis = reading.analysis
    mine = next((days_between(*r) for r in week_ranges(analysis.low, analysis.moments) if moment in r), None)
    for unit in case.units(reading.cited):
        for days in days_told(unit.analysis.low, unit.analysis.moments):
            if days == mine if mine is not None else moment.sub in days:
                return True
        if moment.sub in other_days(analysis, moment, unit.analysis, mine):
            return True
    return False


def _affinity(case: Case, reading: Reading, moment: Moment, unit: Unit, other: Moment) -> float:
    return binding.affinity(case.bind(reading.analysis, moment), case.bind(unit.analysis, other, unit))


def _wrong_event(
    case: Case,
    reading: Reading,
    moment: Moment,
    right: Sequence[tuple[Unit, Moment]],
    known: Sequence[tuple[Unit, Moment]],
) -> Finding | None:
    """The date is right for another event of the cited evidence."""
    kinds = DAYS if moment.kind in DAYS else (moment.kind,)
    wrong = [(u, m) for u, m in known if m.kind in kinds and not agree(moment, m) and not _beside(u, m, right)]
    if not wrong or moment.kind == "year" or any(covers(moment, m) for m in case.question.analysis.moments):
        return None
    if _since_in_force(case, reading, moment):
        return None
    told = _told_of_rival(case, reading, moment, right, wrong)
    if told is not None:
        return _belongs_elsewhere(reading, moment, *told)
    if _ends_range(reading, moment, known) or _runs_out(reading, moment, right):
        return None
    best = max(right, key=lambda pair: _affinity(case, reading, moment, *pair))
    rival = max(wrong, key=lambda pair: _affinity(case, reading, moment, *pair))
    if _affinity(case, reading, moment, *rival) <= _affinity(case, reading, moment, *best) + _MARGIN:
        return None
    across = rival[0].analysis.han != reading.analysis.han
    if across and any(agree(m, rival[1]) for m in reading.analysis.moments if m is not moment):
        return None  # the statement tells the rival as well, and few words meet between languages
    return _belongs_elsewhere(reading, moment, *rival)


def _runs_out(reading: Reading, moment: Moment, right: Sequence[tuple[Unit, Moment]]) -> bool:
    """ "Expires on 15 November" for "from 16 November 2023 until 15 November 2024": the end of what runs from a day."""
    text = reading.analysis.low
    around = text[max(0, moment.start - _AROUND) : moment.start] + "|" + text[moment.end : moment.end + _AROUND]
    if not _EXPIRES.search(around):
        return False
    return any(
        _RUNS.search(u.analysis.low, max(0, m.start - _AROUND * 2), m.start) is not None
        and (_ENDS.search(u.analysis.text[: m.start]) or _ENDS_AFTER.match(u.analysis.text[m.end :]))
        for u, m in right
    )


_AROUND = 20
_EXPIRES = re.compile(
    r"\b(?:expir\w*|ends?|ended|runs? (?:out|until|to)|lapses?|terminat\w+)\b|期满|到期|届满|截止|终止|满期|为止"
)
_RUNS = re.compile(r"\b(?:from|between|starting|begin\w*|since)\b|自|从|由")


def _beside(unit: Unit, other: Moment, right: Sequence[tuple[Unit, Moment]]) -> bool:
    """ "In July and August": what the unit says of the one month it says of the other."""
    return any(
        u is unit and _AND.fullmatch(unit.analysis.text, *sorted((m.start, m.end, other.start, other.end))[1:3])
        for u, m in right
    )


_AND = re.compile(r"\s*(?:,|and|or|as well as|和|及|与|或|、)\s*", re.I)


def _ends_range(reading: Reading, moment: Moment, known: Sequence[tuple[Unit, Moment]]) -> bool:
    """ "From 09:15 to 11:00" of what begins at the one time and ends at the other, which are two events."""
    text = reading.analysis.low
    for other in reading.analysis.moments:
        between = text[other.end : moment.start]
        if other.kind == moment.kind and _THROUGH.fullmatch(between) and any(agree(other, m) for _, m in known):
            return any(agree(other, m) and agree(moment, n) for u, m in known for v, n in known
                       if u.citation == v.citation and (u.index, m.start) < (v.index, n.start))  # fmt: skip
    return False


_THROUGH = re.compile(r"\s*(?:to|until|till|and|through|-|–|到|至|—|~)\s*(?:about |around )?")


def _since_in_force(case: Case, reading: Reading, moment: Moment) -> bool:
    """ "A draft would lower it from 1 January": from when a document is in force holds for all that it says."""
    low = reading.analysis.low
    since = _FROM.search(low, 0, moment.start) or _ON.match(low, moment.end)
    days = (day for c in reading.cited for day in in_force_days(case.passage(c))) if since else ()
    return any(agree(moment, day) for day in days)


_FROM = re.compile(r"(?:\b(?:from|since|as of|as from)|[自从])\s*$")
_ON = re.compile(r"\s*(?:onwards?\b|起)")


def _told_of_rival(
    case: Case, reading: Reading, moment: Moment, right: Sequence[tuple[Unit, Moment]],
    wrong: Sequence[tuple[Unit, Moment]],
) -> tuple[Unit, Moment] | None:  # fmt: skip
    """The rival whose place has a word that the statement says of the date, where no place of the date has it.

    Nothing that is said of the date may belong to its own place alone.
    """
    several = sum(m.kind in DAYS for m in reading.analysis.moments) > 1
    if several or moment.kind not in DAYS or any(u.headers or u.analysis.han != reading.analysis.han for u, _ in right):
        return None
    meta = case.config.lexicon.meta_words
    # What the whole document is about tells no place in it.
    titles = [case.title_bag(case.passage(c)) for c in reading.cited]
    telling = [
        t
        for t in case.bind(reading.analysis, moment).own
        if t.weight >= 1 and t.key not in meta and not any(match(t, bag) >= SYNONYM for bag in titles)
    ]
    own = [case.bind(u.analysis, m, u).own_bag for u, m in right]
    for unit, other in wrong:
        if unit.headers or unit.analysis.han != reading.analysis.han or same_time(moment, other):
            continue
        place = case.bind(unit.analysis, other, unit).own_bag
        theirs = [t for t in telling if match(t, place) >= SYNONYM and not any(match(t, bag) for bag in own)]
        mine = [t for t in telling if not match(t, place) and any(match(t, bag) for bag in own)]
        if theirs and not mine:
            return unit, other
    return None


def _belongs_elsewhere(reading: Reading, moment: Moment, unit: Unit, other: Moment) -> Finding:
    text = reading.analysis.text[moment.start : moment.end]
    expected = unit.analysis.text[other.start : other.end]
    return Finding(
        IssueType.DATE_MISMATCH,
        reading.index,
        f"{text} belongs to another event; here the evidence gives {expected}",
        RemedyKind.REGENERATE,
        span=(moment.start, moment.end),
        citation=unit.citation,
        evidence=(unit.start + other.start, unit.start + other.end),
        found=text,
        expected=expected,
    )


def _edge(text: str, moment: Moment) -> str:
    before, after = text[max(0, moment.start - 24) : moment.start], text[moment.end : moment.end + 6]
    if _STARTS_AFTER.match(after):
        return "start"
    if _ENDS_AFTER.match(after):
        return "end"
    if _ENDS.search(before):
        return "end"
    return "start" if _STARTS.search(before) else ""


# More often than before 15 December, where the new times are those since then.
_THAN_BEFORE = re.compile(r"\b(?:than|as) (?:\w+ ){0,2}?(?:before|until)\s*$")
_AGAIN = re.compile(
    r"\bagain\b|\bre-?open\w*|\bresum\w*|\brestor\w*|\brestart\w*"
    r"|\b(?:back|returned) (?:on|in|to)\b|恢复|重新|再次|再度"
)


def _wrong_edge(reading: Reading, moment: Moment, right: Sequence[tuple[Unit, Moment]]) -> Finding | None:
    """ "Until 1 July" for "from 1 July"."""
    mine = _edge(reading.analysis.text, moment)
    theirs = [_edge(u.analysis.text, m) for u, m in right]
    if not mine or not all(theirs) or mine in theirs:
        return None
    if _THAN_BEFORE.search(reading.analysis.low[: moment.start]):
        return None
    if _AGAIN.search(reading.analysis.low):
        return None  # "closed until 4:45": open again from 4:45
    unit, other = right[0]
    text = reading.analysis.text[moment.start : moment.end]
    return Finding(
        IssueType.DATE_MISMATCH,
        reading.index,
        f"{text} is the {theirs[0]} of the period, not its {mine}",
        RemedyKind.REGENERATE,
        span=(moment.start, moment.end),
        citation=unit.citation,
        evidence=(unit.start + other.start, unit.start + other.end),
        found=text,
        expected=unit.analysis.text[max(0, other.start - 12) : other.end].strip(),
    )


def _version_year(case: Case, reading: Reading, moment: Moment) -> bool:
    """A year that is part of a version or a document name (ISO 9001:2015, the 2021 edition)."""
    year = str(moment.year)
    return any(
        year in case.passage(c).chunk.document.version or year in case.passage(c).chunk.document.document_id
        for c in reading.cited
    )
