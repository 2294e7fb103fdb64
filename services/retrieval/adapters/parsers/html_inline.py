"""What HTML says by the place of characters, said by characters: powers, notes, formulas, line breaks in code."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from services.retrieval.adapters.parsers.alt_text import told
from services.retrieval.adapters.parsers.formulas import linear

_POWER = re.compile(r"[+\-−–]?\d{1,4}(?:[.,/]\d{1,4})?|[a-z](?:[+\-−–]\d)?")
_NOTE = re.compile(r"\d{1,3}(?:\s*[,–-]\s*\d{1,3})*|[*†‡§]+")
_LETTERS = re.compile(r"[A-Za-zµΩ°]+$")
_RAISED = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
# A power stands behind units and variables; behind a longer word stands the number of a note.
_UNIT_LETTERS = 3
_LEVELS = ("1", "2", "3", "4", "5", "6")
# Characters before a raised one that tell what it is.
_BEFORE = 40


def spell_out(root: Any) -> None:
    """Changes the tree in place."""
    _tell_pictures(root)
    _set_in_order(root)
    before = _TextBefore()
    for element in list(root.iter("sup", "sub")):
        if element.getparent() is not None:  # one in another went with the other's text
            _put_text(element, _script(element, before.of(element)))
    for element in list(root.iter("math")):
        if element.getparent() is None:
            continue
        _remove_doubles(element)
        _put_text(element, f" {linear(element)} ")
        element.tag = "span"
    for line_break in list(root.iterfind(".//pre//br")):
        line_break.tail = "\n" + (line_break.tail or "")


def _tell_pictures(root: Any) -> None:
    """Pictures become the texts that stand for them, boxes the signs of their states."""
    captions: dict[Any, str] = {}
    for picture in list(root.iter("img")):
        text = told(picture.get("alt") or "")
        figure = next(picture.iterancestors("figure"), None)
        if figure is not None and figure not in captions:
            caption = figure.find(".//figcaption")
            captions[figure] = "" if caption is None else " ".join("".join(caption.itertext()).split())
        if text and captions.get(figure) != text:
            picture.tag = "span"
            picture.text = text
    for box in list(root.iter("input")):
        if box.get("type", "").lower() == "checkbox":
            box.tag = "span"
            box.text = "☒ " if box.get("checked") is not None else "☐ "


def _set_in_order(root: Any) -> None:
    """The foot of a table stands at its end, wherever it is written; headings are such by their role too."""
    for foot in list(root.iter("tfoot")):
        parent = foot.getparent()
        if parent is not None and parent.tag == "table" and foot.getnext() is not None:
            parent.append(foot)
    for heading in list(root.iterfind(".//*[@role='heading']")):
        level = heading.get("aria-level", "2")
        if heading.tag in ("div", "p", "span") and level in _LEVELS:
            heading.tag = f"h{level}"


def _remove_doubles(formula: Any) -> None:
    """What shows a formula to eyes, where the formula itself stands beside it for screen readers."""
    for element in (formula, *islice(formula.iterancestors("span"), 2)):
        beside = element.getnext()
        if beside is not None and beside.get("aria-hidden") == "true":
            beside.clear(keep_tail=True)


def _script(element: Any, before: str) -> str:
    content = " ".join("".join(element.itertext()).split())
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


class _TextBefore:
    """The end of the text before elements in their blocks, asked for in the order of the file: each sibling is read
    once, however many of them are empty."""

    def __init__(self) -> None:
        self._read: dict[Any, tuple[Any, str]] = {}

    def of(self, element: Any) -> str:
        """The nearest text before ``element`` among its siblings, else what its parent begins with."""
        parent = element.getparent()
        sibling, text = self._read.get(parent) or (parent[0], (parent.text or "")[-_BEFORE:])
        while sibling is not element:
            text = _text_of(sibling)[-_BEFORE:] or text
            sibling = sibling.getnext()
        self._read[parent] = (element, text)
        return text


def _text_of(element: Any) -> str:
    """The text of an element and behind it."""
    return ("".join(element.itertext()) if isinstance(element.tag, str) else "") + (element.tail or "")


def _put_text(element: Any, text: str) -> None:
    for child in list(element):
        element.remove(child)
    element.text = text
