"""Chooses the passages that statements are written from, one need at a time, and cuts them to what matters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from services.common.domain.question import ParsedQuestion
from services.orchestrator.domain.concepts import Concepts, Gloss, term_set
from services.orchestrator.domain.evidence import Evidence
from services.orchestrator.domain.needs import needs_of
from services.orchestrator.domain.passages import PassageIndex, about_text
from services.orchestrator.domain.sentences import WORD, split_at_marks, terms

SENTENCES_PER_PASSAGE = 3
ENOUGH_OF_BEST = 0.7
FIGURE = re.compile(r"\d[\d.,]*")
# A question answers none.
QUESTION_MARK = re.compile(r"[?？]\W*$")
CLAUSE_END = re.compile(r"[;,。；，]\s*|\.\s+")
SHORTEST_CLAUSE = 8
REPEATED_WORDS = 5
# Beside the question's own words and the title's; a new figure is enough by itself.
FEWEST_NEW_TERMS = 2


@dataclass(frozen=True, slots=True)
class Focus:
    """A passage to write one statement from: its source number, what to ask of it, and its telling sentences.

    ``best_match`` is the number of the question's ``concepts`` that its best sentence speaks of.
    """

    number: int
    question: str
    evidence: Evidence
    concepts: Concepts
    best_match: float
    sentences: tuple[str, ...]


def focused(parsed: ParsedQuestion, evidence: Sequence[Evidence], gloss: Gloss, day: date, limit: int) -> list[Focus]:
    """At most ``limit`` passages: the best for every need first, then the next best of the first need."""
    index = PassageIndex(parsed, evidence, gloss, day)
    chosen: dict[int, Focus] = {}
    rest: list[Focus] = []
    for need in needs_of(parsed):
        best: dict[int, list[tuple[int, str]]] = {}
        for candidate in index.ranked(need.text, need.side, need.others):
            if candidate.score > 0:
                best.setdefault(candidate.number, []).append((candidate.sentence.start, candidate.sentence.text))
        ranked = [
            Focus(
                number,
                parsed.question if not need.side else need.text,
                replace(evidence[number - 1], excerpt=_in_order(rows[:SENTENCES_PER_PASSAGE])),
                concepts := index.concepts(need.text),
                concepts.matched(term_set(rows[0][1], gloss)),
                tuple(text for _, text in rows[:SENTENCES_PER_PASSAGE]),
            )
            for number, rows in best.items()
        ]
        if ranked:
            chosen.setdefault(ranked[0].number, ranked[0])
            rest += ranked[1:]
    for focus in rest:
        if len(chosen) >= limit:
            break
        chosen.setdefault(focus.number, focus)
    return list(chosen.values())[:limit]


def is_telling(statement: str, focus: Focus, gloss: Gloss) -> bool:
    """False for a statement that is supported and yet no answer.

    It repeats itself, the question or the title, it mixes the figures of several sentences or rows, or it speaks of
    much less of the question than the passage's best sentence.
    """
    own = _figures(statement) - _figures(focus.question)
    if _repeats(statement) or not any(own <= _figures(s) for s in focus.sentences):
        return False
    told = terms(statement) - terms(focus.question) - terms(about_text(focus.evidence))
    return (len(told) >= FEWEST_NEW_TERMS or bool(own)) and focus.concepts.matched(
        term_set(statement, gloss)
    ) >= ENOUGH_OF_BEST * focus.best_match


def telling_part(statement: str, focus: Focus, gloss: Gloss) -> str:
    """The sentences of a statement that tell something; empty if none does.

    Asked for one sentence a small model goes on: with the number of the next item, its heading, an aside.
    """
    parts = [text for _, text in split_at_marks(statement)]
    told = (part for part in parts if not QUESTION_MARK.search(part) and is_telling(part.strip(), focus, gloss))
    return "".join(told).strip()  # with the blanks between them: Chinese sentences have none


def _figures(text: str) -> set[str]:
    return {m.rstrip(".,") for m in FIGURE.findall(text)}


def _repeats(statement: str) -> bool:
    """True if a clause or a run of words stands twice: a small model that cannot stop."""
    clauses = [c.strip().lower() for c in CLAUSE_END.split(statement)]
    told = [c for c in clauses if len(c) >= SHORTEST_CLAUSE]
    words = WORD.findall(statement.lower())
    runs = [tuple(words[i : i + REPEATED_WORDS]) for i in range(len(words) - REPEATED_WORDS + 1)]
    return len(told) != len(set(told)) or len(runs) != len(set(runs))


def _in_order(rows: Sequence[tuple[int, str]]) -> str:
    return " ".join(text for _, text in sorted(rows))
