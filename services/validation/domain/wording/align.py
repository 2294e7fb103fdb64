"""How much of a text stands in another: content words by stem, synonym and translation, with every match's span."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.reading.evidence import Passage, Unit
from services.validation.domain.reading.text import stem

EXACT, SYNONYM, TRANSLATION, RELATED, PIVOT, PARTIAL = 1.0, 0.9, 0.8, 0.7, 0.55, 0.5
_COVERED = 0.5
_PREFIX = 6


def prefixes(keys: Iterable[str]) -> frozenset[str]:
    """The first letters of long words, by which derived forms meet (analysis, analysed)."""
    return frozenset(key[:_PREFIX] for key in keys if len(key) >= _PREFIX and key.isascii())


def han_characters(low: str) -> frozenset[str]:
    """The Chinese characters of a text; each is looked at once, however often it stands there."""
    return frozenset() if low.isascii() else frozenset(filter("\u2fff".__lt__, set(low)))


class Bag:
    """What one or several texts offer to match against. Not to be changed; what few words need is made when asked for.

    ``prefixes`` are the beginnings of ``long_keys``, ``chars`` the Chinese characters of ``low``.
    """

    __slots__ = ("_chars", "_prefixes", "glosses", "groups", "han", "keys", "long_keys", "low")

    def __init__(
        self, keys: frozenset[str], groups: frozenset[int], glosses: frozenset[str], low: str, han: bool,
        long_keys: Collection[str],
    ) -> None:  # fmt: skip
        self.keys = keys
        self.groups = groups
        self.glosses = glosses
        self.low = low
        self.han = han
        self.long_keys = long_keys
        self._chars: frozenset[str] | None = None
        self._prefixes: frozenset[str] | None = None

    @property
    def chars(self) -> frozenset[str]:
        """The Chinese characters of the text."""
        if self._chars is None:
            self._chars = han_characters(self.low)
        return self._chars

    @property
    def prefixes(self) -> frozenset[str]:
        """The first letters of the long words."""
        if self._prefixes is None:
            self._prefixes = prefixes(self.long_keys)
        return self._prefixes

    @staticmethod
    def of(analyses: Iterable[Analysis]) -> Bag:
        """The bag of several analyses together."""
        items = list(analyses)
        if len(items) == 1:
            only = items[0]
            return Bag(only.keys, only.groups, only.glosses, only.low, only.han, only.keys)
        low = "\n".join(a.low for a in items)
        keys: frozenset[str] = frozenset().union(*(a.keys for a in items))
        return Bag(
            keys,
            frozenset().union(*(a.groups for a in items)),
            frozenset().union(*(a.glosses for a in items)),
            low,
            any(a.han for a in items),
            keys,
        )

    @staticmethod
    def of_terms(terms: Sequence[Term], low: str, han: bool, names: Iterable[str] = ()) -> Bag:
        """The bag of some words, whose text is ``low``, and of names that stand there."""
        keys = frozenset(t.key for t in terms)
        return Bag(
            keys.union(names),
            frozenset(g for t in terms for g in t.groups),
            frozenset(g for t in terms for g in t.glosses),
            low,
            han,
            keys,
        )


# Sums of weights in another order differ by less.
_ROUNDING = 1e-9


def match(term: Term, bag: Bag) -> float:
    """How well a word is matched by a bag, in [0, 1]."""
    if term.key in bag.keys:
        return EXACT
    if term.word.han:
        return _match_han(term, bag)
    if "-" in term.word.surface or "-" in bag.low:
        joined = _match_compound(term, bag)
        if joined:
            return joined
    if not term.groups.isdisjoint(bag.groups):
        return SYNONYM
    if not term.glosses.isdisjoint(bag.keys):
        return RELATED
    if _SHORTEST <= len(term.key) < _PREFIX and _in_compound(term.word.surface, bag.low):
        return RELATED
    if bag.han and term.key in bag.glosses:
        return TRANSLATION
    return RELATED if len(term.key) >= _PREFIX and term.key[:_PREFIX] in bag.prefixes else 0.0


def _match_han(term: Term, bag: Bag) -> float:
    surface = term.word.surface
    if surface in bag.low:
        return EXACT
    if not term.groups.isdisjoint(bag.groups):
        return SYNONYM
    if not bag.han:
        return 0.0 if term.glosses.isdisjoint(bag.keys) else TRANSLATION
    score = 0.0 if term.glosses.isdisjoint(bag.glosses) else PIVOT
    if len(surface) >= 2:
        shared = sum(c in bag.chars for c in surface) / len(surface)
        score = max(score, PARTIAL * shared if shared >= 0.5 else 0.0)
    if not term.glosses.isdisjoint(bag.keys):
        score = TRANSLATION
    return score


# Second parts of closed compounds: sunlight, rainwater, firewall, workplace.
_TAILS = (
    "light|water|wall|place|room|house|yard|way|road|side|time|day|night|man|men|woman|work|works|board|book|box|case"
    "|cut|down|fall|field|fire|guard|hold|keeper|land|line|load|mark|paper|port|proof|shield|ship|shop|storm|store"
    "|tight|ware|wind|wood|worker|screen|shine|burn|rise|set|stroke|block"
)
_TAIL = re.compile(rf"(?:{_TAILS})s?(?![a-z])")
_SHORTEST = 3


@lru_cache(maxsize=8192)
def _in_compound(surface: str, low: str) -> bool:
    """ "Sun" stands in "sunlight"."""
    return any(not _LETTER.match(before[-1:]) and _TAIL.match(low, end) for before, end in _places(surface, low))


def _match_compound(term: Term, bag: Bag) -> float:
    """``home-office`` against ``home office`` and ``homeoffice``, and the reverse."""
    surface = term.word.surface
    if "-" in surface:
        parts = [stem(part) for part in surface.split("-") if len(part) > 2]
        if surface.replace("-", "") in bag.low or (
            parts and all(part in bag.keys or part in bag.low for part in parts)
        ):
            return SYNONYM
        return 0.0
    key = min(surface, term.key, key=len)
    if len(key) < 4 or key not in bag.low:
        return 0.0
    # "The prizes" in "prize-giving".
    return SYNONYM if _in_hyphenated(key, bag.low) else 0.0


@lru_cache(maxsize=8192)
def _in_hyphenated(key: str, low: str) -> bool:
    return any(
        (not _LETTER.match(before[-1:]) and _HYPHEN_NEXT.match(low, end))
        or (_LETTER_AND_HYPHEN.fullmatch(before) and _WORD_ENDS.match(low, end))
        for before, end in _places(key, low)
    )


_LETTER = re.compile(r"[a-z]")
_LETTER_AND_HYPHEN = re.compile(r"[a-z]-")
_HYPHEN_NEXT = re.compile(r"[a-z]{0,2}-[a-z]")
_WORD_ENDS = re.compile(r"[a-z]{0,2}(?![a-z])")


def _places(part: str, low: str) -> Iterator[tuple[str, int]]:
    """Where a part of a word stands: the two characters before it and the place after it."""
    at = low.find(part)
    while at >= 0:
        yield low[max(0, at - 2) : at], at + len(part)
        at = low.find(part, at + 1)


@dataclass(frozen=True, slots=True)
class Coverage:
    """The matched share of a text's content weight, in [0, 1], with matched and unmatched terms."""

    share: float
    weight: float
    matched: tuple[Term, ...]
    missing: tuple[Term, ...]


