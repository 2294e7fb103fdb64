"""The parts of a DOCX: where they are, which of them are damaged, and the least of them that mammoth needs."""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from services.retrieval.adapters.parsers.office_parts import DAMAGE, part_bytes, relations, xml_parser
from services.retrieval.domain.quality.rejection import DocumentRejected, Reason

_MAIN = "word/document.xml"
_SUPPORTING = ("styles", "numbering", "footnotes", "endnotes")
_SHOWN = ("chart", "diagramData")


@dataclass(slots=True)
class Package:
    """The document's tree, those of its ``styles``, ``numbering``, ``footnotes`` and ``endnotes``, as far as it has
    them, and by their ids those of the charts and diagrams that it shows. ``damaged`` names parts that were left out or
    are read as far as they go."""

    document: Any
    parts: dict[str, Any] = field(default_factory=dict)
    shown: dict[str, Any] = field(default_factory=dict)
    damaged: list[str] = field(default_factory=list)


def read_package(content: bytes) -> Package:
    """The parts of a file.

    Raises:
        DocumentRejected: FORMAT_MISMATCH without a document, UNREADABLE_FILE where that is damaged.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = set(archive.namelist())
        main = main_part(archive)
        try:
            package = Package(etree.fromstring(part_bytes(archive, main), xml_parser()))
        except (etree.XMLSyntaxError, *DAMAGE) as error:
            raise DocumentRejected(
                Reason.UNREADABLE_FILE, f"{main} of the file is damaged ({error}); open and save it again"
            ) from None
        found = relations(archive, main)
        targets = {relation.kind: relation.target for relation in reversed(found)}
        for kind in _SUPPORTING:
            name = targets.get(kind, posixpath.join(posixpath.dirname(main), f"{kind}.xml"))
            if name in names and (tree := _tree(archive, name, package)) is not None:
                package.parts[kind] = tree
        for relation in found:
            shows = relation.kind in _SHOWN and relation.target in names
            if shows and (tree := _tree(archive, relation.target, package)) is not None:
                package.shown[relation.key] = tree
    return package


def main_part(archive: zipfile.ZipFile) -> str:
    """The part with the document's body; mostly ``word/document.xml``, though programs are free to call it otherwise.

    Raises:
        DocumentRejected: FORMAT_MISMATCH.
    """
    names = set(archive.namelist())
    named = [relation.target for relation in relations(archive, "") if relation.kind == "officeDocument"]
    for name in (*named, _MAIN):
        if name in names and (name == _MAIN or name.startswith("word/")):
            return name
    raise DocumentRejected(
        Reason.FORMAT_MISMATCH, f"the archive holds no {_MAIN}: it is not a DOCX file; rename or convert it"
    )


def _tree(archive: zipfile.ZipFile, name: str, package: Package) -> Any:
    try:
        data = part_bytes(archive, name)
        try:
            return etree.fromstring(data, xml_parser())
        except etree.XMLSyntaxError:
            package.damaged.append(name)
            found = etree.fromstring(data, xml_parser(True))
            # Not all that is recovered is well-formed.
            return None if found is None else etree.fromstring(etree.tostring(found), xml_parser())
    except (etree.XMLSyntaxError, *DAMAGE):
        package.damaged += [] if name in package.damaged else [name]
        return None


def write_package(parts: Mapping[str, Any]) -> bytes:
    """A file of the trees of parts by their names, such as ``document``."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, root in parts.items():
            archive.writestr(f"word/{name}.xml", etree.tostring(root))
    return buffer.getvalue()
