"""Comparisons have both sides, and their direction agrees with the numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain import binding
from services.validation.domain.align import SYNONYM, cover, in_span, match
from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.apart import difference_told
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.compare import close
from services.validation.domain.compared_growth import faster_growth
from services.validation.domain.differences import wrong_difference
from services.validation.domain.implied_sides import implied_sides
from services.validation.domain.names import Name, shape
from services.validation.domain.own_numbers import own_numbers
from services.validation.domain.patterns import Pattern
from services.validation.domain.sides import (
    Side,
    Value,
    clause_around,
    dimensions_of,
    direction_of,
    pair_apart,
    side_at,
    two_values,
    values_of,
    without,
    wrong_direction,
)
from services.validation.domain.superlatives import superlative
from services.validation.domain.units import Dimension

_THAN = re.compile(r"\bthan\b|\b(?:compared (?:with|to)|against|versus|relative to)\b", re.I)
_EXCEEDS = re.compile(
    r"\b(?:exceeds?|exceeded|outweighs?|tops?|topped|outnumbers?|surpass(?:es|ed)?|beats?|trails?|lags?"
    r"|outperform\w*)\b",
    re.I,
)
_ZH_THAN = re.compile(r"[比较]")
_ZH_OVER = Pattern(
    r"(?P<s1>[^，。；]*?)(?P<word>高于|低于|大于|小于|多于|少于|长于|短于|重于|轻于|快于|慢于|早于|晚于|超过|不及)(?P<s2>[^，。；]+)"
)
# "The tower's shift starts before that of ground control".
_ORDER = re.compile(
    r"\b(?:starts?|started|begins?|began|opens?|opened|closes?|closed|ends?|ended|finish(?:es|ed)?|arrives?|arrived|leaves?"
    r"|departs?|departed)\s+(?P<w>before|after)\s+(?:that|those|the one)\b"
)
_SAME = re.compile(
    r"\b(?:the same|equal(?:ly)?|identical|as \w+ as|no difference)\b|相同|一样|相等|持平|一致(?!性)", re.I
)
# "Twice as many visitors as", "half as fast as": the first side is the larger, or the smaller.
_AS_AS = re.compile(
    r"\b(?P<n>twice|half|(?:two|three|four|five|six|ten|\d+(?:\.\d+)?) times) as (?P<w>[a-z]+)(?: [a-z]+){0,3}? as\b"
)
_THE_MORE = re.compile(r"\bthe \w+er\b|\bthe (?:more|less)\b|\b(?:therefore|thus|hence|so)\b")


@register(
    "comparison",
    Lock.CONSISTENCY,
    sees="higher/lower, faster/slower, longest/cheapest against the values of both sides or the whole"
    " retrieved set; "
    "a side that is not cited or not answered",
    blind="comparisons of qualities without numbers",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield COMPARISON_WRONG_DIRECTION and COMPARISON_MISSING_SIDE."""
    reworded = set(map(id, case.reworded))
    for reading in case.claims:
        grown = faster_growth(case, reading)
        if grown is not None:
            yield from grown
            continue
        wrong = own_numbers(case, reading) or wrong_difference(case, reading) or superlative(case, reading)
        # A comparison quoted from the passage agrees with it; a superlative may be beaten by another passage.
        yield from wrong or (_pairwise(case, reading) if id(reading) in reworded else ())
    yield from _missing_side(case)


# --- two sides ---------------------------------------------------------------------------------------------------


def _pairwise(case: Case, reading: Reading) -> list[Finding]:
    several = list(_zh_thans(case, reading.analysis)) if reading.analysis.han else []
    if len(several) > 1:
        return next((found for p in several if (found := _compared(case, reading, p))), [])
    parsed = _parse(case, reading)
    if parsed is not None:
        return _compared(case, reading, parsed)
    each = (_compared(case, reading, p, implied=True) for p in implied_sides(case, reading))
    return next((found for found in each if found), [])


