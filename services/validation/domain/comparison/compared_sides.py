"""How a comparison of two is worded: which two, by which word, at which place of the statement."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.validation.domain.analysis import Analysis
from services.validation.domain.case import Case, Reading
from services.validation.domain.comparison.sides import (
    Side,
    clause_around,
    side_at,
)
from services.validation.domain.reading.names import Name, shape
from services.validation.domain.reading.patterns import Pattern

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
# "As it was designed to handle", "than expected": the other side is what was meant, not another thing.
_OWN_MEASURE = re.compile(
    r"\s*(?:(?:it|they|he|she|we|you|there|is|are|was|were|had been|has been)\b(?!'s)"
    r"|(?:previously |originally )?(?:expect|plann?|design|anticipat|intend|forecast|budget|need|require|believe"
    r"|allow|report|estimat)(?:ed)?\b|(?:usual|possible|necessary)\b)"
)
_THE_MORE = re.compile(r"\bthe \w+er\b|\bthe (?:more|less)\b|\b(?:therefore|thus|hence|so)\b")


def compared_sides(case: Case, reading: Reading) -> ComparedSides | None:
    """The two sides that a statement compares; None if it compares no two."""
    analysis = reading.analysis
    told = (next(zh_thans(case, analysis), None) or _zh_over(analysis)) if analysis.han else None
    if told is not None:
        return told
    times = _AS_AS.search(analysis.low)
    if times and not analysis.han:
        start, end = clause_around(analysis, times.start())
        if _of_itself(analysis, times.end(), end):
            return None
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
        if _of_itself(analysis, than.end(), max(end, than.end())):
            return None
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


def _of_itself(analysis: Analysis, start: int, end: int) -> bool:
    """A thing is compared with what it was meant to be, at no other time that could have a value of its own."""
    second = side_at(analysis, start, end)
    return _OWN_MEASURE.match(analysis.low, start) is not None and not (second.moments or second.values or second.names)


# The first side, the second, the word of comparison, and where it stands.
ComparedSides = tuple[Side, Side, str, tuple[int, int]]


def zh_thans(case: Case, analysis: Analysis) -> Iterator[ComparedSides]:
    """丙型比甲型还要吵一些: what stands before each 比, what stands after it, and the word of the comparison."""
    before: ComparedSides | None = None
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


def _goes_on(before: ComparedSides, first: Side, second: Side) -> bool:
    """The next comparison with the same thing names no subject of its own."""
    (subject, other, _, _) = before
    same = bool(other.terms) and {t.key for t in other.terms} <= {t.key for t in second.terms}
    return same and bool(subject.terms) and {t.key for t in subject.terms}.isdisjoint(t.key for t in first.terms)


def _zh_over(analysis: Analysis) -> ComparedSides | None:
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


def _implied(case: Case, reading: Reading, word: re.Match[str]) -> ComparedSides | None:
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
