"""The extractive composer: an answer of quoted, cited sentences chosen from the evidence. No language model."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from services.common.domain.question import Action, ParsedQuestion
from services.common.domain.verdict import Conflict, Sufficiency
from services.orchestrator.domain.draft import Draft, DraftStatement
from services.orchestrator.domain.evidence import Evidence
from services.orchestrator.domain.sentences import Sentence, sentences, terms

DIGIT = re.compile(r"\d|[一二三四五六七八九十百千万亿两]+(?:[个天日月年元小时分条倍%]|百分)")
YEAR = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
LIST_ACTIONS = frozenset({Action.HOW_TO, Action.LIST, Action.TROUBLESHOOT})
# Below this share of the question's term weight a sentence does not speak of the question.
MIN_COVERAGE = 0.18
SECOND_SENTENCE_RATIO = 0.8
MAX_ITEMS = 12
PENALTY = 0.35


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence with its source number and its score."""

    sentence: Sentence
    number: int
    score: float


@dataclass(frozen=True, slots=True)
class ComposeInputs:
    """``conflict_lead_in`` introduces sources that disagree."""

    parsed: ParsedQuestion
    evidence: Sequence[Evidence]
    sufficiency: Sufficiency | None
    max_statements: int
    conflict_lead_in: str


def compose(inputs: ComposeInputs) -> Draft:
    """Chooses the best sentences for every need of the question; an empty draft if nothing speaks of it."""
    conflict = _conflict_statements(inputs)
    if conflict:
        return Draft(conflict)
    index = _Index(inputs.parsed, inputs.evidence)
    chosen: list[Candidate] = []
    for need in _needs(inputs.parsed):
        chosen += _best_for(need, index, inputs)
    statements: dict[str, DraftStatement] = {}
    for candidate in chosen:
        statements.setdefault(candidate.sentence.text, _statement(candidate))
    limit = MAX_ITEMS if any(s.is_item for s in statements.values()) else inputs.max_statements
    return Draft(tuple(statements.values())[:limit])


def _statement(candidate: Candidate) -> DraftStatement:
    return DraftStatement(candidate.sentence.text, (candidate.number,), candidate.sentence.is_item)


def _needs(parsed: ParsedQuestion) -> list[str]:
    """Texts to answer one by one: the sides of a comparison with what is compared, the parts, or the question."""
    if len(parsed.parts) > 1:
        return [p.text for p in parsed.parts]
    if parsed.action is Action.COMPARE and len(parsed.sides) > 1:
        rest = parsed.question
        for side in parsed.sides:
            rest = rest.replace(side.text, " ")
        return [f"{side.text} {rest}" for side in parsed.sides]
    return [parsed.question]


def _conflict_statements(inputs: ComposeInputs) -> tuple[DraftStatement, ...]:
    """Both sides of an undecided conflict that concerns the question, told as such."""
    if inputs.sufficiency is None:
        return ()
    open_conflicts = [c for c in inputs.sufficiency.conflicts if not c.decided_by and c.sentence_a and c.sentence_b]
    if not open_conflicts:
        return ()
    wanted = terms(inputs.parsed.question)
    best = max(open_conflicts, key=lambda c: len(wanted & terms(c.sentence_a + " " + c.sentence_b)))
    if not wanted & terms(best.sentence_a + " " + best.sentence_b):
        return ()
    return (DraftStatement(inputs.conflict_lead_in), *_both_sides(best))


def _both_sides(conflict: Conflict) -> tuple[DraftStatement, DraftStatement]:
    return (
        DraftStatement(_one_line(conflict.sentence_a), (conflict.citation_a,)),
        DraftStatement(_one_line(conflict.sentence_b), (conflict.citation_b,)),
    )


def _one_line(text: str) -> str:
    parts = sentences(text)
    return parts[0].text if len(parts) == 1 else " ".join(text.split())


