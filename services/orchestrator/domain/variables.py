"""What policy conditions can see: a parsed question as plain values. Every name is always there."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from services.common.domain.question import ParsedQuestion
from services.common.domain.verdict import Sufficiency

YEAR = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")

# The documentation of every variable; the loader refuses a condition that uses another name.
VARIABLES: Mapping[str, str] = {
    "question": "the user's words",
    "language": "en, zh, mixed or another ISO 639-1 code",
    "action": "primary action, such as compare or how_to",
    "actions": "all actions, best first",
    "entities": "canonical names, also model numbers",
    "codes": "canonical codes and references",
    "attributes": "what is asked about the entities",
    "sides": "the things compared",
    "time": "present, relation, names_year, start, end (ISO days or empty)",
    "quantity": "present, superlative, top_n",
    "source": "the named source, or empty",
    "labels": "values attached by rule packs, by name",
    "parts": "number of sub-questions",
    "missing": "what a vague question lacks",
    "degraded": "true if perception was down",
    "knowledge_bases": "names that this question may search",
    "round": "search round, from 1",
    "max_rounds": "limit of rounds",
    "sufficiency": "label, score, missing (count), conflicts (count of undecided ones)",
    "hits": "passages in the context",
    "llm": "available, model: the language model's name",
}


def question_variables(
    parsed: ParsedQuestion, knowledge_bases: Sequence[str], degraded: bool, llm_model: str
) -> dict[str, Any]:
    """Values for planning; the variables of later stages hold their neutral values."""
    time = parsed.time
    return {
        "question": parsed.question,
        "language": parsed.language,
        "action": parsed.action.value,
        "actions": [a.action.value for a in parsed.actions],
        "entities": [m.canonical for m in parsed.entities],
        "codes": [m.canonical for m in parsed.codes],
        "attributes": [m.canonical for m in parsed.attributes],
        "sides": [m.canonical for m in parsed.sides],
        "time": {
            "present": time is not None,
            "relation": time.relation.value if time else "",
            "names_year": bool(time and YEAR.search(time.text)),
            "start": time.interval.start.isoformat() if time and time.interval.start else "",
            "end": time.interval.end.isoformat() if time and time.interval.end else "",
        },
        "quantity": {
            "present": parsed.asks_number,
            "superlative": parsed.quantity.superlative if parsed.quantity else "",
            "top_n": parsed.quantity.top_n if parsed.quantity else 0,
        },
        "source": parsed.source.canonical if parsed.source else "",
        "labels": {label.name: label.value for label in parsed.labels},
        "parts": len(parsed.parts),
        "missing": list(parsed.missing),
        "degraded": degraded,
        "knowledge_bases": list(knowledge_bases),
        "round": 1,
        "max_rounds": 1,
        "sufficiency": {"label": "", "score": 0.0, "missing": 0, "conflicts": 0},
        "hits": 0,
        "llm": {"available": bool(llm_model), "model": llm_model},
    }


def with_sufficiency(
    variables: Mapping[str, Any],
    sufficiency: Sufficiency,
    hits: int,
    round_number: int,
    max_rounds: int,
) -> dict[str, Any]:
    """The variables after a round was searched and judged."""
    return {
        **variables,
        "sufficiency": {
            "label": sufficiency.label.value,
            "score": sufficiency.score,
            "missing": sum(1 for n in sufficiency.needs if not n.covered_by),
            "conflicts": sum(1 for c in sufficiency.conflicts if not c.decided_by),
        },
        "hits": hits,
        "round": round_number,
        "max_rounds": max_rounds,
    }
