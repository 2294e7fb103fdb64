"""What a reader of a DOCX sees and mammoth does not, or the other way round, is set right in the tree of a part."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from services.retrieval.adapters.parsers.docx_drawings import spell_out_drawings
from services.retrieval.adapters.parsers.docx_styles import Styles
from services.retrieval.adapters.parsers.docx_symbols import spell_out_symbols
from services.retrieval.adapters.parsers.docx_xml import M, W, is_on, make, put, remove, run, text_element, value_of
from services.retrieval.adapters.parsers.formulas import linear

_WORDML = "{http://schemas.microsoft.com/office/word/2010/wordml}"
_RELATIONS = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
# Marks of places and notes of reviewers: no text of the document.
_NO_TEXT = ("bookmarkStart", "bookmarkEnd", "commentReference")
_DELETED = ("del", "moveFrom")
# What stands around runs and hides them from mammoth: results of fields, directions of writing.
_WRAPPERS = ("fldSimple", "dir", "bdo")
_MOST_COLUMNS = 100


def mend(root: Any, styles: Styles, notes: Callable[[str, str], bool], related: Mapping[str, Any]) -> None:
    """Changes the tree of a part in place.

    ``notes`` tells whether there is a note of a kind with an id; ``related`` holds charts and diagrams by their ids.
    """
    _accept_changes(root)
    for element in _all(root, *_NO_TEXT):
        remove(element)
    for box in list(root.iter(f"{_WORDML}checkbox")):
        remove(box)  # the content of the control is the sign of its state, and read once it counts as text
    for element in _all(root, *_WRAPPERS):
        put(element, list(element))
    spell_out_drawings(root, related)
    _leave_out_hidden(root, styles)
    _spell_out_formulas(root)
    spell_out_symbols(root)
    _break_lines(root)
    _square_tables(root)
    _loosen_references(root, notes)


def _all(root: Any, *names: str) -> list[Any]:
    return list(root.iter(*(f"{W}{name}" for name in names)))


def _accept_changes(root: Any) -> None:
    """What was deleted goes. Paragraphs whose end was deleted go on with the next one; so does an initial that is set
    as a paragraph."""
    for paragraph in reversed(_all(root, "p")):  # so that what is joined to the next is moved once
        properties = paragraph.find(f"{W}pPr")
        mark = None if properties is None else properties.find(f"{W}rPr")
        deleted = mark is not None and any(mark.find(f"{W}{name}") is not None for name in _DELETED)
        frame = None if properties is None else properties.find(f"{W}framePr")
        initial = frame is not None and frame.get(f"{W}dropCap", "none") != "none"
        after = paragraph.getnext()
        if (deleted or initial) and after is not None and after.tag == paragraph.tag:
            place = after.find(f"{W}pPr") is not None
            for part in reversed([child for child in paragraph if child is not properties]):
                after.insert(place, part)
            remove(paragraph)
    for element in _all(root, *_DELETED):
        parent = element.getparent()
        if parent is not None and parent.tag == f"{W}trPr" and parent.getparent() is not None:
            remove(parent.getparent())  # a row of a table
        remove(element)


def _leave_out_hidden(root: Any, styles: Styles) -> None:
    for element in _all(root, "r"):
        if is_on(element, "rPr/vanish") or styles.hides(value_of(element, "rPr/rStyle")):
            remove(element)
    for element in _all(root, "dstrike"):
        element.tag = f"{W}strike"


def _spell_out_formulas(root: Any) -> None:
    for formula in [item for tag in ("oMathPara", "oMath") for item in root.iter(f"{M}{tag}")]:
        if formula.getparent() is not None:
            put(formula, [run(f" {linear(formula)} ")])
    for ruby in _all(root, "ruby"):
        base = ruby.find(f"{W}rubyBase")
        if base is not None:  # it holds runs, and stands in one
            put(ruby, [part for inner in base for part in inner if part.tag != f"{W}rPr"])


def _break_lines(root: Any) -> None:
    for element in _all(root, "cr", "br"):  # also ends of pages and columns, for words stand on both sides
        element.tag = f"{W}br"
        element.attrib.clear()
    for element in _all(root, "ptab"):
        element.tag = f"{W}tab"
    for element in _all(root, "noBreakHyphen"):
        put(element, [text_element("-")])


def _square_tables(root: Any) -> None:
    """Cells stand in their columns, in rows that begin further right too."""
    for span in _all(root, "gridSpan"):
        width = span.get(f"{W}val", "")
        span.set(f"{W}val", width if width.isdecimal() and 0 < int(width[:9]) <= _MOST_COLUMNS else "1")
    for row in _all(root, "tr"):
        skipped = value_of(row, "trPr/gridBefore") or ""
        first = row.find(f"{W}tc")
        if first is not None and skipped.isdecimal():
            for _ in range(min(int(skipped[:9]), _MOST_COLUMNS)):
                first.addprevious(make("tc", make("p")))


def _loosen_references(root: Any, notes: Callable[[str, str], bool]) -> None:
    """What refers to other parts does so no more, for they are left out."""
    for link in _all(root, "hyperlink"):
        link.attrib.pop(f"{_RELATIONS}id", None)
        link.set(f"{W}anchor", "_")  # still a link: raised, it is a note and no power
    for kind in ("footnote", "endnote"):
        for reference in _all(root, f"{kind}Reference"):
            if not notes(kind, reference.get(f"{W}id", "")):
                remove(reference)
