"""Names that an organisation's own documents bring along: from a file, or from the knowledge bases' titles."""

from __future__ import annotations

import json
import re
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
    """Document names from (knowledge base, title) pairs, with the shorter names that a title brings along.

    A title that is one plain word, or longer than a name, is left out: it would be found everywhere or nowhere.
    """
    names = []
    for knowledge_base, title in titles:
        text = title.strip()
        for ending in _ENDINGS:
            text = text.removesuffix(ending)
        text = text.strip("《》\"' ")
        for spelling in (text, *_short_names(text)):
            if 2 <= len(spelling) <= _LONGEST_TITLE and not _is_plain_word(spelling):
                origin = Origin(OriginKind.GAZETTEER, "gazetteer.title", knowledge_base, 0, text)
                names.append(KnownName(spelling, "document", text, origin))
    return tuple(dict.fromkeys(names))


# What says which one it is: "Travel Policy (2024)", "Spindle Manual, Rev. C", "员工手册（2024年修订）".
_EDITION = re.compile(
    r"[\s,，_-]*(?:[(（\[][^()（）\[\]]{1,40}[)）\]]|(?:v|ver\.?|version|rev\.?|revision|edition)\s?[\dA-Z][\w.]{0,9}"
    r"|(?:19|20)\d{2}(?:\s?(?:edition|年版|版))?|修订版?|试行|第[一二三四五六七八九十\d]{1,3}版)$",
    re.IGNORECASE,
)
_ABBREVIATION = re.compile(r"[(（]([A-Z][A-Za-z0-9&-]{1,11})[)）]")
_COUNTRY = re.compile(r"^中华人民共和国(?=[\u4e00-\u9fff]{2,})")
_SHORTEST = 4


def _short_names(title: str) -> Iterable[str]:
    """How a title is cut short when it is spoken of: without its edition, without the state's name, abbreviated."""
    for abbreviation in _ABBREVIATION.findall(title):
        if sum(char.isupper() for char in abbreviation) >= 2:
            yield abbreviation
    short = title
    for _ in range(3):  # "Guide v2 (draft) 2024": never longer in practice
        short = _EDITION.sub("", short)
    for spelling in (short, _COUNTRY.sub("", short)):
        # One word of a longer title is too little to know a document by.
        if spelling != title and len(spelling) >= _SHORTEST and (" " in spelling or not spelling.isascii()):
            yield spelling


def _is_plain_word(name: str) -> bool:
    """One Latin word without a digit or an inner capital: it may be a common word, so its spelling must fit."""
    return len(name) <= 2 or (name.isascii() and name.isalpha() and name[1:] == name[1:].lower())
