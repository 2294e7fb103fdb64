"""Parts of Office files: what they refer to, and the names of the strict standard made those that libraries know."""

from __future__ import annotations

import contextlib
import io
import posixpath
import re
import zipfile
import zlib
from dataclasses import dataclass
from typing import Any

from lxml import etree

_RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
# The strict form of the standard has other names for the same things.
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError)
"""What reading an entry of a damaged archive raises, and of a locked one."""


@dataclass(frozen=True, slots=True)
class Relation:
    """What a part refers to: by which id, of which kind (``styles``, ``chart`` ...), and the name of the other part."""

    key: str
    kind: str
    target: str


def relations(archive: zipfile.ZipFile, part: str) -> list[Relation]:
    """What a part refers to within the file; for the part "" what the file is of. Nothing where that is damaged."""
    folder, name = posixpath.split(part)
    try:
        root = etree.fromstring(part_bytes(archive, posixpath.join(folder, "_rels", f"{name}.rels")), xml_parser(True))
    except (KeyError, etree.XMLSyntaxError, *DAMAGE):
        return []
    return [
        Relation(
            item.get("Id", ""),
            item.get("Type", "").rsplit("/", 1)[-1],
            posixpath.normpath(posixpath.join("/", folder, item.get("Target", ""))).lstrip("/"),
        )
        for item in (() if root is None else root.iter(_RELATION))
    ]


def part_bytes(archive: zipfile.ZipFile, name: str) -> bytes:
    """The bytes of a part of XML, in the names that all programs write."""
    return _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/", archive.read(name))


def xml_parser(recover: bool = False) -> Any:
    """A parser that fetches nothing and expands nothing."""
    return etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True, recover=recover)


def without_damaged(content: bytes) -> tuple[bytes, list[str]]:
    """The file without parts of XML that cannot be read, and their names: libraries pass over what is not there, but
    read nothing of a file with one of them."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = list(dict.fromkeys(archive.namelist()))
        damaged = [name for name in names if name.endswith((".xml", ".rels")) and not _is_sound(archive, name)]
        if not damaged:
            return content, []
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as changed:
            for name in names:
                if name not in damaged:
                    with contextlib.suppress(*DAMAGE):  # a damaged picture is no loss
                        changed.writestr(name, archive.read(name))
    return buffer.getvalue(), damaged


def _is_sound(archive: zipfile.ZipFile, name: str) -> bool:
    try:
        etree.fromstring(archive.read(name), xml_parser())
    except (etree.XMLSyntaxError, *DAMAGE):
        return False
    return True


def transitional(content: bytes, main: str) -> bytes:
    """The file, with the names that all programs write where its part ``main`` has those of the strict standard."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if main not in archive.namelist() or not _STRICT.search(archive.read(main)):
            return content
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as changed:
            for name in dict.fromkeys(archive.namelist()):
                is_xml = name.endswith((".xml", ".rels"))
                changed.writestr(name, part_bytes(archive, name) if is_xml else archive.read(name))
    return buffer.getvalue()
