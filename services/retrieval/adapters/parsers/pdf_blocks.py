"""What a page of a PDF holds: stretches of running text and tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from services.retrieval.adapters.parsers.pdf_looks import Look


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of running text, or rows of a table, the first one its header.

    ``looks``: how each line is printed, where that is known. The lines of a wrapped cell are set apart by line feeds. A
    table that ``continues`` goes on with the last one of the page before, with or without its header.
    """

    lines: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    continues: bool = False
    looks: list[Look | None] = field(default_factory=list)

    @property
    def is_table(self) -> bool:
        """True if it has rows."""
        return bool(self.rows)

    def all_lines(self) -> Iterator[str]:
        """Lines of running text and of cells."""
        yield from self.lines
        for row in self.rows:
            for cell in row:
                yield from cell.split("\n")


@dataclass(frozen=True, slots=True)
class PageLines:
    """A page's blocks from top to bottom; ``number`` counts from 1. ``is_empty``: without a text layer."""

    number: int
    blocks: list[Block] = field(default_factory=list)
    is_empty: bool = False

    @property
    def characters(self) -> int:
        """Characters on the page."""
        return sum(len(line) for block in self.blocks for line in block.all_lines())
