"""What HTML says by the place of characters, said by characters: powers, notes, formulas, line breaks in code."""

from __future__ import annotations

import re
from typing import Any

from services.retrieval.adapters.parsers.formulas import linear

_POWER = re.compile(r"[+\-−–]?\d{1,4}(?:[.,/]\d{1,4})?|[a-z](?:[+\-−–]\d)?")
_NOTE = re.compile(r"\d{1,3}(?:\s*[,–-]\s*\d{1,3})*|[*†‡§]+")
_LETTERS = re.compile(r"[A-Za-zµΩ°]+$")
_RAISED = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
# A power stands behind units and variables; behind a longer word stands the number of a note.
_UNIT_LETTERS = 3


def spell_out(root: Any) -> None:
    """Changes the tree in place."""
    # What stands inside another one is already told with it, and has no parent any more.
    for element in list(root.iter("sup", "sub")):
        if element.getparent() is not None:
            _put_text(element, _script(element))
    for element in list(root.iter("math")):
        if element.getparent() is None:
            continue
        _put_text(element, f" {linear(element)} ")
        element.tag = "span"
    for line_break in list(root.iterfind(".//pre//br")):
        line_break.tail = "\n" + (line_break.tail or "")


def _script(element: Any) -> str:
    content = " ".join("".join(element.itertext()).split())
    before = _text_before(element)
    if element.tag == "sub":
        return f"_{content}" if before[-1:].isdigit() and content.isdigit() else content
    is_link = element.find(".//a") is not None or element.getparent().tag == "a"
    return raised_text("" if is_link else before, content)


def raised_text(before: str, content: str) -> str:
    """Raised characters in a line, by the text ``before`` them: a power, the number of a note, or as they are."""
    plain = content.replace("−", "-").replace("–", "-")
    letters = _LETTERS.search(before)
    if _POWER.fullmatch(content) and before:
        if before[-1:].isdigit() or before[-1:] in (")", "]"):
            return f"^{plain}"
        if letters is not None and len(letters.group()) <= _UNIT_LETTERS:
            return plain.translate(_RAISED) if re.fullmatch(r"[+-]?\d+", plain) else f"^{plain}"
    return f"[{content}]" if _NOTE.fullmatch(content) else content


def _text_before(element: Any) -> str:
    """The end of the text before an element in its block."""
    previous = element.getprevious()
    while previous is not None:
        text = ("".join(previous.itertext()) if isinstance(previous.tag, str) else "") + (previous.tail or "")
        if text:
            return text[-40:]
        previous = previous.getprevious()
    parent = element.getparent()
    return (parent.text or "")[-40:] if parent is not None else ""


def _put_text(element: Any, text: str) -> None:
    for child in list(element):
        element.remove(child)
    element.text = text
