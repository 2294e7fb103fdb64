"""Scores the sentences of the evidence against what a question needs. Every factor says why it is there."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import reduce
from operator import or_

from services.common.domain.document import DocumentMetadata
from services.common.domain.planted_orders import goes_on, orders
from services.common.domain.question import Action, ParsedQuestion
from services.common.domain.time import DayInterval, TimeRelation
from services.orchestrator.domain.concepts import Concepts, Gloss, TermSet, concepts_of, term_set
from services.orchestrator.domain.editions import pattern_of, sorted_out
from services.orchestrator.domain.evidence import Evidence
from services.orchestrator.domain.figures import measures, wants_value
from services.orchestrator.domain.periods import periods_in
from services.orchestrator.domain.ranges import fit
from services.orchestrator.domain.sentences import Sentence, is_chinese, sentences

YEAR = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
QUARTER = re.compile(
    r"(?<![A-Za-z0-9])Q([1-4])(?![A-Za-z0-9])|第([一二三四])季度|\b(first|second|third|fourth)[- ]quarter\b",
    re.IGNORECASE,
)
QUARTERS = {"一": "1", "二": "2", "三": "3", "四": "4", "first": "1", "second": "2", "third": "3", "fourth": "4"}
IMPRINT = re.compile(
    r"\b(?:revision of|in force from|published|issued|effective (?:date|from|as of))\b|次修订|起施行|发布|生效日期",
    re.IGNORECASE,
)
ASKS_IMPRINT = re.compile(
    r"\b(?:effective|effect|force|valid|published|issued|revised|revision)\b|生效|施行|实施|发布|修订", re.IGNORECASE
)
LONGEST_IMPRINT = 90
# No word boundary: a Chinese character is a word character, too.
CODE = re.compile(r"(?<![A-Za-z0-9])[A-Z]{1,5}-?\d{2,6}(?![A-Za-z0-9])")

# A term in the title or heading says what the whole passage is about, less surely than the sentence itself.
INHERITED = 0.8
# What retrieval ranked first is about the question as a whole; each place behind it counts a little less.
LATER_RANK = 0.05
EXCLUDED = 0.0
WRONG = 0.3
DOUBTFUL = 0.6
# A sentence reads better than a row that says the same.
TABLE_ROW = 0.9
# Across languages so many things of a question that names several must be met.
LEAST_ACROSS = 2.0
FITTING = 1.25


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence with its source number and its score, about 0 (nothing) to 1 (everything asked for)."""

    sentence: Sentence
    number: int
    score: float


@dataclass(frozen=True, slots=True)
class _Row:
    sentence: Sentence
    number: int
    own: TermSet
    around: TermSet


