"""Sentences that TriRAG itself says, by language and name; their texts stand in ``config/messages.yaml``."""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Reason(StrEnum):
    """Why a part did not do its work; ``reason_NAME`` in the catalogue says it in words."""

    UNAVAILABLE = "unavailable"
    TIMEOUT = "timeout"
    OVERLOADED = "overloaded"
    CUT_OFF = "cut_off"
    NO_MODEL = "no_model"
    FAILED = "failed"


# Name of a message to the placeholders that its text may use. The loader holds the file against this table.
PLACEHOLDERS: Mapping[str, frozenset[str]] = {
    "refusal": frozenset(),
    "refusal_found": frozenset({"titles"}),
    "refusal_found_nothing": frozenset(),
    "refusal_missing": frozenset({"missing"}),
    "refusal_contact": frozenset({"contact"}),
    "clarification": frozenset({"missing"}),
    "evidence_only": frozenset(),
    "conflict_lead_in": frozenset(),
    "growth_up": frozenset({"percent", "earlier", "later"}),
    "growth_down": frozenset({"percent", "earlier", "later"}),
    "quarter": frozenset({"quarter", "numeral", "year"}),
    "year": frozenset({"year"}),
    "part_not_found": frozenset({"part"}),
    "degraded_perception": frozenset({"reason"}),
    "degraded_sufficiency": frozenset({"reason"}),
    "route_unavailable": frozenset({"knowledge_base", "reason"}),
    "unknown_knowledge_base": frozenset({"knowledge_base"}),
    "not_searched": frozenset({"most", "knowledge_bases"}),
    "llm_unavailable": frozenset({"reason"}),
    "draft_rejected": frozenset({"issues"}),
    "conflicting_sources": frozenset({"about", "value_a", "value_b"}),
    "deadline_near": frozenset(),
    "low_confidence": frozenset(),
    "validation_unavailable": frozenset({"reason"}),
    "statements_dropped": frozenset({"count"}),
    **{f"reason_{reason}": frozenset[str]() for reason in Reason},
}


class MessageError(ValueError):
    """The catalogue lacks a message or uses a placeholder that it is not given."""


@dataclass(frozen=True)
class Messages:
    """Texts by language, then by name. Build it with :func:`checked`."""

    texts: Mapping[str, Mapping[str, str]]
    default_language: str

    @property
    def languages(self) -> frozenset[str]:
        """Languages that have texts."""
        return frozenset(self.texts)

    def text(self, language: str, name: str, **values: str) -> str:
        """The message in a language, its placeholders filled."""
        catalogue = self.texts.get(language) or self.texts[self.default_language]
        return catalogue[name].format(**values)

    def template(self, language: str, name: str) -> str:
        """The message with its placeholders, for whoever fills them later."""
        return (self.texts.get(language) or self.texts[self.default_language])[name]


def checked(texts: Mapping[str, Any], default_language: str) -> Messages:
    """Holds every text, as a file has it, against :data:`PLACEHOLDERS`.

    Raises:
        MessageError: names language, message and what is wrong.
    """
    if default_language not in texts:
        raise MessageError(f"default_language: there are no texts in {default_language!r}")
    for language, catalogue in texts.items():
        if not isinstance(catalogue, Mapping):
            raise MessageError(f"{language}: must hold texts by name")
        for name, allowed in PLACEHOLDERS.items():
            if name not in catalogue:
                raise MessageError(f"{language}.{name}: is missing")
            _check_text(f"{language}.{name}", catalogue[name], allowed)
        for name in catalogue:
            if name not in PLACEHOLDERS:
                raise MessageError(f"{language}.{name}: there is no message of that name")
    return Messages(texts, default_language)


def _check_text(place: str, text: object, allowed: frozenset[str]) -> None:
    if not isinstance(text, str):
        raise MessageError(f"{place}: must be a text, is {text!r}")
    try:
        used = {field for _, field, _, _ in string.Formatter().parse(text) if field is not None}
        if not used <= allowed:
            extra = ", ".join(sorted(used - allowed))
            raise MessageError(f"{place}: unknown placeholder {extra}; it may use {sorted(allowed)}")
        text.format(**dict.fromkeys(allowed, ""))
    except MessageError:
        raise
    except (ValueError, LookupError) as error:
        raise MessageError(f"{place}: {error}; a brace that is meant as such is written twice") from None
