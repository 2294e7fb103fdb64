"""Texts that lie on a sheet and in none of its cells: boxes and shapes."""

from __future__ import annotations

import io
import zipfile

from lxml import etree

from services.retrieval.adapters.parsers.office_parts import DAMAGE, part_bytes, relations, xml_parser

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_BODY = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}txBody"


def boxes(content: bytes, sheet: str) -> list[str]:
    """The texts of the boxes on a sheet, by the path of its part; nothing of a damaged drawing."""
    found = []
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for relation in relations(archive, sheet):
            if relation.kind != "drawing":
                continue
            try:
                root = etree.fromstring(part_bytes(archive, relation.target), xml_parser())
            except (KeyError, etree.XMLSyntaxError, *DAMAGE):
                continue
            for body in root.iter(_BODY):
                lines = ["".join(line.itertext(f"{_A}t")).strip() for line in body.iter(f"{_A}p")]
                found.append("\n".join(line for line in lines if line))
    return [text for text in found if text]
