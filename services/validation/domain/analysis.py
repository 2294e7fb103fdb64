"""Everything Validation reads from one sentence, statement or question, in one immutable record."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from services.validation.domain.config import ValidationConfig
from services.validation.domain.reading import text as texts
from services.validation.domain.reading.abbreviations import is_abbreviation
from services.validation.domain.reading.names import Name, find_names
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.reading.references import Reference, find_references
from services.validation.domain.reading.short_forms import alias_spans
from services.validation.domain.reading.text import Word
from services.validation.domain.recent import Recent
from services.validation.domain.times.moment_finder import find_moments
from services.validation.domain.times.moments import Moment
from services.validation.domain.values.designations import designations
from services.validation.domain.values.quantities import QuantityScanner
from services.validation.domain.values.quantity import Quantity

_CLAUSE_MARK = re.compile(r"[，；：。！？]|[,;:](?!\d)|\.(?=\s|$)|[（）]")
_CONJUNCTION = Pattern(
    r"\s(?:and(?! (?:over|above|more|up)\b)|but|or(?! (?:more|less|fewer|over|under|later|earlier|longer|older"
    r"|younger|higher|lower|above|below|so)\b)|while|whereas|so|then|nor|yet|as well as|although|though"
    r"|against)\s|(?:并且|而且|但是|但|同时"
    r"|以及(?=.{0,6}[不应须可]))",
    re.I,
)
# After a negation these make a limit, not a denial: must not exceed, no later than, 不得超过.
_LIMIT = re.compile(
    r"\s*(?:(?:be|\w+)\s+){0,2}(?:more|less|fewer|later|earlier|longer|shorter|lower|higher|greater|closer|nearer) than"
    r"|\s*(?:be\s+)?(?:exceed\w*|more than|less than|fewer than|later than|earlier than|longer than|shorter than"
    r"|lower than|higher than|"
    r"greater than|above|below|over|under|超过|少于|低于|高于|大于|小于|多于|晚于|迟于|早于|长于|短于|超出)"
)
_WORD_CHARACTER = re.compile(r"\w")
_UNIT_AFTER = re.compile(r"\s?(?P<u>[A-Za-z°%μΩ²³]+(?:[/·][A-Za-z²³]+)?)(?![A-Za-z])")
_FIGURE_NEXT = re.compile(r"\s?\d")
_RATE_AFTER = re.compile(r"\s?(?:per|each|a)\s(?:day|night|week|month|year|hour|person|head|piece|item)\b")
_WORD_AND_NUMBER = re.compile(r"[A-Za-z]+\s\d+(?:[.,]\d+)?")
_JOINT_SUBJECT = re.compile(r"\W*(?:(?:the|an?|all|both|no)\s+)?(?:[\w'-]+\s+){0,1}[\w'-]+", re.I)
_SIBLING_VERB = re.compile(r"^(?:\w+(?:ed|en|wn)\s+by\b|to\s+\w+|not\s+\w+|then\b|the\b|its?\b|they\b)", re.I)


@dataclass(frozen=True, slots=True)
class Term:
    """A content word with everything it may match by: itself, its synonym groups, its glosses.

    ``glosses`` are English stems: translations of a Chinese word, near-synonyms of an English one.
    """

    word: Word
    key: str
    groups: frozenset[int]
    glosses: frozenset[str]
    weight: float

    @property
    def start(self) -> int:
        """Offset of the first character."""
        return self.word.start

    @property
    def end(self) -> int:
        """Offset after the last character."""
        return self.word.end


@dataclass(frozen=True, slots=True)
class Cue:
    """A modal word: what kind of force a clause has and where it says so.

    ``bound`` marks "must not exceed": the negation belongs to the limit, the clause lays down a duty.
    """

    kind: str
    start: int
    end: int
    bound: bool = False


@dataclass(frozen=True, slots=True)
class Analysis:
    """A text read once: words, numbers, times, references, names, modal cues, negations, clauses.

    ``keys``, ``groups`` and ``glosses`` are those of all terms; ``identifiers`` are the keys of the strict names;
    ``words`` are all words outside of numbers, times, references and strict names, those without content too.
    """

    text: str
    low: str
    terms: tuple[Term, ...]
    quantities: tuple[Quantity, ...]
    moments: tuple[Moment, ...]
    references: tuple[Reference, ...]
    names: tuple[Name, ...]
    cues: tuple[Cue, ...]
    negations: tuple[tuple[int, int], ...]
    clauses: tuple[tuple[int, int], ...]
    han: bool
    keys: frozenset[str] = field(default=frozenset())
    groups: frozenset[int] = field(default=frozenset())
    glosses: frozenset[str] = field(default=frozenset())
    designations: tuple[tuple[int, int], ...] = ()
    identifiers: frozenset[str] = field(default=frozenset())
    words: tuple[Word, ...] = ()

    def clause_at(self, position: int) -> tuple[int, int]:
        """The clause that holds a character."""
        for start, end in self.clauses:
            if start <= position < end:
                return start, end
        return self.clauses[-1] if self.clauses else (0, len(self.text))


class Analyser:
    """Reads texts with one configuration; results are pure functions of the text and the most recent are kept.

    ``passages`` keeps what other modules read from whole chunks, ``clauses`` and ``acts`` from analyses.
    """

    def __init__(self, config: ValidationConfig) -> None:
        self.config = config
        self._scanner = QuantityScanner(config.units, config.quantity_words)
        self._texts: Recent[Analysis] = Recent(_TEXTS_KEPT)
        self._short: Recent[list[Quantity]] = Recent(_SHORT_TEXTS_KEPT)
        self.passages: Recent[Any] = Recent(_PASSAGES_KEPT)
        self.clauses: Recent[Any] = Recent(_TEXTS_KEPT)
        self.acts: Recent[Any] = Recent(_TEXTS_KEPT)

    def analyse(self, raw: str) -> Analysis:
        """Read one text; offsets in the result are offsets in ``raw``."""
        return self._texts.get(raw, lambda: self._analyse(raw))

    def quantities(self, raw: str) -> list[Quantity]:
        """The quantities of a short text alone, such as the unit of a column with a number before it."""
        return list(self._short.get(raw, lambda: self._quantities(raw)))

    def _quantities(self, raw: str) -> list[Quantity]:
        text = texts.normalise(raw)
        return self._scanner.find(text, bytearray(len(text)))

    def _analyse(self, raw: str) -> Analysis:
        text = texts.normalise(raw)
        low = texts.lower(text)
        taken = bytearray(len(text))
        references = tuple(find_references(text))
        _take(taken, references)
        moments = [
            m for m in find_moments(text) if 1 not in taken[m.start : m.end] and not self._measured(text, m)
        ]  # fmt: skip
        _take(taken, moments)
        names = tuple(n for n in find_names(text, bytearray(taken)) if not self._measures(text, n))
        _take(taken, names)
        numbering = bytearray(taken)
        numbered = tuple(designations(text, names, moments))
        for start, end in numbered:
            numbering[start:end] = b"\x01" * (end - start)
        quantities = tuple(self._scanner.find(text, numbering))
        _take(taken, quantities)
        free = bytearray(len(text))
        _take(free, [*references, *moments, *quantities, *(n for n in names if n.strict)])
        words = texts.words(text, free)
        terms = tuple(self._terms(words))
        cues = self._cues(low, [*references, *moments, *(n for n in names if n.strict)])
        keys = {t.key for t in terms} | {texts.stem(n.key) for n in names}
        return Analysis(
            text=text, low=low, terms=terms, quantities=quantities, moments=tuple(moments), references=references,
            names=names, cues=cues, negations=self._negations(low, cues), clauses=_clauses(text, cues, taken),
            han=texts.has_han(text), keys=frozenset(keys),
            groups=frozenset(g for t in terms for g in t.groups),
            glosses=frozenset(g for t in terms for g in t.glosses),
            designations=numbered,
            identifiers=frozenset(n.key for n in names if n.strict),
            words=tuple(words),
        )  # fmt: skip

    def _measured(self, text: str, moment: Moment) -> bool:
        """A figure that looks like a year but has a unit: 1950 m, 2000 rpm."""
        if moment.kind != "year" or not text[moment.start : moment.end].isdigit():
            return False
        spaced = moment.end + (text[moment.end : moment.end + 1] == " ")
        if self.config.units.find_han(text, spaced):
            return True
        match = _UNIT_AFTER.match(text, moment.end)
        if match is None or (match["u"] in self.config.units.prefixes and _FIGURE_NEXT.match(text, match.end())):
            return False  # "2023 EUR 4.59 million": the currency belongs to the amount
        return self.config.units.find_latin(match["u"]) is not None

    def _measures(self, text: str, name: Name) -> bool:
        """A word and a number that has a unit, which is no name: "to Storen 19 km", "Start 5 minutes earlier"."""
        if not _WORD_AND_NUMBER.fullmatch(text[name.start : name.end]):
            return False
        if _RATE_AFTER.match(text, name.end):
            return True
        match = _UNIT_AFTER.match(text, name.end)
        token = match["u"] if match else ""
        unit = self.config.units.find_latin(token) if token else None
        return (
            unit is not None
            and (len(token) > 1 or text[name.end] == " ")
            and token not in ("A", "B", "C", "V", "in", "a")
        )

    def _terms(self, words: Sequence[Word]) -> list[Term]:
        lexicon = self.config.lexicon
        found: list[Term] = []
        for word in words:
            if (
                word.surface in lexicon.stopwords
                or word.key in lexicon.stopwords
                or (not word.han and (len(word.surface) < 2 or word.surface.endswith("n't")))
            ):
                continue
            groups = lexicon.synonyms.get(word.key) or lexicon.synonyms.get(word.surface) or frozenset()
            weight = 1.0
            glosses: frozenset[str]
            if not word.han:
                glosses = self.config.glossary.related(word.key)
            else:
                glosses = lexicon.bilingual.get(word.surface) or self.config.glossary.glosses(word.surface)
                weight = 0.35 if len(word.surface) == 1 else 1.0
            found.append(Term(word, word.key, groups, glosses, weight))
        return found

    def _cues(self, low: str, items: list[Any]) -> tuple[Cue, ...]:
        """Modal cues without overlaps, the longest first; ``items`` are dates and names, whose "May" is none."""
        han = texts.has_han(low)
        found = [
            self._cue(words.kind, m, low)
            for words in self.config.lexicon.modality
            if han or not words.han
            for m in words.pattern.finditer(low)
            if not any(m.start() < i.end and i.start < m.end() for i in items)
        ]
        found.sort(key=lambda cue: (cue.start - cue.end, cue.start))
        kept: list[Cue] = []
        for cue in found:
            if all(cue.end <= k.start or cue.start >= k.end for k in kept):
                kept.append(cue)
        kept.sort(key=lambda cue: cue.start)
        return tuple(kept)

    @staticmethod
    def _cue(kind: str, match: re.Match[str], low: str) -> Cue:
        bound = kind in ("prohibition", "recommendation") and _LIMIT.match(low, match.end()) is not None
        return Cue("obligation" if bound and kind == "prohibition" else kind, match.start(), match.end(), bound)

    def _negations(self, low: str, cues: tuple[Cue, ...]) -> tuple[tuple[int, int], ...]:
        """Negating words that are not already part of a modal cue."""
        spans = [(m.start(), m.end()) for m in self.config.lexicon.negation.finditer(low) if m.end() > m.start()]
        return tuple(
            s
            for s in spans
            if not _LIMIT.match(low, s[1])
            and not any(s[0] < c.end and c.start < s[1] for c in cues)
            and not (low[s[0]] > "\u2fff" and low[s[0] - 1 : s[0]] == low[s[1] : s[1] + 1])  # 松没松: whether
        )


# Sentences and chunks come back: in the next attempt, the next question, the other call of one question.
_TEXTS_KEPT, _PASSAGES_KEPT, _SHORT_TEXTS_KEPT = 8192, 1024, 1024


def _take(taken: bytearray, items: Iterable[Any]) -> None:
    for item in items:
        taken[item.start : item.end] = b"\x01" * (item.end - item.start)


def _of_abbreviation(text: str, mark: re.Match[str]) -> bool:
    """ "Michael R. Milken", "Carter Ltd. of Hull": the full stop is part of a name."""
    at = mark.start()
    return text[at] == "." and is_abbreviation(text, 0, at, text[at + 1 : at + 41].lstrip())


def _clauses(text: str, cues: tuple[Cue, ...], taken: bytearray) -> tuple[tuple[int, int], ...]:
    """Cut at punctuation, and at conjunctions that join two predicates."""
    aliases = alias_spans(text)
    cuts = [
        m.end()
        for m in _CLAUSE_MARK.finditer(text)
        if not taken[m.start()] and not any(a <= m.start() < b for a, b in aliases) and not _of_abbreviation(text, m)
    ]
    for match in _CONJUNCTION.finditer(text):
        if taken[match.start()]:
            continue
        rest = text[match.end() : match.end() + 60]
        right = any(match.end() <= c.start < match.end() + 60 for c in cues)
        if right and _JOINT_SUBJECT.fullmatch(text, max([0, *(c for c in cuts if c <= match.start())]), match.start()):
            continue  # "Cargo bikes and tandems cannot be taken": the predicate is that of both
        if right or match.group()[0] not in " \t" or _SIBLING_VERB.match(rest):
            cuts.append(match.end() if match.group()[0] in " \t" else match.start())
    spans: list[tuple[int, int]] = []
    start = 0
    for cut in sorted({*cuts, len(text)}):
        if cut > start:
            if _WORD_CHARACTER.search(text, start, cut):
                spans.append((start, cut))
                start = cut
            elif spans:
                spans[-1] = (spans[-1][0], cut)
                start = cut
    return tuple(spans) or ((0, len(text)),)
