"""DOCX files for tests, put together from bodies in WordprocessingML."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

_SPACES = {
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
    "v": "urn:schemas-microsoft-com:vml",
    "w14": "http://schemas.microsoft.com/office/word/2010/wordml",
    "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
}
_DECLARED = " ".join(f'xmlns:{key}="{value}"' for key, value in _SPACES.items())
_KINDS = {"numbering": "numbering", "footnotes": "footnotes", "endnotes": "endnotes", "comments": "comments",
          "styles": "styles", "header1": "header", "footer1": "footer"}  # fmt: skip
_BASE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"


def docx(body: str, **parts: str) -> bytes:
    """A file with this body and further parts (``numbering``, ``footnotes`` ...), each without its root element."""
    files = {"word/document.xml": _root("document", f"<w:body>{body}</w:body>")}
    roots = {"header1": "hdr", "footer1": "ftr"}
    for name, content in parts.items():
        files[f"word/{name}.xml"] = _root(roots.get(name, name), content)
    relations = "".join(
        f'<Relationship Id="r{name}" Type="{_BASE}/{_KINDS[name]}" Target="{name}.xml"/>' for name in parts
    )
    files["word/_rels/document.xml.rels"] = _relations(relations)
    files["_rels/.rels"] = _relations(
        f'<Relationship Id="r1" Type="{_BASE}/officeDocument" Target="word/document.xml"/>'
    )
    overrides = "".join(
        f'<Override PartName="/word/{name}.xml" ContentType="{_TYPE}.{_KINDS[name]}+xml"/>' for name in parts
    )
    files["[Content_Types].xml"] = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{_TYPE}.document.main+xml"/>{overrides}</Types>'
    )
    return zipped(files)


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    """A ZIP archive of these files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def paragraph(text: str, properties: str = "") -> str:
    """A paragraph of plain text."""
    return f"<w:p>{f'<w:pPr>{properties}</w:pPr>' if properties else ''}{run(text)}</w:p>"


def run(text: str, properties: str = "") -> str:
    """A run of plain text."""
    return f'<w:r>{f"<w:rPr>{properties}</w:rPr>" if properties else ""}<w:t xml:space="preserve">{text}</w:t></w:r>'


def numbered(text: str, level: int = 0, list_id: int = 1) -> str:
    """A paragraph of a list."""
    return paragraph(text, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list_id}"/></w:numPr>')


def levels(*described: tuple[str, str]) -> str:
    """A numbering part with one list whose levels have these formats and texts, such as (decimal, %1.)."""
    inner = "".join(
        f'<w:lvl w:ilvl="{index}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for index, (form, text) in enumerate(described)
    )
    used = '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    return f'<w:abstractNum w:abstractNumId="0">{inner}</w:abstractNum>{used}'


def table(*rows: str) -> str:
    """A table of rows made by ``row``."""
    return f"<w:tbl>{''.join(rows)}</w:tbl>"


def row(*cells: str) -> str:
    """A row of cells made by ``cell``."""
    return f"<w:tr>{''.join(cells)}</w:tr>"


def cell(content: str, properties: str = "") -> str:
    """A cell with a text, or with paragraphs."""
    inner = content if content.startswith("<") else paragraph(content)
    return f"<w:tc>{f'<w:tcPr>{properties}</w:tcPr>' if properties else ''}{inner}</w:tc>"


def _root(name: str, inner: str) -> str:
    return f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:{name} {_DECLARED}>{inner}</w:{name}>'


def _relations(inner: str) -> str:
    return (
        f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{inner}</Relationships>'
    )
