"""Drawings of a DOCX: text boxes are read wherever they stand, pictures by the text that stands for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from services.retrieval.adapters.parsers.alt_text import told
from services.retrieval.adapters.parsers.docx_xml import W, make, put, remove, run, text_element
from services.retrieval.adapters.parsers.pptx_chart import chart_rows

_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_V = "{urn:schemas-microsoft-com:vml}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_CHART_TITLE = f"{_C}chart/{_C}title"
_REFERENCES = (f"{_R}id", f"{_R}dm")
_BOX = f"{W}txbxContent"


def spell_out_drawings(root: Any, related: Mapping[str, Any]) -> None:
    """Changes the tree in place: of alternatives one is left, text boxes stand where mammoth finds them, charts become
    tables, diagrams lines, and pictures are gone but for what is told of them. ``related``: charts and diagrams by the
    ids with which drawings refer to them."""
    for choice in list(root.iter(f"{_MC}AlternateContent")):
        put(choice, _chosen(choice))
    for drawing in list(root.iter(f"{W}drawing")):
        if drawing.getparent() is None:
            continue
        boxes = [box for box in drawing.iter(_BOX) if next(box.iterancestors(_BOX), None) is None]
        shown = [block for key in _ids(drawing) if key in related for block in _blocks(related[key])]
        text = "" if boxes or shown else _told(drawing)
        paragraph = next(drawing.iterancestors(f"{W}p"), None)
        if paragraph is not None:
            for block in reversed(shown):
                paragraph.addnext(block)
        if boxes:
            put(drawing, [make("pict", *boxes)])
        elif text:
            put(drawing, [text_element(f" {text} ")])
        else:
            remove(drawing)
    for picture in list(root.iter(f"{_V}imagedata")):
        remove(picture)


def _chosen(alternatives: Any) -> list[Any]:
    """What older programs are to show, if it has a text: mammoth reads that; else the first one that has anything."""
    fallback = alternatives.find(f"{_MC}Fallback")
    choices = [] if fallback is None else [fallback]
    choices += alternatives.findall(f"{_MC}Choice")
    for choice in choices:
        if next(choice.iter(f"{W}t"), None) is not None:
            return list(choice)
    return next((list(choice) for choice in reversed(choices) if len(choice)), [])


def _ids(drawing: Any) -> Iterator[str]:
    """Ids of the parts that a drawing shows."""
    for element in drawing.iter():
        if isinstance(element.tag, str) and element.tag.endswith(("}chart", "}relIds")):
            yield from (value for name, value in element.attrib.items() if name in _REFERENCES)


def _blocks(part: Any) -> list[Any]:
    """A chart as a table, a diagram as paragraphs."""
    if part.tag.endswith("}chartSpace"):
        rows = [make("tr", *(make("tc", _paragraph(text)) for text in row)) for row in chart_rows(part)]
        title = "".join(text for found in part.iterfind(_CHART_TITLE) for text in found.itertext(f"{_A}t")).strip()
        return [*([_paragraph(title)] if title else []), *([make("tbl", *rows)] if rows else [])]
    texts = ("".join(paragraph.itertext(f"{_A}t")).strip() for paragraph in part.iter(f"{_A}p"))
    return [_paragraph(text) for text in texts if text]


def _paragraph(text: str) -> Any:
    return make("p", run(text))


def _told(drawing: Any) -> str:
    for element in drawing.iter():
        if isinstance(element.tag, str) and element.tag.endswith("}docPr"):
            return told(element.get("descr") or element.get("title") or "")
    return ""
