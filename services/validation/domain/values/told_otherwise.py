"""Values that the evidence tells in another form: a period as an adjective, a code as a figure, units begun."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import combinations, permutations

from services.validation.domain.case import Case, Reading
from services.validation.domain.derived.derivation import ROUNDS_UP, fits
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.values.compare import close, equal, in_kind, months_agree, tolerance
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import CALENDAR, COUNT, RATIO, SECONDS_A_DAY, TIME, TIMES

Pool = Sequence[tuple[Unit, Quantity]]

# "Within one year" for an annual limit; 一年内累计 for 年度累计.
_PERIODS: dict[str, re.Pattern[str]] = {
    "year": re.compile(
        r"\bannual\w*|\byearly\b|\b(?:a|per|each|every|calendar|financial) year\b|年度|每年|全年|单年"
        r"|年(?=[用产发销消耗净][\u4e00-\u9fff]{0,2}[量额费])"
        r"|自然年|年费|年均|周年|[比较]上年|同比|\byear[- ](?:on|over)[- ]year\b|\bthan the (?:previous )?year\b"
    ),
    "month": re.compile(
        r"\bmonthly\b|\b(?:a|per|each|every|calendar) month\b|月度|每月|单月|自然月|每个月|按月|月费|月租|月均|当月"
    ),
    "week": re.compile(r"\bweekly\b|\b(?:a|per|each|every) week\b|每周|每星期|按周|周租"),
    "day": re.compile(r"\bdaily\b|\b(?:a|per|each|every) day\b|\bsame day\b|每日|每天|单日|按日|日均|当日|当天|昼夜"),
    "hour": re.compile(r"\bhourly\b|\b(?:an|per|each|every) hour\b|每小时|按小时|时均|时速"),
}
_TOGETHER = re.compile(
    r"\bboth\b|\btogether\b|\bcombined\b|\boverall\b|\bacross\b|\bin total\b|\baltogether\b|\bas a whole\b"
    r"|\bjoint(?:ly)?\b"
    r"|\ball (?:two|three|four)\b|合计|合起来|总体|整体|加起来|合并|共|总|两.{0,6}[一共都]|全"
)
_MOST_UNITS = 8


def names_period(case: Case, reading: Reading, quantity: Quantity) -> bool:
    """One year, one month, one day: the span for which the evidence tells its value as annual, monthly, daily."""
    pattern = _PERIODS.get(quantity.unit.unit_id)
    if pattern is None or quantity.figure != 1 or quantity.unit.dimension not in (TIME, CALENDAR):
        return False
    return any(pattern.search(unit.analysis.low) for unit in case.units(reading.cited))


def tells_half(case: Case, reading: Reading, quantity: Quantity) -> bool:
    """Half of it, 一半, where the evidence halves or asks half the price (减半, 半价)."""
    half = quantity.unit.dimension in (RATIO, TIMES) and close(quantity.low, 0.5) and quantity.unit.kind != "point"
    return half and any(_HALF.search(unit.analysis.low) for unit in case.units(reading.cited))


_HALF = re.compile(
    r"\bhal(?:f|ves?|ved|ving)\b|\bequal (?:numbers|parts|shares|groups|halves)\b|\bequally between\b|\b50:50\b"
    r"|半|均分|等分"
)


def about_as_long(quantity: Quantity, pool: Pool) -> bool:
    """About six months for 180 days, half a year for 26 weeks: months and days that agree as far as months go."""
    if not (quantity.approx or quantity.figure == 0.5) or quantity.unit.dimension != CALENDAR:
        return False
    least = _A_MONTH / 2 if quantity.figure == 0.5 and quantity.unit.unit_id == "month" else _A_MONTH
    return any(months_agree(quantity, q) for _, q in pool if q.unit.dimension == TIME and q.low >= least)


def calendar_basis(reading: Reading, quantity: Quantity) -> bool:
    """ "Over a 365-day year", 一年按52周计: how many days, weeks or months the statement takes a year to have."""
    lengths = _BASES.get(quantity.unit.unit_id)
    if lengths is None or quantity.is_range or quantity.figure not in lengths:
        return False
    low = reading.analysis.low
    around = low[max(0, quantity.start - _BESIDE) : quantity.start] + "|" + low[quantity.end : quantity.end + _BESIDE]
    return re.search(lengths[quantity.figure], around) is not None


_BESIDE = 12
_A_YEAR, _MONTH, _DAY = r"\byears?\b|\bannual|年", r"\bmonths?\b|月", r"\ba day\b|\bday and night\b|昼夜|全天|一天"
_BASES: dict[str, dict[float, str]] = {
    "day": {365: _A_YEAR, 366: _A_YEAR, 360: _A_YEAR, 30: _MONTH, 31: _MONTH},
    "week": {52: _A_YEAR},
    "month": {12: _A_YEAR},
    "hour": {24: _DAY, 8760: _A_YEAR, 8784: _A_YEAR},
}
_A_MONTH = 28 * SECONDS_A_DAY


def as_interval(quantity: Quantity, pool: Pool) -> bool:
    """ "The gap is three months at first, then six": the length of an interval of the evidence."""
    return quantity.unit.dimension in (TIME, CALENDAR) and any(
        q.interval and q.unit.dimension == quantity.unit.dimension and close(q.low, quantity.low) for _, q in pool
    )


def is_denominator(interval: Quantity, pool: Pool) -> bool:
    """ "Every hour it may rise by 50 degrees": the denominator of a rate of the evidence."""
    return any(
        q.amount is not None and q.low and close(q.amount.low / q.low, interval.low)
        for _, q in pool
        if any(base in ("time", "calendar") and exponent < 0 for base, exponent in q.unit.dimension)
    )


def two_denominators(quantity: Quantity, pool: Pool) -> bool:
    """30 cents a day, where each book costs EUR 0.30 for each day: one of two denominators is told."""
    if quantity.amount is None or not quantity.low:
        return False
    span = quantity.amount.low / quantity.low
    return any(
        equal(in_kind(quantity.amount, q.amount or q), q.amount or q)
        and any(o.interval and close(o.low, span) for o in unit.analysis.quantities)
        for unit, q in pool
    )


def stands_as_figure(case: Case, reading: Reading, quantity: Quantity) -> bool:
    """A bare figure that the cited passages write too, be it as a code or a number of something (exit code 143)."""
    if quantity.unit.dimension != COUNT or not quantity.surface.isdigit() or len(quantity.surface) < 2:
        return False
    pattern = re.compile(rf"(?<![\d.,]){quantity.surface}(?![\d]|[.,]\d)")
    return any(
        pattern.search(unit.analysis.low[a:b])
        for unit in case.units(reading.cited)
        for a, b in unit.analysis.designations
    ) or any(
        pattern.search(unit.analysis.low[n.start : n.end])
        for unit in case.units(reading.cited)
        for n in unit.analysis.names
    )


def rounds_up(case: Case, reading: Reading, quantity: Quantity, known: Sequence[Quantity]) -> bool:
    """A whole number of units just above a value that is given, where the evidence charges for units begun."""
    if quantity.figure != int(quantity.figure) or not quantity.unit.factor:
        return False
    if not any(ROUNDS_UP.search(unit.analysis.low) for unit in case.units(reading.cited)):
        return False
    return any(
        q.unit.dimension == quantity.unit.dimension
        and q.low < quantity.low
        and close(math.ceil(q.low / quantity.unit.factor - 1e-9), quantity.figure)
        for q in known
    )


def monthly_mean(reading: Reading, quantity: Quantity, pool: Pool) -> bool:
    """160 a month on average, of 960 in the first half of the year: a total over the months of its period."""
    if not _MEAN.search(reading.analysis.low):
        return False
    amount = quantity.amount or quantity
    told = [m.kind for m in reading.analysis.moments]
    return any(
        q.unit.dimension == amount.unit.dimension and fits(amount, q.low / _MONTHS[kind])
        for unit, q in pool
        for kind in (*told, *(m.kind for m in unit.analysis.moments))
        if kind in _MONTHS
    )


_MEAN = re.compile(r"(?:平均|均|大约|约)?每个?月|月均|\b(?:a|per|each) month\b|\bmonthly\b")
_MONTHS = {"year": 12, "half": 6, "quarter": 3}


def pooled_ratio(reading: Reading, quantity: Quantity, pool: Pool) -> bool:
    """A share of two or more passages taken together: the sum of the parts over the sum of the wholes."""
    if quantity.unit.dimension != RATIO or quantity.unit.kind == "point" or not _TOGETHER.search(reading.analysis.low):
        return False
    rows: dict[tuple[int, int], list[Quantity]] = {}
    for unit, q in pool:
        if q.unit.dimension != RATIO and not q.interval and not q.weak:
            rows.setdefault((unit.citation, unit.index), []).append(q)
    values = list(rows.values())[:_MOST_UNITS]
    for size in range(len(values), 1, -1):
        for chosen in combinations(values, size):
            if _ratio_of_sums(quantity, chosen):
                return True
    return False


def _ratio_of_sums(quantity: Quantity, rows: Sequence[Sequence[Quantity]]) -> bool:
    width = min(map(len, rows))
    if width < 2 or any(len({q.unit.dimension for q in column}) > 1 for column in zip(*rows, strict=False)):
        return False
    sums = [sum(q.low for q in column) for column in zip(*rows, strict=False)]
    return any(b and a < b and fits(quantity, a / b) for a, b in permutations(sums, 2))


def rest_of_parts(reading: Reading, quantity: Quantity, known: Sequence[Quantity]) -> bool:
    """What is left of a whole after two or three parts that the statement tells: 38 less 19 less 11."""
    if not _REMAINS.search(reading.analysis.low):
        return False
    alike = [q for q in known if q.unit.dimension == quantity.unit.dimension and q.low > 0][:_MOST_UNITS]
    near = tolerance(quantity) if quantity.approx else 1e-9
    for whole in alike:
        parts = [q for q in alike if q is not whole and q.low < whole.low]
        for size in (2, 3):
            if any(
                abs(whole.low - sum(p.low for p in chosen) - quantity.low) <= near
                for chosen in combinations(parts, size)
            ):
                return True
    return False


_REMAINS = Pattern(
    r"\brest\b|\bremain\w*|\bothers?\b|\bleft\b|\bleav(?:es|ing)\b|\bbesides?\b|\bapart from\b|\bin addition to\b"
    r"|其余|剩|余下|其他|其它|除.{1,40}外|此外|还有|另有|另外"
)


def workdays_told(reading: Reading, quantity: Quantity, pool: Pool) -> bool:
    """Five days of a working week, where the evidence says five working days."""
    if quantity.unit.unit_id not in ("day", "workday"):
        return False
    days = round(quantity.low / quantity.unit.factor, 6)
    weekly = any(
        q.unit.unit_id == "day" and q.noun == quantity.noun == "per:week" and close(q.figure, quantity.figure)
        for _, q in pool
    )
    if weekly and quantity.figure <= _WORKING_WEEK:
        return True  # two working days a week, for what is done on two days a week
    told = quantity.unit.unit_id == "workday" or _WORKING.search(reading.analysis.low) is not None
    return told and any(
        q.unit.unit_id in ("day", "workday", "week")
        and (q.unit.unit_id != "day" or _WORKING.search(unit.analysis.low) is not None)
        and close(q.low / q.unit.factor * (_WORKING_WEEK if q.unit.unit_id == "week" else 1), days)
        and (q.unit.unit_id != "week" or _WORKING.search(unit.analysis.low) is not None)
        for unit, q in pool
    )


_WORKING = re.compile(r"\bworking\b|\bbusiness\b|\bworkdays?\b|\bweekdays?\b|工作")
_WORKING_WEEK = 5


def bare_age(quantity: Quantity, pool: Pool) -> bool:
    """Three years old, where the evidence says aged 3."""
    return quantity.unit.unit_id == "age" and any(
        q.unit.dimension == COUNT and close(q.figure, quantity.figure) and _AGED.search(unit.analysis.low[: q.start])
        for unit, q in pool
    )


_AGED = re.compile(r"(?:\baged?|\bages|\bage of|\bunder|\bover|\bup to|\bfrom|年龄|年满)\s*$")


def first_of(case: Case, reading: Reading, quantity: Quantity) -> bool:
    """The first seven nights, 头两天, where the evidence numbers them or says what holds from the eighth."""
    if quantity.unit.dimension == RATIO or not _FIRST.search(reading.analysis.low[: quantity.start]):
        return False
    figure = int(quantity.figure)
    for unit in case.units(reading.cited):
        low = unit.analysis.low
        told = {int(n) for start, end in unit.analysis.designations for n in re.findall(r"\d+", low[start:end])}
        told |= {i for i, word in enumerate(_ORDINALS, start=1) if word in low}
        told |= {i for i, word in enumerate("一二三四五六七八九十", start=1) if "第" + word in low}
        if figure in told or figure + 1 in told:
            return True
    return False


_FIRST = re.compile(r"(?:\bfirst|\binitial|\blast|前|头|首|最初|起初|最后)\s*$")
_ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth",
)  # fmt: skip
