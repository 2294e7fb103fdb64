"""Names that an organisation's own documents bring along: from a file, or from the knowledge bases' titles."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from services.common.domain.question import Origin, OriginKind
from services.perception.domain.rules import KnownName

_LONGEST_TITLE = 80
_ENDINGS = (".md", ".txt", ".html", ".htm", ".pdf", ".docx", ".jsonl")


class GazetteerError(ValueError):
    """A gazetteer file that cannot be used; the message names file and line."""


def read_gazetteer(path: Path) -> tuple[KnownName, ...]:
    """The names of a file: one name a line, or one JSON object ``{"name", "type"?, "canonical"?, "aliases"?}``.

    Blank lines and lines that begin with ``#`` are skipped.

    Raises:
        GazetteerError: if the file cannot be read or a line is wrong.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise GazetteerError(f"{path.name}:0: cannot be read as UTF-8: {error}") from None
    names: list[KnownName] = []
    for number, line in enumerate(text.splitlines(), 1):
        entry = line.strip()
        if entry and not entry.startswith("#"):
            names.extend(_entry(entry, path.name, number))
    return tuple(names)


def _entry(entry: str, file: str, number: int) -> Iterable[KnownName]:
    if not entry.startswith("{"):
        yield _name(entry, "name", entry, file, number)
        return
    try:
        record: Any = json.loads(entry)
        name = record["name"]
        aliases = record.get("aliases", [])
        spellings = [name, *aliases]
        if not all(isinstance(s, str) and s.strip() for s in spellings):
            raise TypeError("name and aliases must be texts")
    except (ValueError, KeyError, TypeError) as error:
        raise GazetteerError(
            f'{file}:{number}: {error}; write a name, or {{"name": …, "type": …, "aliases": […]}}'
        ) from None
    for spelling in spellings:
        yield _name(spelling, record.get("type", "name"), record.get("canonical", name), file, number)


def _name(name: str, kind: str, canonical: str, file: str, line: int) -> KnownName:
    origin = Origin(OriginKind.GAZETTEER, f"gazetteer.{kind}", file, line, name)
    return KnownName(name, kind, canonical, origin, _is_plain_word(name))


def names_of_titles(titles: Iterable[tuple[str, str]]) -> tuple[KnownName, ...]:
    """Document names from (knowledge base, title) pairs.

    A title that is one plain word, or longer than a name, is left out: it would be found everywhere or nowhere.
    """
    names = []
    for knowledge_base, title in titles:
        text = title.strip()
        for ending in _ENDINGS:
            text = text.removesuffix(ending)
        text = text.strip("《》\"' ")
        if 2 <= len(text) <= _LONGEST_TITLE and not _is_plain_word(text):
            origin = Origin(OriginKind.GAZETTEER, "gazetteer.title", knowledge_base, 0, text)
            names.append(KnownName(text, "document", text, origin))
    return tuple(dict.fromkeys(names))


def _is_plain_word(name: str) -> bool:
    """One Latin word without a digit or an inner capital: it may be a common word, so its spelling must fit."""
    return len(name) <= 2 or (name.isascii() and name.isalpha() and name[1:] == name[1:].lower())