class PassageIndex:
    """All sentences of the evidence, ready to be asked."""

    def __init__(self, parsed: ParsedQuestion, evidence: Sequence[Evidence], gloss: Gloss, day: date) -> None:
        """``day`` is the day asked about: what a sentence says of another period is no answer."""
        self._parsed = parsed
        self._evidence = evidence
        self._day = day
        self._target = _target(parsed, day)
        self._rows: list[_Row] = []
        for number, item in enumerate(evidence, start=1):
            about = about_text(item)
            around = term_set(about, gloss)
            self._rows += [_Row(s, number, term_set(s.text, gloss), around) for s in _told(item.chunk.text)]
        self.gloss = gloss
        self._chinese = is_chinese(parsed.question)
        self._asks_imprint = ASKS_IMPRINT.search(parsed.question) is not None
        named = sorted_out([m.canonical for m in parsed.codes], (e.chunk.document.version for e in evidence))
        self._codes = [place.lower() for place in named.places]
        self._patterns = [pattern_of(place) for place in named.places]
        self._of_edition = named.of_edition
        self._wants_value = wants_value(parsed)
        time_text = parsed.time.text if parsed.time else ""
        self._years = frozenset(YEAR.findall(time_text))
        self._quarters = quarters(time_text)

    def without_time(self, text: str) -> str:
        """A need without its time expression: time is a constraint, not a topic."""
        return text.replace(self._parsed.time.text, " ") if self._parsed.time else text

    def concepts(self, need: str) -> Concepts:
        """What a need asks for, time aside."""
        return concepts_of(self.without_time(need), self.gloss)

    def ranked(self, need: str, side: str = "", others: Sequence[str] = ()) -> list[Candidate]:
        """Every sentence, best first. With ``side`` it must speak of that side, not of one of the ``others``."""
        concepts = self.concepts(need)

        def score(row: _Row) -> float:
            about = about_text(self._evidence[row.number - 1])
            factor = self._code_factor(row.sentence.text, about) * _side_factor(row.sentence.text, about, side, others)
            return self._score(row, concepts) * factor

        return self._sorted(score)

    def successors(self, wording: str) -> list[Candidate]:
        """Sentences in force that say what ``wording`` says, best first; never the place it was taken from."""

        def wanted(row: _Row, document: DocumentMetadata) -> bool:
            return not self._is_place(row, document) and document.in_force_on(self._day)

        return self._alike(wording, wanted)

    def places(self, wording: str) -> list[Candidate]:
        """The sentences with the code asked for that ``wording`` was taken from, best first."""
        return self._alike(wording, self._is_place)

    def _is_place(self, row: _Row, document: DocumentMetadata) -> bool:
        """The edition that is named has the code there; another one may give its number to something else."""
        return self._of_edition(document.version) and self._names_code(row.sentence.text)

    def _names_code(self, text: str) -> bool:
        return any(code.search(text) for code in self._patterns)

    def _alike(self, wording: str, wanted: Callable[[_Row, DocumentMetadata], bool]) -> list[Candidate]:
        """By the words alone: what a requirement says of numbers and dates may have changed."""
        concepts = concepts_of(wording, self.gloss)

        def score(row: _Row) -> float:
            item = self._evidence[row.number - 1]
            if not wanted(row, item.chunk.document):
                return EXCLUDED
            return concepts.matched(row.own) / (concepts.reachable(row.own) or 1.0) * (0.75 + 0.25 * item.weight)

        return self._sorted(score)

    def table(self, row: Candidate, ranked: Sequence[Candidate]) -> list[Candidate]:
        """The rows of ``ranked`` that stand in the same table, in their order there."""
        header = [h for h, _ in row.sentence.cells]
        same = (c for c in ranked if c.number == row.number and c.sentence.is_row)
        return sorted((c for c in same if [h for h, _ in c.sentence.cells] == header), key=lambda c: c.sentence.start)

    def _sorted(self, score: Callable[[_Row], float]) -> list[Candidate]:
        scored = [Candidate(r.sentence, r.number, score(r)) for r in self._rows]
        return sorted(scored, key=lambda c: (-c.score, c.number, c.sentence.start))

    def lists(self, need: str) -> list[tuple[float, list[Candidate]]]:
        """(score, items) of every passage that holds a list, best first; a numbered list before a bullet list."""
        concepts = self.concepts(need)
        found: list[tuple[float, list[Candidate]]] = []
        for number, item in enumerate(self._evidence, start=1):
            rows = [r for r in self._rows if r.number == number]
            items = [r for r in rows if r.sentence.is_item]
            if len(items) < 2:
                continue
            everything = reduce(or_, (r.own | r.around for r in rows))
            score = concepts.matched(everything) / (concepts.reachable(everything) or 1.0)
            score *= self._code_factor(" ".join(r.sentence.text for r in rows), about_text(item))
            score *= (0.75 + 0.25 * item.weight) * (1.0 if items[0].sentence.is_numbered else 0.85)
            found.append((score, [Candidate(r.sentence, number, score) for r in items]))
        return sorted(found, key=lambda pair: -pair[0])

    def _score(self, row: _Row, concepts: Concepts) -> float:
        own, everything = concepts.matched(row.own), row.own | row.around
        inherited = concepts.matched(everything) - own
        item = self._evidence[row.number - 1]
        score = (own + INHERITED * inherited) / (concepts.reachable(everything) or 1.0)
        text, about = row.sentence.text, about_text(item)
        score *= self._time_factor(text, about, item) * self._period_factor(text) * self._number_factor(text)
        if text.endswith(("?", "？", ":", "：")) or own == 0 or (_is_imprint(text) and not self._asks_imprint):
            score *= WRONG
        if row.sentence.is_row:
            score *= TABLE_ROW
        if self._is_accident(concepts, everything):
            score *= WRONG
        return score * (0.75 + 0.25 * item.weight) / (1 + LATER_RANK * (row.number - 1))

    def _is_accident(self, concepts: Concepts, everything: TermSet) -> bool:
        """In the other language one word of several is met by some of its meanings in any long enough text."""
        crossed = everything.chinese != self._chinese and len(concepts.members) > 1
        return crossed and concepts.matched(everything) < LEAST_ACROSS

    def _code_factor(self, text: str, about: str) -> float:
        """The code asked for, as it is written, in the sentence or above it; never a sentence about another one."""
        if not self._codes:
            return 1.0
        if self._names_code(text):
            # The page of another code mentions this one to tell them apart; its own page explains it.
            own_page = self._names_code(about) or not CODE.search(about)
            return 1.0 if own_page else DOUBTFUL
        others = [c.lower() for c in CODE.findall(text)]
        if others and not any(a in o or o in a for a in self._codes for o in others):
            return EXCLUDED
        return 0.9 if self._names_code(about) else WRONG

    def _time_factor(self, text: str, about: str, item: Evidence) -> float:
        """The period asked for, stated in the sentence, above it, or by the document's dates."""
        if not self._years:
            return 1.0
        stated = set(YEAR.findall(text))
        above = set(YEAR.findall(about))
        document = item.chunk.document
        dates = {str(d.year) for d in (document.published_at, document.effective_from) if d}
        if stated:
            factor = FITTING if stated & self._years else EXCLUDED
        elif above:
            factor = 1.0 if above & self._years else EXCLUDED
        else:
            factor = 1.0 if not dates or dates & self._years else DOUBTFUL
        if self._quarters:
            named = quarters(text) or quarters(about)
            factor *= 1.0 if not named or named & self._quarters else EXCLUDED
        return factor

    def _period_factor(self, text: str) -> float:
        """A period that the sentence states must meet the day or period asked about; a list may tell history."""
        stated = periods_in(text)
        if not stated:
            return 1.0
        if any(p.overlaps(self._target) for p in stated):
            return FITTING
        return DOUBTFUL if self._parsed.action is Action.LIST else EXCLUDED

    def _number_factor(self, text: str) -> float:
        factor = WRONG if self._wants_value and not measures(text) else 1.0
        fits = fit(self.without_time(self._parsed.question), text)
        return factor * (FITTING if fits > 0 else DOUBTFUL if fits < 0 else 1.0)