def _compared(case: Case, reading: Reading, parsed: _Parsed, *, implied: bool = False) -> list[Finding]:
    first, second, word, span = parsed
    start, end = clause_around(reading.analysis, span[0])
    inside = in_span(reading.analysis.terms, start, end)
    # Beside a name, the other words of a side tell what is compared.
    told = [t for side in (first, second) if side.names for t in side.terms]
    measure = [t for t in inside if t not in first.terms and t not in second.terms] + told
    if second.moments and not second.terms and not second.names:
        # "15.42 m in 2023, further than in 2019": one subject at two times.
        measure += [t for t in first.terms if t not in measure]
    first, second = (Side((), s.names, s.moments, s.values) if s.names else s for s in (first, second))
    kinds = dimensions_of(reading, word, start, end)
    one, two = without(first, second), without(second, first)
    if bool(one.moments) != bool(two.moments) and all(s.terms or s.names for s in (one, two)):
        # "A made more in 2022 than B": the time is that of both.
        one, two = replace(one, moments=()), replace(two, moments=())
    if not one.named or not two.named:
        return []
    values = _in_rows_named(case, reading, values_of(case, reading.cited))
    if implied:
        named = {t.key for side in (first, second) for t in side.terms}
        measure = [t for t in measure if t.key not in named and t.word.surface not in (word, "更", "较")]
    if implied and measure:
        # "B was printed earlier": of several values of each side those told with the words of the measure.
        values = [v for v in values if cover(measure, v.binding.own_bag).share >= _TOLD_WITH] or values
    told_apart = difference_told(reading.analysis, word, span[0])
    apart = pair_apart(values, one, two, measure, told_apart) if told_apart is not None else None
    a, b = apart or two_values(values, one, two, measure, kinds)
    if a is None or b is None:
        return _uncited_side(case, reading, one, two, measure, span, kinds)
    if told_apart is not None and apart is None:
        return []  # these are not the values that differ by so much; whether any do is for the check of values
    sign = direction_of(word, a.quantity, case)
    if reading.analysis.negations and _DENIED.search(reading.analysis.low):
        sign = 0
    difference = a.quantity.low - b.quantity.low
    if close(a.quantity.low, b.quantity.low):
        return [wrong_direction(reading, span, a, b)] if sign else []
    return [wrong_direction(reading, span, a, b)] if sign and sign * difference < 0 else []


_TOLD_WITH = 0.5
_DENIED = re.compile(r"\b(?:not|no(?!,)|none|neither|nobody|nothing)\b|n't|不(?=比)|并不|没有")


def _in_rows_named(case: Case, reading: Reading, values: list[Value]) -> list[Value]:
    """Of tables with a row that the statement names only the values of such rows."""
    rows = case.rows_meant(reading, asked=False)
    tables = {row.unit.citation for row in rows}
    named = {(row.unit.citation, row.unit.index) for row in rows}
    return [
        v
        for v in values
        if not v.unit.headers or v.unit.citation not in tables or (v.unit.citation, v.unit.index) in named
    ]


def _parse(case: Case, reading: Reading) -> _Parsed | None:
    analysis = reading.analysis
    told = (next(_zh_thans(case, analysis), None) or _zh_over(analysis)) if analysis.han else None
    if told is not None:
        return told
    times = _AS_AS.search(analysis.low)
    if times and not analysis.han:
        start, end = clause_around(analysis, times.start())
        word = "less" if times["n"] == "half" else "more"
        if times["w"] in ("few", "little", "short", "light", "low", "small", "cheap", "young"):
            word = "more" if word == "less" else "less"
        elif times["w"] in ("fast", "quick", "slow"):
            word = (
                ("faster" if times["w"] != "slow" else "slower")
                if word == "more"
                else ("slower" if times["w"] != "slow" else "faster")
            )
        return side_at(analysis, start, times.start()), side_at(analysis, times.end(), end), word, (start, end)
    than = _THAN.search(analysis.low)
    word_match = _comparative_before(case, analysis, than) if than else _comparative(case, analysis)
    if word_match is not None and than is not None and word_match.start() < than.start():
        start, end = clause_around(analysis, word_match.start())
        # "Higher in 2022 than in 2021": the time before "than" belongs to the first side.
        wide = side_at(analysis, start, than.start())
        if not wide.named and not wide.values:
            # "Load peaked at 1.84 GW, higher than in 2022".
            start = 0
            wide = side_at(analysis, start, than.start())
        earlier = case.spoken_of(reading)
        if earlier is not None and not wide.names:
            wide = Side(wide.terms, _subject_names(earlier), wide.moments, wide.values)
        terms = (
            side_at(analysis, start, word_match.start()).terms
            or side_at(analysis, word_match.end(), than.start()).terms
        )
        first = Side(terms, wide.names, wide.moments)
        second = side_at(analysis, than.end(), max(end, than.end()))
        if _is_plain_value(analysis, than.end(), end, second):
            return None
        return first, second, word_match.group(), (start, end)
    order = _ORDER.search(analysis.low)
    if order:
        start, end = clause_around(analysis, order.start("w"))
        first, second = side_at(analysis, start, order.start("w")), side_at(analysis, order.end("w"), end)
        return first, second, "earlier" if order["w"] == "before" else "later", (start, end)
    verb = _EXCEEDS.search(analysis.low)
    if verb:
        start, end = clause_around(analysis, verb.start())
        if any(verb.end() <= q.start < end for q in analysis.quantities):
            return None
        word = "below" if verb.group().lower().startswith(("trail", "lag")) else "exceeds"
        return side_at(analysis, start, verb.start()), side_at(analysis, verb.end(), end), word, (start, end)
    if word_match is not None and than is None:
        return _implied(case, reading, word_match)
    return None


