"""Which rows of a table answer a question for the most, the least, or all of something."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.orchestrator.domain.concepts import Concept, Concepts, Gloss, term_set
from services.orchestrator.domain.passages import Candidate

# The number of a cell: its unit, currency or sign of approximation may stand beside it.
NUMBER = re.compile(r"^[^\d−–-]{0,4}([-−–]?\d{1,3}(?:[,，]\d{3})+(?:\.\d+)?|[-−–]?\d+(?:\.\d+)?)\D{0,24}$")
YEAR = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
# A sum of the others is none of them.
SUM = re.compile(r"^\W*(?:(?:grand |sub)?total|sum|all|overall|average|mean|合计|总计|小计|共计|平均)\b", re.IGNORECASE)
# Of a list rows that have so much of what the best one has belong to it.
BELONGS = 0.8


@dataclass(frozen=True, slots=True)
class Wanted:
    """The ``most`` rows with the largest or smallest value of something; ``years`` are those the question names."""

    concepts: Concepts
    years: frozenset[str]
    largest: bool
    most: int


def extremes(rows: Sequence[Candidate], wanted: Wanted, gloss: Gloss) -> list[Candidate]:
    """The rows that are wanted, and those equal to the last of them.

    Empty if the table does not tell which column is meant: its rows then answer nothing.
    """
    concepts, largest, most = wanted.concepts, wanted.largest, wanted.most
    rows = [r for r in rows if r.sentence.cells and not SUM.match(r.sentence.cells[0][1])]
    column = _column(rows, wanted, gloss)
    if column is None:
        return []
    meant = _meant(rows, concepts, gloss)
    values = {id(r): value for r in meant if (value := _value(r, column)) is not None}
    ranked = sorted((r for r in meant if id(r) in values), key=lambda r: values[id(r)], reverse=largest)
    if not ranked:
        return []
    last = values[id(ranked[min(most, len(ranked)) - 1])]
    return [r for r in ranked if values[id(r)] == last or (values[id(r)] > last) is largest]


def listed(rows: Sequence[Candidate], best: Candidate) -> list[Candidate]:
    """The rows of a table that belong to the list whose ``best`` row was found, in their order."""
    return [r for r in rows if r.score >= best.score * BELONGS]


def _column(rows: Sequence[Candidate], wanted: Wanted, gloss: Gloss) -> int | None:
    """The column of numbers whose header has most of the question, else the only one; None if that is not clear."""
    if not rows:
        return None
    numeric = [
        i for i in range(len(rows[0].sentence.cells)) if sum(_value(r, i) is not None for r in rows) * 2 > len(rows)
    ]
    scored = []
    for index in numeric:
        header = rows[0].sentence.cells[index][0]
        years = set(YEAR.findall(header))
        if not wanted.years or not years or wanted.years & years:
            scored.append((wanted.concepts.matched(term_set(header, gloss)), index))
    best = max((score for score, _ in scored), default=0.0)
    found = [index for score, index in scored if score == best]
    return found[0] if len(found) == 1 else None


def _meant(rows: Sequence[Candidate], concepts: Concepts, gloss: Gloss) -> Sequence[Candidate]:
    """The rows that the question narrows the table down to ("in Lyon"): what no header, but some cells have."""
    headers = term_set(" ".join(h for h, _ in rows[0].sentence.cells), gloss)
    cells = {id(r): term_set(" ".join(c for _, c in r.sentence.cells), gloss) for r in rows}

    def narrows(concept: Concept) -> bool:
        return concept.match(headers) == 0 and any(concept.match(c) == 1 for c in cells.values())

    wanted = [c for c in concepts.members if narrows(c)]
    meant = [r for r in rows if all(c.match(cells[id(r)]) == 1 for c in wanted)]
    return meant or rows


def _value(row: Candidate, column: int) -> float | None:
    cells = row.sentence.cells
    found = NUMBER.match(cells[column][1].strip()) if column < len(cells) else None
    if found is None:
        return None
    return float(re.sub(r"[,，]", "", found.group(1)).replace("−", "-").replace("–", "-"))
