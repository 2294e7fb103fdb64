"""The sidecar file ``meta.yaml``: which metadata each file of a folder gets.

Pure: the caller reads the YAML and passes what it holds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from services.retrieval.domain.metadata import METADATA_FIELDS


class SidecarError(ValueError):
    """The sidecar is malformed; the message names the entry (counted from 1), the reason and the remedy."""


@dataclass(frozen=True, slots=True)
class SidecarEntry:
    """Metadata ``fields`` for every path that the glob ``match`` fits."""

    match: str
    fields: Mapping[str, str]
    pattern: re.Pattern[str] = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Sidecar:
    """Entries in file order; a later one overrides an earlier one field by field."""

    entries: tuple[SidecarEntry, ...] = ()

    def fields_for(self, path: str) -> dict[str, str]:
        """Metadata for ``path``, relative to the sidecar's folder with ``/`` between its parts."""
        merged: dict[str, str] = {}
        for entry in self.entries:
            if entry.pattern.fullmatch(path):
                merged.update(entry.fields)
        return merged

    def unused(self, paths: Sequence[str]) -> tuple[str, ...]:
        """Globs that fit none of ``paths``: most often a misspelt file name."""
        return tuple(entry.match for entry in self.entries if not any(entry.pattern.fullmatch(path) for path in paths))


def parse_sidecar(content: object, *, name: str = "meta.yaml") -> Sidecar:
    """The sidecar that the loaded YAML ``content`` describes: a list of ``{match, set}``.

    Raises:
        SidecarError: on the first malformed entry.
    """
    if content is None:
        return Sidecar()
    if not isinstance(content, list):
        raise SidecarError(f"{name}: a list of entries with match and set is expected, found {_kind(content)}")
    return Sidecar(tuple(_entry(item, f"{name}: entry {index}") for index, item in enumerate(content, start=1)))


def _entry(item: Any, place: str) -> SidecarEntry:
    if not isinstance(item, dict):
        raise SidecarError(f"{place}: a mapping with match and set is expected, found {_kind(item)}")
    for key in item:
        if key not in ("match", "set"):
            raise SidecarError(f"{place}: unknown key {key!r}; only match and set are allowed")
    glob = item.get("match")
    if not isinstance(glob, str) or not glob:
        raise SidecarError(f"{place}: match must be a glob on the relative path, such as reports/*.md")
    values = item.get("set")
    if not isinstance(values, dict) or not values:
        raise SidecarError(f"{place}: set must be a mapping of metadata fields to values")
    fields = {str(key): _value(key, value, place) for key, value in values.items()}
    try:
        pattern = re.compile(_glob_to_regex(glob), re.DOTALL)
    except re.error as error:
        raise SidecarError(f"{place}: match {glob!r} is not a glob ({error}); correct what stands in [ ]") from None
    return SidecarEntry(match=glob, fields=fields, pattern=pattern)


def _value(key: Any, value: Any, place: str) -> str:
    if key not in METADATA_FIELDS:
        raise SidecarError(f"{place}: {key!r} is not a metadata field; known: {', '.join(METADATA_FIELDS)}")
    if isinstance(value, list) and all(isinstance(item, str | int) for item in value):
        return ",".join(str(item) for item in value)
    if value is None or isinstance(value, dict | list | bool):
        raise SidecarError(f"{place}: {key} must be text, a number, a date or a list of texts, found {_kind(value)}")
    # YAML turns an unquoted 2024-01-31 into a date, whose text is the same again.
    return str(value)


def _glob_to_regex(glob: str) -> str:
    """``*`` matches any run of characters, ``/`` included; ``?`` one character; ``[...]`` one of a set."""
    parts: list[str] = []
    index = 0
    while index < len(glob):
        char = glob[index]
        close = glob.find("]", index + 2) if char == "[" else -1
        if char == "*":
            parts.append(".*")
        elif char == "?":
            parts.append(".")
        elif close > 0:
            body = glob[index + 1 : close].replace("\\", "\\\\")
            body = "^" + body[1:] if body.startswith("!") else body.replace("^", "\\^")
            parts.append(f"[{body}]")
            index = close
        else:
            parts.append(re.escape(char))
        index += 1
    return "".join(parts)


def _kind(value: object) -> str:
    return {dict: "a mapping", list: "a list", str: "text", bool: "a truth value", type(None): "nothing"}.get(
        type(value), type(value).__name__
    )
