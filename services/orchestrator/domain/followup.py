"""What a task that waits for another one asks: the wording of a place that a code names, or of the best passage."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from services.orchestrator.domain.editions import pattern_of, sorted_out
from services.orchestrator.domain.evidence import RouteOutcome
from services.orchestrator.domain.plan import PlanTask
from services.orchestrator.domain.sentences import sentences

BEST_PASSAGE_CHARACTERS = 400
SHORTEST_WORDING = 12
# Before a number that opens a row or sentence: "#: ", "Requirement ", "第".
LONGEST_LABEL = 16
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
FOOTNOTE = re.compile(r"\(\[[^\]]*\]\([^)]*\)\)")


def resolved(
    stage: Sequence[PlanTask], outcomes: Sequence[RouteOutcome], codes: Sequence[str]
) -> tuple[list[PlanTask], list[str]]:
    """Tasks that depend on others take the wording of the place a code names, else the beginning of their best passage.

    Without a passage they are left out. The second part of the result is the wordings of places.
    """
    hits = {o.task_id: o.hits for o in outcomes if o.hits}
    resolved: list[PlanTask] = []
    places: list[str] = []
    for task in stage:
        if not task.depends_on:
            resolved.append(task)
            continue
        chunks = [h.chunk for d in task.depends_on for h in hits.get(d, ())]
        if chunks:
            # "4.0.3 2.1.1" names an edition and a place in it: passages of that edition come first.
            named = sorted_out(codes, (c.document.version for c in chunks))
            chunks.sort(key=lambda c: not named.of_edition(c.document.version))
            place = wording([c.text for c in chunks], named.places)[:BEST_PASSAGE_CHARACTERS]
            places += [place] if place else []
            best = " ".join(chunks[0].text.split())[:BEST_PASSAGE_CHARACTERS]
            resolved.append(replace(task, query=place or best))
    return resolved, places


def wording(texts: Sequence[str], codes: Sequence[str]) -> str:
    """The first sentence that one of the codes opens, else stands in, without the code; empty if there is none.

    A place has its number before it; another one that only refers to it has it somewhere.
    """
    told = [sentence.text for text in texts for sentence in sentences(text)]
    for opens in (True, False):
        for code in codes:
            exact = pattern_of(code)
            for sentence in told:
                found = exact.search(sentence)
                if found is None or len(sentence) <= len(code) + SHORTEST_WORDING:
                    continue
                if not opens or found.start() <= LONGEST_LABEL:
                    return _telling(exact.sub(" ", sentence))
    return ""


def _telling(sentence: str) -> str:
    """The longest cell of a row, or the sentence, without links."""
    cells = LINK.sub(r"\1", FOOTNOTE.sub(" ", sentence)).split("; ")
    return " ".join(max((c.split(": ", 1)[-1] for c in cells), key=len).split())
