"""The parts of a DOCX: where they are, which of them are damaged, and the least of them that mammoth needs."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from services.retrieval.domain.rejection import DocumentRejected, Reason

_MAIN = "word/document.xml"
_SUPPORTING = ("styles", "numbering", "footnotes", "endnotes")
_SHOWN = ("chart", "diagramData")
_RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
# The strict form of the standard has other names for the same things.
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError)


@dataclass(slots=True)
class Package:
    """The document's tree, those of its ``styles``, ``numbering``, ``footnotes`` and ``endnotes``, as far as it has
    them, and by their ids those of the charts and diagrams that it shows. ``damaged`` names parts that were left out or
    are read as far as they go."""

    document: Any
    parts: dict[str, Any] = field(default_factory=dict)
    shown: dict[str, Any] = field(default_factory=dict)
    damaged: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Relation:
    key: str
    kind: str
    target: str


def read_package(content: bytes) -> Package:
    """The parts of a file.

    Raises:
        DocumentRejected: FORMAT_MISMATCH without a document, UNREADABLE_FILE where that is damaged.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = set(archive.namelist())
        main = main_part(archive)
        try:
            package = Package(etree.fromstring(_bytes(archive, main), _parser()))
        except (etree.XMLSyntaxError, *_DAMAGE) as error:
            raise DocumentRejected(
                Reason.UNREADABLE_FILE, f"{main} of the file is damaged ({error}); open and save it again"
            ) from None
        relations = _relations(archive, main)
        targets = {relation.kind: relation.target for relation in reversed(relations)}
        for kind in _SUPPORTING:
            name = targets.get(kind, posixpath.join(posixpath.dirname(main), f"{kind}.xml"))
            if name in names and (tree := _tree(archive, name, package)) is not None:
                package.parts[kind] = tree
        for relation in relations:
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
    named = [relation.target for relation in _relations(archive, "") if relation.kind == "officeDocument"]
    for name in (*named, _MAIN):
        if name in names and (name == _MAIN or name.startswith("word/")):
            return name
    raise DocumentRejected(
        Reason.FORMAT_MISMATCH, f"the archive holds no {_MAIN}: it is not a DOCX file; rename or convert it"
    )


def _tree(archive: zipfile.ZipFile, name: str, package: Package) -> Any:
    try:
        data = _bytes(archive, name)
        try:
            return etree.fromstring(data, _parser())
        except etree.XMLSyntaxError:
            package.damaged.append(name)
            found = etree.fromstring(data, _parser(recover=True))
            # Not all that is recovered is well-formed.
            return None if found is None else etree.fromstring(etree.tostring(found), _parser())
    except (etree.XMLSyntaxError, *_DAMAGE):
        package.damaged += [] if name in package.damaged else [name]
        return None


def _relations(archive: zipfile.ZipFile, part: str) -> list[_Relation]:
    """What a part refers to within the file; for the part "" what the file is of."""
    folder, name = posixpath.split(part)
    try:
        root = etree.fromstring(_bytes(archive, posixpath.join(folder, "_rels", f"{name}.rels")), _parser(recover=True))
    except (KeyError, etree.XMLSyntaxError, *_DAMAGE):
        return []
    return [
        _Relation(
            item.get("Id", ""),
            item.get("Type", "").rsplit("/", 1)[-1],
            posixpath.normpath(posixpath.join("/", folder, item.get("Target", ""))).lstrip("/"),
        )
        for item in (() if root is None else root.iter(_RELATION))
    ]


def _bytes(archive: zipfile.ZipFile, name: str) -> bytes:
    return _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/", archive.read(name))


def _parser(*, recover: bool = False) -> Any:
    return etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True, recover=recover)


def write_package(parts: Mapping[str, Any]) -> bytes:
    """A file of the trees of parts by their names, such as ``document``."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, root in parts.items():
            archive.writestr(f"word/{name}.xml", etree.tostring(root))
    return buffer.getvalue()
