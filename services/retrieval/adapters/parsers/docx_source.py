"""A DOCX as mammoth needs it: what it leaves out or cannot know is written into the text.

Numbers that Word counts, formulas, fields with their results, base characters under readings; and what no reader sees
(hidden text) is taken out. Levels of outline that styles of a document's own have become headings.
"""

from __future__ import annotations

import io
import zipfile
from typing import Any

from lxml import etree

from services.retrieval.adapters.parsers.docx_numbers import Numbering, W, read_numbering
from services.retrieval.adapters.parsers.formulas import linear

_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_OFF = ("0", "false", "off")
_HEADING_LEVELS = 6
# Parts with text of the document itself.
_PARTS = ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml")
_NO_TEXT = ("word/media/", "word/embeddings/", "word/fonts/")
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)


def readable(content: bytes) -> tuple[bytes, list[str]]:
    """The file as mammoth is to read it, and style mappings for the document's own styles.

    Raises what lxml and zipfile raise on damaged files.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist() if not name.startswith(_NO_TEXT)}
    styles = _Styles(_tree(parts.get("word/styles.xml")))
    numbering = read_numbering(_tree(parts.get("word/numbering.xml")))
    for name in _PARTS:
        root = _tree(parts.get(name))
        if root is not None:
            _mend(root)
            _number(root, numbering, styles)
            parts[name] = etree.tostring(root)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return buffer.getvalue(), styles.mappings()


class _Styles:
    """Styles of paragraphs: their names, their level of outline and their list, their own or inherited."""

    def __init__(self, root: Any) -> None:
        found = () if root is None else root.iter(f"{W}style")
        self._by_id = {style.get(f"{W}styleId"): style for style in found if style.get(f"{W}type") == "paragraph"}
        self._found: dict[tuple[str | None, str], Any] = {}

    def mappings(self) -> list[str]:
        """A heading for each style that has a level of outline and is not called one."""
        result = []
        for key, style in self._by_id.items():
            level = self.property(key, "outlineLvl")
            name = style.find(f"{W}name")
            text = "" if name is None else name.get(f"{W}val", "")
            if level is not None and level.get(f"{W}val", "9").isdecimal() and "'" not in text and text:
                number = int(level.get(f"{W}val")) + 1
                if number <= _HEADING_LEVELS:
                    result.append(f"p[style-name='{text}'] => h{number}:fresh")
        return result

    def property(self, key: str | None, name: str) -> Any:
        """A property of a style's paragraphs; None if neither it nor what it is based on has it."""
        chain: list[str | None] = []
        result = None
        while (key, name) not in self._found and (style := self._by_id.get(key)) is not None:
            # Until it is known: styles that are based on each other in a circle end here.
            self._found[(key, name)] = None
            chain.append(key)
            result = style.find(f"{W}pPr/{W}{name}")
            if result is not None:
                break
            base = style.find(f"{W}basedOn")
            key = None if base is None else base.get(f"{W}val")
        else:
            result = self._found.get((key, name))
        self._found |= dict.fromkeys(((passed, name) for passed in chain), result)
        return result


def _tree(data: bytes | None) -> Any:
    return None if data is None else etree.fromstring(data, _PARSER)


def _mend(root: Any) -> None:
    for run in list(root.iter(f"{W}r")):
        hidden = run.find(f"{W}rPr/{W}vanish")
        if hidden is not None and hidden.get(f"{W}val") not in _OFF:
            _remove(run)
    for formula in [item for tag in ("oMathPara", "oMath") for item in root.iter(f"{_M}{tag}")]:
        if formula.getparent() is not None:
            _put(formula, [_run(f" {linear(formula)} ")])
    for ruby in list(root.iter(f"{W}ruby")):
        base = ruby.find(f"{W}rubyBase")
        if base is not None:  # it holds runs, and stands in one
            _put(ruby, [part for run in base for part in run if part.tag != f"{W}rPr"])
    for field in list(root.iter(f"{W}fldSimple")):
        _put(field, list(field))
    for hyphen in list(root.iter(f"{W}noBreakHyphen")):
        _put(hyphen, [_text("-")])


def _number(root: Any, numbering: Numbering, styles: _Styles) -> None:
    """Writes the numbers of lists before their paragraphs, which then are no items of lists any more."""
    for paragraph in root.iter(f"{W}p"):
        properties = paragraph.find(f"{W}pPr")
        style = properties.find(f"{W}pStyle") if properties is not None else None
        key = style.get(f"{W}val") if style is not None else None
        own = properties.find(f"{W}numPr") if properties is not None else None
        used = own if own is not None else styles.property(key, "numPr")
        if used is None or not "".join(paragraph.itertext(f"{W}t")).strip():
            continue
        list_id, level = _list_of(used, key, numbering)
        label = numbering.label(list_id, level)
        if label is None:
            continue
        if own is not None:
            properties.remove(own)
        if label:
            paragraph.insert(0 if properties is None else paragraph.index(properties) + 1, _run(f"{label} "))


def _list_of(used: Any, style: str | None, numbering: Numbering) -> tuple[str, int]:
    number, level = used.find(f"{W}numId"), used.find(f"{W}ilvl")
    list_id = number.get(f"{W}val", "") if number is not None else ""
    if level is not None and level.get(f"{W}val", "").isdecimal():
        return list_id, int(level.get(f"{W}val"))
    linked = numbering.of_style(style) if style else None
    return (list_id or linked[0], linked[1]) if linked is not None else (list_id, 0)


def _run(text: str) -> Any:
    run = etree.Element(f"{W}r")
    run.append(_text(text))
    return run


def _text(text: str) -> Any:
    element = etree.Element(f"{W}t")
    element.set(_XML_SPACE, "preserve")
    element.text = text
    return element


def _put(element: Any, others: list[Any]) -> None:
    """Puts ``others`` in the place of ``element``."""
    if element.getparent() is None:
        return
    for other in reversed(others):
        other.tail = None
        element.addnext(other)
    _remove(element)


def _remove(element: Any) -> None:
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)
