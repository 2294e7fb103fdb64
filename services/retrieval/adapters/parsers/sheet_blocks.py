"""What stands on a sheet of cells: lines of text, and tables one below the other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from services.retrieval.adapters.parsers.tables import to_table

Rows = list[list[str]]
# More lines of single cells are a column of a table.
_MOST_TITLES = 5
_FIGURE = re.compile(r"[^\w\s]*\d[\d\s.,:/\-%‰]*\S{0,4}")


def sheet_markdown(rows: Iterable[Sequence[str]], *, apart: bool = True) -> tuple[str, int]:
    """Markdown of a sheet and how many cells of its tables are not empty.

    Titles above a table become lines of text; ``apart``: behind an empty row another table may begin, with a header of
    its own.
    """
    parts, cells = [], 0
    for lines, table in _tables(rows, apart=apart):
        if lines:
            parts.append("\n\n".join(_line(line) for line in lines))
        text, count = to_table(table)
        if text:
            parts.append(text)
            cells += count
    return "\n\n".join(parts), cells


def _tables(rows: Iterable[Sequence[str]], *, apart: bool) -> Iterator[tuple[list[str], Rows]]:
    runs = list(_runs(rows))
    alone = all(_widest(run) == 1 for run in runs)
    lines: list[str] = []
    table: Rows = []
    columns: set[int] = set()
    for run in runs:
        titles, rest = ([], run) if alone else _without_titles(run)
        used = _columns(rest)
        if table and (titles or (apart and (_has_header(rest) or not columns & used))):
            yield lines, table
            lines, table, columns = [], [], set()
        lines += titles
        table += rest
        columns |= used
    yield lines, table


def _columns(rows: Rows) -> set[int]:
    return {index for row in rows for index, cell in enumerate(row) if cell}


def _widest(run: Rows) -> int:
    return max(sum(bool(cell) for cell in row) for row in run)


def _line(text: str) -> str:
    """A title as a paragraph, whatever it begins with."""
    line = " ".join(text.split())
    return "\\" + line if line.startswith(("#", "|", "```", "~~~", "<!--")) else line


def _runs(rows: Iterable[Sequence[str]]) -> Iterator[Rows]:
    """Rows without empty ones between them."""
    run: Rows = []
    for row in rows:
        if any(row):
            run.append(list(row))
        elif run:
            yield run
            run = []
    if run:
        yield run


def _without_titles(run: Rows) -> tuple[list[str], Rows]:
    """The few lines above a table, each a single cell, and the table."""
    filled = [sum(bool(cell) for cell in row) for row in run]
    first = next((index for index, count in enumerate(filled) if count > 1), len(run))
    if first > _MOST_TITLES or len(run) - first == 1:
        return [], run
    return [next(cell for cell in row if cell) for row in run[:first]], run[first:]


def _has_header(rows: Rows) -> bool:
    """True if the first row names what the others count: no figures in it, figures below it."""
    if len(rows) < 2 or any(_FIGURE.fullmatch(cell) for cell in rows[0] if cell):
        return False
    named = [index for index, cell in enumerate(rows[0]) if cell]
    below = [row[index] for row in rows[1:] for index in named if index < len(row)]
    return len(named) > 1 and any(_FIGURE.fullmatch(cell) for cell in below)
