"""From an HTML tree to Markdown: headings, paragraphs, lists, code and tables.

Data tables become Markdown tables; tables that only lay text out (one column, or labels such as (a) beside
text) become the paragraphs they stand for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from services.retrieval.adapters.parsers.docx_numbers import shown
from services.retrieval.adapters.parsers.html_inline import spell_out
from services.retrieval.adapters.parsers.html_rows import Row, parts_of
from services.retrieval.adapters.parsers.html_tables import grid, is_label, is_layout
from services.retrieval.adapters.parsers.tables import MOST_CELLS

# What was struck out does not hold any more. A form may be the whole page; its fields are no text.
_SKIP_TEXT = (
    "script style noscript template svg math iframe object embed nav footer button input select textarea head "
    "del s strike rt rp rtc audio video canvas"
)
_SKIP = frozenset(_SKIP_TEXT.split())
_BLOCKS_TEXT = (
    "address article aside blockquote body center dd details div dl dt fieldset figcaption figure header "
    "hr html li main ol p pre section summary table tbody td tfoot th thead tr ul h1 h2 h3 h4 h5 h6"
)
_BLOCKS = frozenset(_BLOCKS_TEXT.split())
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LINE_BREAK = re.compile(r"(?<! ) *\n *")
_SPACE = re.compile(r"[ \t\r\n\f\u00a0]+")
_UNSEEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|text-decoration[^;]*:[^;]*line-through"
    r"|(?:left|top|text-indent)\s*:\s*-\d{4}",
    re.IGNORECASE,
)
_CLEAR = re.compile(r"(?<![\w-])opacity\s*:\s*0(?:\.0+)?\s*%?\s*(?:;|!|$)", re.IGNORECASE)
_NO_SIZE = re.compile(r"(?<![\w-])font-size\s*:\s*0(?:\.0+)?\s*(?:px|pt|r?em|%)?\s*(?:;|!|$)", re.IGNORECASE)
_SIZE = re.compile(r"(?<![\w-])font(?:-size)?\s*:", re.IGNORECASE)
_STYLED = etree.XPath(".//*[@class or @style]")
# What a script fades in when the page is scrolled to it is moved too.
_MOVED = re.compile(r"(?<![\w-])(?:transform|transition|animation|will-change)\b", re.IGNORECASE)
_MARKDOWN = re.compile(r"#{1,6}\s|\||```|~~~|<!--")
_FORMS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
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
    tables_are_data: bool = False

    def flush(self, prefix: str = "") -> None:
        text = _SPACE.sub(" ", "".join(self.inline)).replace("\x00", "\n").strip()
        self.inline.clear()
        if text:
            # A paragraph that happens to begin like Markdown must not become a heading, a table or code.
            lines = _LINE_BREAK.sub("\n", text).split("\n")
            self.blocks.append(prefix + "\n".join("\\" + x if _MARKDOWN.match(x) else x for x in lines))


def to_markdown(root: Any, *, tables_are_data: bool = False) -> Converted:
    """Markdown of an lxml tree, which is changed; blocks separated by blank lines.

    ``tables_are_data``: where the HTML was made of another format, whose tables seldom only place text.
    """
    spell_out(root)
    output = _Output(tables_are_data=tables_are_data)
    if root.tag == "html":  # it may have several bodies
        _children(root, output, 0, is_block=True)
    else:
        _walk(root, output, 0)
    output.flush()
    return Converted("\n\n".join(output.blocks) + "\n", output.cells, output.cells_lost)


def _walk(node: Any, output: _Output, depth: int) -> None:
    tag = node.tag if isinstance(node.tag, str) else ""
    if _unseen(node):
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
    lines = _loose_lines(node.text, output)
    number = _first_number(node)
    step = -1 if node.get("reversed") is not None else 1
    for item in node:
        inner = _Output(tables_are_data=output.tables_are_data)
        if isinstance(item.tag, str):
            _walk(item, inner, depth + 1)
        inner.flush()
        output.cells += inner.cells
        output.cells_lost += inner.cells_lost
        if inner.blocks:
            number = _whole(item.get("value"), number)
            mark = f"{shown(number, _FORMS.get(node.get('type', ''), 'decimal'))}." if node.tag == "ol" else "-"
            number += step
            text = "\n".join(inner.blocks)
            lines.append(f"{mark} " + text.replace("\n", "\n  "))
        lines += [f"  {line}" for line in _loose_lines(item.tail, output)]
    if lines:
        output.blocks.append("\n".join(lines))


def _loose_lines(text: str | None, output: _Output) -> list[str]:
    """Text of a list outside its items."""
    inner = _Output([], [text or ""], tables_are_data=output.tables_are_data)
    inner.flush()
    return [line for block in inner.blocks for line in block.split("\n")]


def _first_number(node: Any) -> int:
    items = sum(child.tag == "li" for child in node)
    return _whole(node.get("start"), items if node.get("reversed") is not None else 1)


def _whole(value: str | None, default: int) -> int:
    return int(value) if value is not None and re.fullmatch(r"-?\d{1,6}", value.strip()) else default


def _table(node: Any, output: _Output, depth: int) -> None:
    caption = node.find("caption")
    if caption is not None and (title := _cell_text(caption)):
        output.inline.append(title)
        output.flush()
    parts = parts_of(node, _unseen)
    for loose in parts.loose:
        if isinstance(loose, str):
            output.inline.append(f" {loose} ")
        else:
            _walk(loose, output, depth + 1)
    output.flush()
    rows = parts.rows
    if not rows:
        return
    if is_layout(node, rows, _text, data=output.tables_are_data):
        _layout_table(rows, output, depth)
    else:
        _data_table(rows, output)


def _layout_table(rows: list[Row], output: _Output, depth: int) -> None:
    for row in rows:
        inner = _Output(tables_are_data=output.tables_are_data)
        label = ""
        for index, cell in enumerate(row.cells):
            text = _text(cell).strip()
            if index == 0 and len(row.cells) > 1 and is_label(text) and text:
                label = _SPACE.sub(" ", text)
                continue
            _children(cell, inner, depth + 1, is_block=True)
        inner.flush()
        if label and inner.blocks:
            inner.blocks[0] = f"{label} {inner.blocks[0]}"
        output.blocks.extend(inner.blocks)
        output.cells += inner.cells
        output.cells_lost += inner.cells_lost


def _data_table(rows: list[Row], output: _Output) -> None:
    texts, cells = grid(rows, _cell_text)
    width = max(len(row) for row in texts)
    padding = [""] * (width if width * len(texts) <= MOST_CELLS else 0)
    lines = ["| " + " | ".join(row + padding[len(row) :]) + " |" for row in texts]
    lines.insert(1, "|" + " --- |" * width)
    output.cells += cells
    # What spans rows is told more than once.
    output.cells_lost += max(0, cells - sum(bool(text) for row in texts for text in row))
    output.blocks.append("\n".join(lines))


def _cell_text(cell: Any) -> str:
    return _SPACE.sub(" ", _text(cell).replace("\x00", " ")).strip().replace("|", "\\|")


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


def _unseen(node: Any) -> bool:
    return node.tag in _SKIP or _hidden(node)


def _hidden(node: Any) -> bool:
    style = node.get("style") or ""
    if node.get("hidden") is not None or _UNSEEN.search(style):
        return True
    if _NO_SIZE.search(style) and not any(map(_has_size, _STYLED(node))):
        return True
    return bool(_CLEAR.search(style)) and not _MOVED.search(style)


def _has_size(element: Any) -> bool:
    """True if its text may have a size of its own: mails and rows of boxes close the gaps around them by size 0."""
    style = element.get("style") or ""
    return element.get("class") is not None or bool(_SIZE.search(style) and not _NO_SIZE.search(style))
