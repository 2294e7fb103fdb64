"""Rows of cells as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

# Cells of a table that is filled up to a rectangle.
MOST_CELLS = 1_000_000


def to_table(rows: Sequence[Sequence[object]]) -> tuple[str, int]:
    """A Markdown table of ``rows``, the first one its header, and how many cells are not empty.

    Empty rows and columns are left out; the result is empty if nothing is left.
    """
    texts = [[_cell(value) for value in row] for row in rows]
    texts = [row for row in texts if any(row)]
    if not texts:
        return "", 0
    used = sorted({index for row in texts for index, value in enumerate(row) if value})
    if len(used) <= used[-1]:
        texts = [[row[index] for index in used if index < len(row)] for row in texts]
    width = len(used)
    # One row of thousands of cells among many short ones would fill them all up with blanks.
    padding = [""] * (width if width * len(texts) <= MOST_CELLS else 0)
    lines = ["| " + " | ".join((row + padding[len(row) :])[:width]) + " |" for row in texts]
    lines.insert(1, "|" + " --- |" * width)
    return "\n".join(lines), sum(bool(value) for row in texts for value in row)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    return " ".join(str(value).split()).replace("|", "\\|")