def _best_for(need: str, index: _Index, inputs: ComposeInputs) -> list[Candidate]:
    ranked = index.ranked(need)
    if not ranked or ranked[0].score < MIN_COVERAGE:
        return []
    top = ranked[0]
    if inputs.parsed.action in LIST_ACTIONS:
        items = index.list_around(need)
        if items:
            return items
    second = [
        c
        for c in ranked[1:4]
        if c.score >= top.score * SECOND_SENTENCE_RATIO and c.number == top.number and not c.sentence.is_row
    ]
    return [top, *second[:1]] if inputs.parsed.action is Action.EXPLAIN else [top]


class _Index:
    """All sentences of the evidence with inverse document frequencies over them."""

    def __init__(self, parsed: ParsedQuestion, evidence: Sequence[Evidence]) -> None:
        self._parsed = parsed
        self._evidence = evidence
        self._rows: list[tuple[Sentence, int, frozenset[str], frozenset[str]]] = []
        for number, item in enumerate(evidence, start=1):
            around = terms(f"{item.chunk.document.title} {' '.join(item.chunk.heading_path)}")
            self._rows += [(s, number, terms(s.text), around) for s in sentences(item.chunk.text)]
        counts = Counter(t for _, _, words, around in self._rows for t in words | around)
        total = len(self._rows) or 1
        self._idf = {t: math.log(1 + total / n) for t, n in counts.items()}
        self._rare = math.log(1 + total)
        self._codes = [m.canonical.lower() for m in parsed.codes]
        self._years = frozenset(YEAR.findall(parsed.time.text)) if parsed.time else frozenset()

    def _weight(self, words: frozenset[str]) -> float:
        return sum(self._idf.get(t, self._rare) for t in words)

    def ranked(self, need: str) -> list[Candidate]:
        """Every sentence, best first."""
        wanted = terms(need)
        total = self._weight(wanted) or 1.0
        scored = [
            Candidate(s, number, self._score(s, number, words, around, wanted, total))
            for s, number, words, around in self._rows
        ]
        return sorted(scored, key=lambda c: (-c.score, c.number, c.sentence.start))

    def _score(
        self,
        sentence: Sentence,
        number: int,
        words: frozenset[str],
        around: frozenset[str],
        wanted: frozenset[str],
        total: float,
    ) -> float:
        own = self._weight(wanted & words)
        inherited = self._weight((wanted & around) - words)
        score = (own + 0.5 * inherited) / total
        item = self._evidence[number - 1]
        context = f"{item.chunk.document.title} {' '.join(item.chunk.heading_path)} {item.chunk.text}".lower()
        if self._codes and not any(c in context for c in self._codes):
            score *= PENALTY
        if self._years and not self._has_year(sentence.text, item):
            score *= PENALTY
        if self._parsed.quantity is not None and not DIGIT.search(sentence.text):
            score *= PENALTY
        if sentence.text.endswith(("?", "？", ":", "：")):
            score *= PENALTY
        return score * (0.75 + 0.25 * item.weight)

    def _has_year(self, text: str, item: Evidence) -> bool:
        document = item.chunk.document
        dates = (document.published_at, document.effective_from, document.updated_at)
        stated = f"{text} {document.title} {' '.join(item.chunk.heading_path)} {document.version}"
        known = set(YEAR.findall(stated)) | {str(d.year) for d in dates if d}
        return bool(self._years & known)

    def list_around(self, need: str) -> list[Candidate]:
        """The list items of the passage that answers the need best, in their order."""
        wanted = terms(need)
        total = self._weight(wanted) or 1.0
        best: list[Candidate] = []
        best_score = 0.0
        for number, item in enumerate(self._evidence, start=1):
            rows = [r for r in self._rows if r[1] == number]
            items = [r for r in rows if r[0].is_item]
            if len(items) < 2:
                continue
            everything = frozenset().union(*(r[2] | r[3] for r in rows))
            score = self._weight(wanted & everything) / total * (0.75 + 0.25 * item.weight)
            if score > best_score:
                best_score = score
                best = [Candidate(r[0], number, score) for r in items]
        return best if best_score >= MIN_COVERAGE * 2 else []
