"""The rows of an HTML table as browsers find them, whatever stands between the table, its rows and their cells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

_GROUPS = ("thead", "tbody", "tfoot")
_CELLS = ("td", "th")
# Marks on the stack of what is still to be read.
_END, _END_OF_GROUP = object(), object()


@dataclass(slots=True)
class Row:
    """The cells of a row, and which group of rows it stands in: a span of rows ends with its group."""

    group: int
    cells: list[Any] = field(default_factory=list)


@dataclass(slots=True)
class TableParts:
    """The rows that have cells, and what stands outside cells: texts and tables, which browsers show before it."""

    rows: list[Row] = field(default_factory=list)
    loose: list[Any] = field(default_factory=list)


def parts_of(table: Any, unseen: Callable[[Any], bool]) -> TableParts:
    """What a table holds; forms and other elements around rows or cells are passed through.

    Tables inside cells stay in them. ``unseen`` elements outside cells are left out.
    """
    parts = TableParts()
    caption = table.find("caption")
    group = 0
    row: Row | None = None  # the open one; cells without a row share one
    todo: list[Any] = [table]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            if item.strip():
                parts.loose.append(item)
        elif item is _END or item is _END_OF_GROUP:
            row = None
            group += item is _END_OF_GROUP
        elif item.tag in _CELLS:
            if row is None:
                row = Row(group)
                parts.rows.append(row)
            row.cells.append(item)
        elif item.tag == "table" and item is not table:
            parts.loose.append(item)
        elif isinstance(item.tag, str) and item is not caption and (item is table or not unseen(item)):
            if item.tag == "tr":
                row = Row(group)
                parts.rows.append(row)
                todo.append(_END)
            elif item.tag in _GROUPS:
                row = None
                group += 1
                todo.append(_END_OF_GROUP)
            _push_content(item, todo)
    parts.rows = [row for row in parts.rows if row.cells]
    return parts


def _push_content(element: Any, todo: list[Any]) -> None:
    """Puts what an element holds on a stack, the first on top."""
    for child in reversed(element):
        if child.tail:
            todo.append(child.tail)
        todo.append(child)
    if element.text:
        todo.append(element.text)
