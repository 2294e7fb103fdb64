"""Running headers, footers and page numbers of a PDF."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from services.retrieval.adapters.parsers.pdf_blocks import Block, PageLines

_EDGE_LINES = 2
_REPEATED_SHARE = 0.5


def _edge_key(line: str) -> str:
    return re.sub(r"\d+", "#", re.sub(r"\s+", " ", line)).casefold()


def _edges(page: PageLines) -> list[tuple[int, int]]:
    """Positions (block, line) of a page's first and last lines of running text."""
    places = [(b, i) for b, block in enumerate(page.blocks) if not block.is_table for i in range(len(block.lines))]
    return list(dict.fromkeys(places[:_EDGE_LINES] + places[-_EDGE_LINES:]))


def repeated_lines(pages: Sequence[PageLines]) -> set[str]:
    """Keys of lines that stand at the edge of most pages, and seldom anywhere else: running headers, footers, page
    numbers, but not the items of a list that runs over all pages."""
    if len(pages) < 3:
        return set()
    counts: Counter[str] = Counter()
    for page in pages:
        counts.update({_edge_key(page.blocks[b].lines[i]) for b, i in _edges(page)})
    needed = max(3, _REPEATED_SHARE * len(pages))
    found = {key for key, count in counts.items() if count >= needed}
    inner: Counter[str] = Counter()
    for page in pages if found else ():
        edges = set(_edges(page))
        places = ((b, i) for b, block in enumerate(page.blocks) for i in range(len(block.lines)))
        inner.update(_edge_key(page.blocks[b].lines[i]) for b, i in places if (b, i) not in edges)
    return {key for key in found if inner[key] <= counts[key]}


def repeated_count(pages: Sequence[PageLines]) -> int:
    """How many running headers, footers and page numbers ``assemble`` leaves out."""
    repeated = repeated_lines(pages)
    return sum(_edge_key(page.blocks[b].lines[i]) in repeated for page in pages for b, i in _edges(page))


def without_edges(page: PageLines, repeated: set[str]) -> list[Block]:
    """The blocks of a page without lines whose keys are among those repeated."""
    drop = {(b, i) for b, i in _edges(page) if _edge_key(page.blocks[b].lines[i]) in repeated}
    blocks = []
    for number, block in enumerate(page.blocks):
        kept = [index for index in range(len(block.lines)) if (number, index) not in drop]
        if kept or block.rows:
            looks = [block.looks[index] for index in kept] if block.looks else []
            blocks.append(replace(block, lines=[block.lines[index] for index in kept], looks=looks))
    return blocks