_Parsed = tuple[Side, Side, str, tuple[int, int]]


def _zh_thans(case: Case, analysis: Analysis) -> Iterator[_Parsed]:
    """丙型比甲型还要吵一些: what stands before each 比, what stands after it, and the word of the comparison."""
    before: _Parsed | None = None
    for m in _ZH_THAN.finditer(analysis.low):
        end = re.search(r"[，。；]", analysis.low[m.end() :])
        stop = m.end() + end.start() if end else len(analysis.text)
        words = case.config.lexicon.comparative_han.finditer(analysis.low, m.end() + 1, stop)
        # 比最吵的F3低: the superlative only says which one is meant.
        w = next((w for w in words if analysis.low[w.start() - 1] != "最" and w["word"][0] != "最"), None)
        if w is not None:
            start = max(analysis.low.rfind(mark, 0, m.start()) for mark in "，。；") + 1
            second = side_at(analysis, m.end(), w.start())
            first = _first_side(analysis, start, m.start())
            if before is not None and _goes_on(before, first, second):
                # 甲队进球比乙队多，失球也比乙队少: the subject stays.
                first = Side(before[0].terms[:1], (), ())
            before = first, second, w["word"], (start, w.end())
            yield before


def _goes_on(before: _Parsed, first: Side, second: Side) -> bool:
    """The next comparison with the same thing names no subject of its own."""
    (subject, other, _, _) = before
    same = bool(other.terms) and {t.key for t in other.terms} <= {t.key for t in second.terms}
    return same and bool(subject.terms) and {t.key for t in subject.terms}.isdisjoint(t.key for t in first.terms)


def _zh_over(analysis: Analysis) -> _Parsed | None:
    """甲的重量高于乙."""
    m = _ZH_OVER.search(analysis.low)
    if m is None or (_BOUND.match(analysis.low, m.start("word")) and not _in_two_sides(analysis, m)):
        return None
    first = _first_side(analysis, m.start("s1"), m.end("s1"))
    return first, side_at(analysis, m.start("s2"), m.end("s2")), m["word"], (m.start(), m.end())


def _first_side(analysis: Analysis, start: int, end: int) -> Side:
    """The words of the clause before the comparison, else all before it."""
    first = side_at(analysis, start, end)
    return first if first.named else side_at(analysis, 0, end)


def _subject_names(reading: Reading) -> tuple[Name, ...]:
    """The name that a following pronoun takes up: the first of the statement."""
    return tuple(n for n in reading.analysis.names if n.strict)[:1]


def _is_plain_value(analysis: Analysis, start: int, end: int, side: Side) -> bool:
    """ "Longer than 3 hours" sets a limit and compares no two things."""
    values = [q for q in analysis.quantities if start <= q.start < end]
    if values and values[0].start - start <= _RIGHT_AFTER and not side.names:
        return True
    return bool(values) and not side.names and not side.moments and len(side.terms) <= 1


_RIGHT_AFTER = 3
# 超过33米, 大于33米: a bound.
_BOUND = re.compile(
    r"超过|高于|低于|(?:大于|小于|多于|少于|长于|短于|重于|轻于|快于|慢于|早于|晚于|不及)\s*[\d一二三四五六七八九十百千万两]"
)


def _in_two_sides(analysis: Analysis, m: re.Match[str]) -> bool:
    """ "A高于B" compares only if the right side names something other than a plain value."""
    return side_at(analysis, m.start("s2"), m.end("s2")).named and not any(
        m.start("s2") <= q.start < m.end("s2") for q in analysis.quantities
    )


def _comparative(case: Case, analysis: Analysis) -> re.Match[str] | None:
    words = case.config.lexicon.more_words
    for m in case.config.lexicon.comparative.finditer(analysis.low):
        if (
            m.group() in words
            and not m.group().endswith("est")
            and m.group() not in ("most", "least", "maximum", "minimum", "top", "latest")
        ):
            following = analysis.low[m.end() : m.end() + 12]
            if m.group() in ("more", "less") and re.match(r"\s+than\s+\d", following):
                continue
            if m.group() in (
                "above",
                "below",
                "under",
                "further",
                "later",
                "earlier",
                "ahead",
                "behind",
                "lower",
            ) and not _THAN.search(analysis.low[m.end() :]):
                continue
            return m
    return None


