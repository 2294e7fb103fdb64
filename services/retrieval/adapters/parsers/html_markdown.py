"""From an HTML tree to Markdown: headings, paragraphs, lists, code and tables.

Data tables become Markdown tables; tables that only lay text out (one column, or labels such as (a) beside
text) become the paragraphs they stand for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from services.retrieval.adapters.parsers.tables import MOST_CELLS

_SKIP_TEXT = "script style noscript template svg math iframe object embed nav footer form button input select head"
_SKIP = frozenset(_SKIP_TEXT.split())
_BLOCKS_TEXT = (
    "address article aside blockquote body center dd details div dl dt fieldset figcaption figure header "
    "hr html li main ol p pre section summary table tbody td tfoot th thead tr ul h1 h2 h3 h4 h5 h6"
)
_BLOCKS = frozenset(_BLOCKS_TEXT.split())
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_SPACE = re.compile(r"[ \t\r\n\f\u00a0]+")
_LABEL = re.compile(r"[\s(（\[]*+(?:[A-Za-z]{1,5}|\d{1,3}|[一二三四五六七八九十]{1,3})?[\s)）\].、]*|[—–\-•·*▪◦]")
# lxml stops at 256 levels itself; this bounds the recursion here well below Python's own limit.
_MAX_DEPTH = 250


@dataclass(slots=True)
class Converted:
    """Markdown and how many cells the data tables had, and how many of them did not come through."""

    text: str
    cells: int = 0
    cells_lost: int = 0


@dataclass(slots=True)
class _Output:
    blocks: list[str] = field(default_factory=list)
    inline: list[str] = field(default_factory=list)
    cells: int = 0
    cells_lost: int = 0

    def flush(self, prefix: str = "") -> None:
        text = _SPACE.sub(" ", "".join(self.inline)).replace("\x00", "\n").strip()
        self.inline.clear()
        if text:
            self.blocks.append(prefix + re.sub(r" *\n *", "\n", text))


def to_markdown(root: Any) -> Converted:
    """Markdown of an lxml tree, blocks separated by blank lines."""
    output = _Output()
    body = root.find(".//body")
    _walk(root if body is None else body, output, 0)
    output.flush()
    return Converted("\n\n".join(output.blocks) + "\n", output.cells, output.cells_lost)


def _walk(node: Any, output: _Output, depth: int) -> None:
    tag = node.tag if isinstance(node.tag, str) else ""
    if tag in _SKIP or _hidden(node):
        return
    if depth > _MAX_DEPTH:  # markup that is never closed: the text counts, its structure is lost
        output.flush()
        output.inline.append(_text(node))
        output.flush()
        return
    if tag in _HEADINGS:
        output.flush()
        title = _SPACE.sub(" ", _text(node)).strip()
        if title:
            output.blocks.append(f"{'#' * _HEADINGS[tag]} {title}")
    elif tag == "pre":
        output.flush()
        code = "".join(node.itertext()).strip("\n")
        if code.strip():
            output.blocks.append(f"```\n{code}\n```")
    elif tag == "table":
        output.flush()
        _table(node, output, depth)
    elif tag in ("ul", "ol"):
        output.flush()
        _list(node, output, depth)
    elif tag == "br":
        output.inline.append("\x00")
    else:
        _children(node, output, depth, is_block=tag in _BLOCKS)


def _children(node: Any, output: _Output, depth: int, *, is_block: bool) -> None:
    if is_block:
        output.flush()
    if node.text:
        output.inline.append(node.text)
    for child in node:
        _walk(child, output, depth + 1)
        if child.tail:
            output.inline.append(child.tail)
    if is_block:
        output.flush()


def _list(node: Any, output: _Output, depth: int) -> None:
    lines: list[str] = []
    number = 0
    for item in node:
        if not isinstance(item.tag, str):
            continue
        inner = _Output()
        _walk(item, inner, depth + 1)
        inner.flush()
        output.cells += inner.cells
        output.cells_lost += inner.cells_lost
        if not inner.blocks:
            continue
        number += 1
        mark = f"{number}." if node.tag == "ol" else "-"
        text = "\n".join(inner.blocks)
        lines.append(f"{mark} " + text.replace("\n", "\n  "))
    if lines:
        output.blocks.append("\n".join(lines))


def _table(node: Any, output: _Output, depth: int) -> None:
    rows = [[cell for cell in row if cell.tag in ("td", "th")] for row in _rows(node)]
    rows = [row for row in rows if row]
    if not rows:
        return
    if _is_layout(node, rows):
        _layout_table(rows, output, depth)
    else:
        _data_table(rows, output)


def _rows(table: Any) -> Iterator[Any]:
    """Rows of this table, not of tables inside its cells."""
    for child in table:
        if child.tag == "tr":
            yield child
        elif child.tag in ("thead", "tbody", "tfoot"):
            yield from (row for row in child if row.tag == "tr")


def _is_layout(table: Any, rows: list[list[Any]]) -> bool:
    if table.find(".//th") is not None:
        return False
    if table.find(".//table") is not None or max(len(row) for row in rows) == 1 or len(rows) == 1:
        return True
    return all(len(row) == 2 and _LABEL.fullmatch(_text(row[0]).strip()) for row in rows)


def _layout_table(rows: list[list[Any]], output: _Output, depth: int) -> None:
    for row in rows:
        inner = _Output()
        label = ""
        for index, cell in enumerate(row):
            text = _text(cell).strip()
            if index == 0 and len(row) > 1 and _LABEL.fullmatch(text) and text:
                label = _SPACE.sub(" ", text)
                continue
            _children(cell, inner, depth + 1, is_block=True)
        inner.flush()
        if label and inner.blocks:
            inner.blocks[0] = f"{label} {inner.blocks[0]}"
        output.blocks.extend(inner.blocks)
        output.cells += inner.cells
        output.cells_lost += inner.cells_lost


def _data_table(rows: list[list[Any]], output: _Output) -> None:
    lines, cells = [], 0
    width = max(sum(_span(cell) for cell in row) for row in rows)
    for index, row in enumerate(rows):
        texts: list[str] = []
        for cell in row:
            text = _SPACE.sub(" ", _text(cell).replace("\x00", " ")).strip().replace("|", "\\|")
            cells += bool(text)
            texts.extend([text] + [""] * (_span(cell) - 1))
        texts += [""] * ((width - len(texts)) if width * len(rows) <= MOST_CELLS else 0)
        lines.append("| " + " | ".join(texts) + " |")
        if index == 0:
            lines.append("|" + " --- |" * width)
    table = "\n".join(lines)
    output.cells += cells
    output.cells_lost += cells - min(cells, sum(bool(part.strip()) for line in lines[:1] + lines[2:]
                                                for part in re.split(r"(?<!\\)\|", line)))  # fmt: skip
    output.blocks.append(table)


def _span(cell: Any) -> int:
    value = cell.get("colspan", "1")
    return max(1, min(int(value), 100)) if value.isdecimal() and len(value) < 9 else 1


def _text(node: Any) -> str:
    """Text of a node without what is skipped; line breaks become spaces."""
    parts: list[str] = []
    stack: list[Any] = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        if not isinstance(item.tag, str) or (item.tag in _SKIP and item is not node) or _hidden(item):
            continue
        if item.tag in _BLOCKS or item.tag == "br":
            parts.append(" ")
        for child in reversed(item):
            if child.tail:
                stack.append(child.tail)
            stack.append(child)
        if item.text:
            stack.append(item.text)
    return "".join(parts)


def _hidden(node: Any) -> bool:
    style = node.get("style") or ""
    return node.get("hidden") is not None or bool(re.search(r"display\s*:\s*none", style))
