"""From a ``ChunkFilter`` to Milvus's expression language. Nothing of a caller enters it unescaped."""

from __future__ import annotations

import re
from collections.abc import Iterable

from services.common.errors import InvalidInput
from services.retrieval.domain.filters import ChunkFilter

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNSAFE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def quote(value: str, field: str = "filter") -> str:
    """``value`` as a string literal of the expression language.

    Escaped here because expression templates do not work on every server.

    Raises:
        InvalidInput: control characters, which no stored value has and which have no portable escape.
    """
    if _UNSAFE.search(value):
        raise InvalidInput.of_field(field, "contains control characters; remove them", "CONTROL_CHARACTERS")
    return '"' + "".join(_ESCAPES.get(char, char) for char in value) + '"'


def compile_filter(condition: ChunkFilter) -> str:
    """The expression that a row must satisfy; it is never empty, for access is always part of it."""
    terms = [_any_of("access_key", condition.access_keys, "access")]
    if condition.in_force_on is not None:
        day = condition.in_force_on.toordinal()
        terms.append(f"(window_start <= {day} and window_end >= {day})")
    for name, values in (
        ("doc_type", condition.doc_types),
        ("language", condition.languages),
        ("document_id", condition.document_ids),
        ("version", condition.versions),
    ):
        if values:
            terms.append(_any_of(name, values, f"filter.{name}"))
    if condition.min_authority:
        terms.append(f"authority >= {int(condition.min_authority)}")
    if condition.published is not None:
        terms.append(_published(condition))
    if condition.heading:
        terms.append(f"array_contains(heading_path, {quote(condition.heading, 'filter.heading')})")
    return " and ".join(terms)


def _any_of(name: str, values: Iterable[str], field: str) -> str:
    quoted = ", ".join(quote(value, field) for value in values)
    return f"{name} in [{quoted}]"


def _published(condition: ChunkFilter) -> str:
    assert condition.published is not None
    bounds = []
    if condition.published.start is not None:
        bounds.append(f"published_day >= {condition.published.start.toordinal()}")
    if condition.published.end is not None:
        bounds.append(f"published_day <= {condition.published.end.toordinal()}")
    # Day 0 stands for documents that state no day of publication; they pass.
    return f"(published_day == 0 or ({' and '.join(bounds)}))" if bounds else "published_day >= 0"
