"""A parse in the form that the perception data's scorer reads."""

from __future__ import annotations

from typing import Any

from services.common.domain.question import ParsedQuestion


def to_scorer_form(parsed: ParsedQuestion) -> dict[str, Any]:
    """The labelled fields of a prediction; the caller adds ``id``."""
    time = parsed.time
    return {
        "action": parsed.action.value,
        "entities": [mention.text for mention in parsed.entities],
        "codes": [mention.text for mention in parsed.codes],
        "time": None
        if time is None
        else {
            "relation": time.relation.value,
            "start": time.interval.start.isoformat() if time.interval.start else None,
            "end": time.interval.end.isoformat() if time.interval.end else None,
        },
        "quantitative": parsed.asks_number,
        "sides": [mention.text for mention in parsed.sides],
        "source": parsed.source.text if parsed.source else None,
        "parts": max(1, len(parsed.parts)),
    }
