"""A DOCX as mammoth needs it: what it leaves out or cannot know is written into the text.

Numbers that Word counts are written before their paragraphs, levels of outline become headings, and a table of contents
goes, for it says what the headings say. See docx_mend for the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from services.retrieval.adapters.parsers.docx_mend import mend
from services.retrieval.adapters.parsers.docx_numbers import Numbering, bullet, bullets, read_numbering
from services.retrieval.adapters.parsers.docx_package import read_package, write_package
from services.retrieval.adapters.parsers.docx_styles import Styles, outline_level, outline_style
from services.retrieval.adapters.parsers.docx_xml import W, is_on, make, remove, run, value_of

_NOTES = ("footnote", "endnote")
# A paragraph that is longer is no heading, whatever level of outline it was given.
_LONGEST_HEADING = 200


@dataclass(frozen=True, slots=True)
class Readable:
    """The file as mammoth is to read it, the parts of it that are damaged, and how many documents it takes in that
    only a word processor can."""

    content: bytes
    damaged: list[str]
    taken_in: int


def readable(content: bytes) -> Readable:
    """What there is to read of a file.

    Raises:
        DocumentRejected: as ``read_package``.
    """
    package = read_package(content)
    styles = Styles(package.parts.pop("styles", None))
    numbering = read_numbering(package.parts.pop("numbering", None))
    known = _notes(package.parts)
    parts = {"document": package.document, **package.parts}
    for root in parts.values():
        mend(root, styles, lambda kind, key: (kind, key) in known, package.shown)
        _number(root, numbering, styles)
        _head(root, styles)
    parts |= {"styles": styles.plain(), "numbering": bullets()}
    taken_in = sum(1 for _ in package.document.iter(f"{W}altChunk"))
    return Readable(write_package(parts), package.damaged, taken_in)


def _notes(parts: dict[str, Any]) -> set[tuple[str, str]]:
    """Kinds and ids of notes; those without an id, which nothing can refer to, are taken out."""
    found = set()
    for kind in _NOTES:
        root = parts.get(f"{kind}s")
        for note in [] if root is None else list(root.iter(f"{W}{kind}")):
            key = note.get(f"{W}id")
            if key is None:
                remove(note)
            else:
                found.add((kind, key))
    return found


def _head(root: Any, styles: Styles) -> None:
    """Paragraphs with a level of outline of their own become headings; entries of a table of contents go."""
    headed = False
    contents = []
    for paragraph in root.iter(f"{W}p"):
        style = value_of(paragraph, "pPr/pStyle")
        level = outline_level(value_of(paragraph, "pPr/outlineLvl"))
        if styles.is_contents(style):
            contents.append(paragraph)
        elif level is not None and sum(map(len, paragraph.itertext(f"{W}t"))) <= _LONGEST_HEADING:
            _set_style(paragraph.find(f"{W}pPr"), outline_style(level))
            headed = True
        else:
            headed = headed or styles.level(style) is not None
    for entry in contents if headed else ():
        remove(entry)


def _set_style(properties: Any, style: str) -> None:
    for element in [*properties.findall(f"{W}pStyle"), *properties.findall(f"{W}numPr")]:
        properties.remove(element)
    properties.insert(0, make("pStyle", val=style))


def _number(root: Any, numbering: Numbering, styles: Styles) -> None:
    """Writes the numbers of lists before their paragraphs, which then are no items of lists any more; bullets stay."""
    for paragraph in root.iter(f"{W}p"):
        properties = paragraph.find(f"{W}pPr")
        key = value_of(properties, "pStyle")
        own = properties.find(f"{W}numPr") if properties is not None else None
        used = own if own is not None else styles.property(key, "numPr")
        if used is None:
            continue
        if own is not None:
            properties.remove(own)
        empty = not "".join(paragraph.itertext(f"{W}t")).strip()
        if empty and is_on(properties, "rPr/vanish"):
            continue
        list_id, level = _list_of(used, key, numbering)
        if numbering.is_bullet(list_id, level):
            _properties(paragraph).append(bullet(level))
        elif (label := numbering.label(list_id, level)) and not empty:  # an empty one is counted, too
            paragraph.insert(0 if properties is None else paragraph.index(properties) + 1, run(f"{label} "))


def _properties(paragraph: Any) -> Any:
    properties = paragraph.find(f"{W}pPr")
    if properties is None:
        properties = make("pPr")
        paragraph.insert(0, properties)
    return properties


def _list_of(used: Any, style: str | None, numbering: Numbering) -> tuple[str, int]:
    list_id, level = value_of(used, "numId") or "", value_of(used, "ilvl") or ""
    if level.isdecimal():
        return list_id, int(level[:9])
    linked = numbering.of_style(style) if style else None
    return (list_id or linked[0], linked[1]) if linked is not None else (list_id, 0)
