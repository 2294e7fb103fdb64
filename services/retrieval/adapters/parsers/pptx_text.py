"""The text of a paragraph on a slide: powers told from other digits, formulas in a line, nothing that is struck out."""

from __future__ import annotations

import re
from typing import Any

from services.retrieval.adapters.parsers.formulas import linear
from services.retrieval.adapters.parsers.html_inline import raised_text

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_FORMULA = "{http://schemas.microsoft.com/office/drawing/2010/main}m"
_STRUCK = ("sngStrike", "dblStrike")
_TEXTS = (f"{_A}t", f"{_MATH}t")
_CONTEXT = 40
_SPACES = re.compile(" {2,}")


def choose(root: Any) -> None:
    """Of what is there in several forms the first one with a text is left, or the first."""
    for alternatives in list(root.iter(f"{_MC}AlternateContent")):
        parent = alternatives.getparent()
        if parent is None:
            continue
        ways = list(alternatives)
        told = [way for way in ways if next(way.iter(*_TEXTS), None) is not None]
        for element in reversed(list((told or ways or [()])[0])):
            alternatives.addnext(element)
        parent.remove(alternatives)


def paragraph_text(paragraph: Any, line_break: str = " ") -> str:
    """The text of an ``a:p``."""
    text = ""
    for part in paragraph:
        if part.tag == f"{_A}br":
            text += line_break
        elif part.tag == _FORMULA:
            text += f" {linear(part)} "
        elif part.tag in (f"{_A}r", f"{_A}fld"):
            properties = part.find(f"{_A}rPr")
            inner = (part.findtext(f"{_A}t") or "").replace("\x0b", line_break)
            if properties is not None and properties.get("strike") in _STRUCK:
                continue
            raised = "" if properties is None else properties.get("baseline", "")
            is_raised = raised not in ("", "0") and not raised.startswith("-")
            text += raised_text(text[-_CONTEXT:], inner) if is_raised else inner
    return _SPACES.sub(" ", text).strip()