def _comparative_before(case: Case, analysis: Analysis, than: re.Match[str]) -> re.Match[str] | None:
    """The comparative nearest before "than": "shorter with Birch, and a customer bears 50 less than ..."."""
    words = case.config.lexicon.more_words
    first = _comparative(case, analysis)
    near = [
        m
        for m in case.config.lexicon.comparative.finditer(analysis.low[: than.start()])
        if m.group() in words and not m.group().endswith("est") and than.start() - m.end() <= _THAN_REACH
        and m.group() not in _NO_COMPARATIVES
    ]  # fmt: skip
    apart = first is not None and re.search(r"[,;]", analysis.low[first.end() : than.start()]) is not None
    return near[-1] if near and apart else first


_THAN_REACH = 24
_NO_COMPARATIVES = ("most", "least", "maximum", "minimum", "top", "latest", "above", "below", "under", "further")


def _implied(case: Case, reading: Reading, word: re.Match[str]) -> _Parsed | None:
    """ "Therefore B737 is faster.": the other side is what the question or the answer compares it with."""
    analysis = reading.analysis
    names = [n for n in analysis.names if n.strict and n.end <= word.start()]
    keys = {n.key for n in names}
    if not case.question.compares and not _THE_MORE.search(analysis.low):
        return None
    others = [n for n in case.question.analysis.names if n.strict and n.key not in keys]
    if not others:
        kinds = {shape(n) for n in names}
        rivals = [n for u in case.units(reading.cited) for n in u.analysis.names if n.strict and n.key not in keys]
        others = [n for n in rivals if shape(n) in kinds]
    if len(keys) != 1 or len({n.key for n in others}) != 1:
        return None
    return Side((), (names[0],), ()), Side((), (others[0],), ()), word.group(), (0, len(analysis.text))


def _uncited_side(
    case: Case,
    reading: Reading,
    one: Side,
    two: Side,
    measure: Sequence[Term],
    span: tuple[int, int],
    kinds: Sequence[Dimension],
) -> list[Finding]:
    """A side whose value stands only in a passage that the sentence does not cite."""
    a, b = two_values(values_of(case, [p.citation for p in case.passages]), one, two, measure, kinds)
    if a is None or b is None:
        return []
    missing = [(v, side) for v, side in ((a, one), (b, two)) if v.unit.citation not in reading.cited]
    if len(missing) != 1 or not (
        one.names or one.moments or two.names or two.moments or len(one.terms) + len(two.terms) >= 2
    ):
        return []
    value, side = missing[0]
    if not _stands_for(case, side, value) or _named_in_cited(case, reading, side):
        return []
    return [
        Finding(
            IssueType.COMPARISON_MISSING_SIDE,
            reading.index,
            f"the other side stands in [{value.unit.citation}], which is not cited",
            RemedyKind.RECITE,
            span=span,
            citation=value.unit.citation,
            evidence=(value.unit.start, value.unit.end),
            found=", ".join(f"[{c}]" for c in reading.cited),
            expected=f"[{value.unit.citation}]",
            recite=value.unit.citation,
        )
    ]


def _stands_for(case: Case, side: Side, value: Value) -> bool:
    """The sentence or the title of the value names the side."""
    if side.names:
        return bool({n.key for n in side.names} & {n.key for n in value.binding.names})
    bags = (case.bags.unit(value.unit), case.title_bag(case.passage(value.unit.citation)))
    named = all(max(match(t, bag) for bag in bags) >= SYNONYM for t in side.terms)
    return named and (bool(side.terms) or binding.moments_agree(side.moments, value.binding.moments) > 0)


def _named_in_cited(case: Case, reading: Reading, side: Side) -> bool:
    """A cited passage is about the side: it, or its title, has its name or all of its words."""
    bag = case.bags.cited(reading.cited)
    if side.names:
        return any(n.key in bag.keys or n.surface.lower() in bag.low for n in side.names)
    return bool(side.terms) and not side.moments and all(match(t, bag) >= SYNONYM for t in side.terms)


# --- the question's sides ----------------------------------------------------------------------------------------


def _missing_side(case: Case) -> Iterator[Finding]:
    """The question compares two named things and no cited statement speaks of one of them."""
    sides = case.question.sides
    claims = [r for r in case.readings if r.is_claim]
    if len(sides) < 2 or not claims or any(r.role == "refusal" for r in case.readings):
        return
    answer = " ".join(r.analysis.low for r in claims)
    cited = " ".join(
        case.passage(c).low
        for r in claims
        for c in r.cited
        if len(r.cited) > 1 or all(side.lower() in case.passage(c).low for side in sides)
    )
    for side in sides:
        key = re.sub(r"[-_\s]", "", side.lower())
        told = re.sub(r"[-_\s]", "", f"{answer} {cited}")
        if key and key not in told:
            yield Finding(
                IssueType.COMPARISON_MISSING_SIDE,
                claims[-1].index,
                f"nothing is said of {side}",
                RemedyKind.RETRIEVE_MISSING,
                expected=side,
                queries=(f"{side} {case.question.text}",),
            )
