"""What all readers of a DOCX's XML share: names, and how elements are made, put and taken out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lxml import etree

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_OFF = ("0", "false", "off")


def value_of(parent: Any, path: str) -> str | None:
    """The ``w:val`` of a child, by its path of names such as ``pPr/pStyle``; None without it."""
    found = None if parent is None else parent.find("/".join(f"{W}{name}" for name in path.split("/")))
    return None if found is None else str(found.get(f"{W}val", ""))


def is_on(parent: Any, path: str) -> bool:
    """True if a property such as ``rPr/vanish`` is there and not switched off."""
    value = value_of(parent, path)
    return value is not None and value not in _OFF


def make(name: str, *children: Any, **values: str) -> Any:
    """An element of WordprocessingML with attributes of it."""
    element = etree.Element(f"{W}{name}")
    for key, value in values.items():
        element.set(f"{W}{key}", value)
    element.extend(children)
    return element


def run(text: str) -> Any:
    """A run of plain text."""
    return make("r", text_element(text))


def text_element(text: str) -> Any:
    """The text of a run, blanks at its ends included."""
    element = make("t")
    element.set(_XML_SPACE, "preserve")
    element.text = text
    return element


def put(element: Any, others: Sequence[Any]) -> None:
    """Puts ``others`` in the place of ``element``."""
    if element.getparent() is None:
        return
    for other in reversed(others):
        other.tail = None
        element.addnext(other)
    remove(element)


def remove(element: Any) -> None:
    """Takes an element out of its parent, if it has one."""
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)
