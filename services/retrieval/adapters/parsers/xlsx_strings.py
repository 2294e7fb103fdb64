"""Texts of a workbook: shared or in their cells, of runs that may be raised or struck out."""

from __future__ import annotations

import re
from typing import Any

from openpyxl.xml.constants import SHEET_MAIN_NS
from openpyxl.xml.functions import iterparse

from services.retrieval.adapters.parsers.html_inline import raised_text

_S = f"{{{SHEET_MAIN_NS}}}"
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_OFF = ("0", "false")
_CONTEXT = 40


def shared_strings(stream: Any) -> list[str]:
    """The texts of a part of shared strings, in their order.

    Raises:
        SyntaxError: it is damaged.
    """
    found = []
    for _, element in iterparse(stream):
        if element.tag == f"{_S}si":
            found.append(string_of(element))
            element.clear()
    return found


def string_of(element: Any) -> str:
    """The text of a string: without readings, without what is struck out, powers told from other digits."""
    text = ""
    for part in element:
        if part.tag == f"{_S}t":
            text += part.text or ""
        elif part.tag == f"{_S}r":
            properties = part.find(f"{_S}rPr")
            inner = part.findtext(f"{_S}t") or ""
            if properties is not None and _is_on(properties, "strike"):
                continue
            raised = None if properties is None else properties.find(f"{_S}vertAlign")
            is_raised = raised is not None and raised.get("val") == "superscript"
            text += raised_text(text[-_CONTEXT:], inner) if is_raised else inner
    return _ESCAPED.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    char = chr(int(match.group(1), 16))
    is_text = char >= " " and not "\ud800" <= char <= "\udfff"
    return char if is_text or char in "\t\n\r" else match.group()


def _is_on(properties: Any, name: str) -> bool:
    found = properties.find(f"{_S}{name}")
    return found is not None and found.get("val") not in _OFF