def _told(text: str) -> list[Sentence]:
    """The sentences of a passage without those that order a model what to say: quoted, the order would be obeyed."""
    told: list[Sentence] = []
    ordered = False
    for sentence in sentences(text):
        low = sentence.text.lower()
        ordered = orders(low) or (ordered and goes_on(low))
        told += [] if ordered else [sentence]
    return told


def _is_imprint(text: str) -> bool:
    """True for the line that says who published an edition and when."""
    return len(text) <= LONGEST_IMPRINT and IMPRINT.search(text) is not None


def _target(parsed: ParsedQuestion, day: date) -> DayInterval:
    """The period asked about: the question's own, else the day."""
    time = parsed.time
    if time is None or time.relation in (TimeRelation.LATEST, TimeRelation.AS_OF):
        return DayInterval(day, day)
    return time.interval


def about_text(item: Evidence) -> str:
    """What stands above a passage: title, headings, version."""
    document = item.chunk.document
    return f"{document.title} {' '.join(item.chunk.heading_path)} {document.version}"


def quarters(text: str) -> frozenset[str]:
    """Numbers of the quarters that a text names."""
    found = ("".join(groups) for groups in QUARTER.findall(text))
    return frozenset(QUARTERS.get(q.lower(), q) for q in found)


def _side_factor(text: str, about: str, side: str, others: Sequence[str]) -> float:
    if not side:
        return 1.0
    here, above = text.lower(), about.lower()
    # A document about another side may mention this one in passing.
    elsewhere = any(o.lower() in above for o in others) and side.lower() not in above
    if side.lower() in here:
        return DOUBTFUL if elsewhere else 1.0
    if any(o.lower() in here for o in others) or elsewhere:
        return WRONG
    return 0.95 if side.lower() in above else WRONG