def cover(terms: Sequence[Term], bag: Bag, *, least: float = 0.0) -> Coverage:
    """How much of some terms a bag covers; nothing to cover counts as covered. Matches below ``least`` count
    nothing."""
    total = credit = 0.0
    matched: list[Term] = []
    missing: list[Term] = []
    keys = bag.keys
    for term in terms:
        score = EXACT if term.key in keys else match(term, bag)
        if score < least:
            score = 0.0
        total += term.weight
        credit += term.weight * score
        (matched if score >= _COVERED else missing).append(term)
    return Coverage(credit / total if total else 1.0, total, tuple(matched), tuple(missing))


def covered(terms: Sequence[Term], bag: Bag, *, least: float = 0.0) -> float:
    """The share of :func:`cover`, where nobody asks which terms are matched and which are missing."""
    total = credit = 0.0
    keys = bag.keys
    for term in terms:
        weight = term.weight
        total += weight
        if term.key in keys:
            credit += weight
        elif (score := match(term, bag)) >= least:
            credit += weight * score
    return credit / total if total else 1.0


def reaches(terms: Sequence[Term], bag: Bag, share: float, *, least: float = 0.0) -> bool:
    """Whether :func:`cover` would give at least ``share``; stops at the first word that settles it."""
    total = sum(t.weight for t in terms)
    spare = total * (1 - share)
    for term in terms:
        score = match(term, bag)
        spare -= term.weight * (1 - (score if score >= least else 0.0))
        if spare < -_ROUNDING:
            return False
    return True


def in_span(terms: Sequence[Term], start: int, end: int) -> list[Term]:
    """The terms inside a span."""
    return [t for t in terms if start <= t.start and t.end <= end]


class BagCache:
    """Bags of units, passages and sets of passages, made once a request."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = passages
        self._units: dict[tuple[int, int], Bag] = {}
        self._sets: dict[tuple[int, ...], Bag] = {}
        # By id; the analyses of a request live as long as its bags.
        self._said: dict[int, tuple[Analysis, Bag]] = {}

    def said(self, analysis: Analysis) -> Bag:
        """The bag of one statement, or of the question."""
        known = self._said.get(id(analysis))
        if known is None:
            known = self._said[id(analysis)] = (analysis, Bag.of([analysis]))
        return known[1]

    def unit(self, unit: Unit) -> Bag:
        """The bag of one unit; a table row offers its column headers too."""
        key = (unit.citation, unit.index)
        bag = self._units.get(key)
        if bag is None:
            bag = self._units[key] = Bag.of([unit.analysis, *(h for _, _, h in unit.headers)])
        return bag

    def cited(self, citations: Sequence[int]) -> Bag:
        """The union of some passages with their titles."""
        key = tuple(sorted(citations))
        bag = self._sets.get(key)
        if bag is None:
            chosen = [p for p in self._passages if p.citation in key]
            bag = self._sets[key] = Bag.of([a for p in chosen for a in (p.title, *(u.analysis for u in p.units))])
        return bag
