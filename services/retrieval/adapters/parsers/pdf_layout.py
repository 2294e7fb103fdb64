"""From the lines of PDF pages to Markdown: headers and footers out, paragraphs joined, headings marked."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from services.retrieval.adapters.parsers.pdf_blocks import Block, PageLines
from services.retrieval.adapters.parsers.pdf_edges import repeated_lines, without_edges
from services.retrieval.adapters.parsers.pdf_joins import broken_word, hyphenated_words, join_lines
from services.retrieval.adapters.parsers.pdf_looks import Look, Looks, is_sentence, same_size, usual
from services.retrieval.adapters.parsers.pdf_open_table import OpenTable
from services.retrieval.domain.passages.chunks import PageStart
from services.retrieval.domain.passages.structure import anchor_of


@dataclass(frozen=True, slots=True)
class Assembled:
    """Markdown of a document, where its pages begin in it, and how many cells its tables have."""

    text: str
    pages: list[PageStart]
    cells: int


@dataclass(frozen=True, slots=True)
class Title:
    """An entry of the document's outline: its text, level from 1, and page from 0."""

    text: str
    level: int
    page_index: int


# Lines of a heading, and how far apart they are at most, in heights of their print.
_HEADING_LINES = 3
_WRAPPED = 1.8
_BULLET = re.compile(
    r"[-•◦▪·●○*]\s*\S|\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)]\s+\S|\((?:\d{1,3}|[a-z])\)\S"
    r"|[（(]?[一二三四五六七八九十\d]{1,3}[)）、]\s*\S|[一二三四五六七八九十]{1,3}[.．]\s*\S"
)
_ENDS_SENTENCE = re.compile(r"[.!?:;。！？：；…][\"'”’)）\]]*$")
_LEADERS = re.compile(r"(?:\.\s?){4}$|…{2}$")
_LEADERS_END = 16
# A paragraph that happens to begin like Markdown must not become a heading, a table or code.
_MARKDOWN_MARKS = ("#", "|", "```", "~~~", "<!--")


def assemble(pages: Sequence[PageLines], titles: Sequence[Title]) -> Assembled:
    """Markdown of all pages; running headers and footers are left out."""
    repeated = repeated_lines(pages)
    by_page: dict[int, dict[str, int]] = defaultdict(dict)
    for title in titles:
        by_page[title.page_index][_fold(title.text)] = title.level
    words = hyphenated_words(pages)
    full_width = _usual_width(pages)
    blocks = [without_edges(page, repeated) for page in pages]
    looks = usual(look for page in blocks for block in page for look in block.looks if look is not None)
    builder = _Builder(words, full_width, looks, has_outline=bool(titles))
    for index, page in enumerate(pages):
        builder.start_page(page.number)
        for block in blocks[index]:
            if block.is_table:
                builder.table(block)
            else:
                builder.lines(block, by_page[index])
    return builder.finish()


class _Builder:
    def __init__(self, hyphenated: set[str], full_width: int, looks: Looks, *, has_outline: bool) -> None:
        self._hyphenated = hyphenated
        self._looks = looks
        self._full_width = full_width
        self._has_outline = has_outline
        self._parts: list[str] = []
        self._length = 0
        # Lines of the open paragraph, already mended where they meet; joined only when it closes, so that the cost
        # of a paragraph that runs over hundreds of pages stays linear.
        self._paragraph: list[str] = []
        self._paragraph_length = 0
        self._last_line = ""
        self._last_look: Look | None = None
        self._pages: list[PageStart] = []
        self._pending: int | None = None
        self._table = OpenTable()
        self._cells = 0

    def start_page(self, number: int) -> None:
        """The text that follows is on this page, even where it continues a paragraph."""
        self._pending = number

    def lines(self, block: Block, headings: dict[str, int]) -> None:
        """Running text."""
        self._close_table()
        lines = block.lines
        looks = block.looks or [None] * len(lines)
        index = 0
        while index < len(lines):
            heading = self._heading(lines, index, headings) or self._printed_heading(lines, looks, index)
            if heading:
                level, taken = heading
                self._close()
                self._mark(0)
                self._emit(f"{'#' * min(level, 6)} " + " ".join(lines[index : index + taken]))
                index += taken
                continue
            if not (self._has_outline and _has_leaders(lines[index])):
                self._line(lines[index], looks[index])
            index += 1

    def table(self, block: Block) -> None:
        """A table, or more rows of the one before it."""
        rows = [[self._cell(cell) for cell in row] for row in block.rows]
        if not block.continues or not self._table.goes_on_with(rows):
            header = self._table.header if block.continues else None
            self._close()
            self._close_table()
            if header is not None and len(header) == len(rows[0]) and header != rows[0]:
                rows.insert(0, header)
        self._table.add(rows, self._pending)
        self._pending = None

    def finish(self) -> Assembled:
        """The whole text and its pages."""
        self._close()
        self._close_table()
        return Assembled("".join(self._parts), self._pages, self._cells)

    def _cell(self, cell: str) -> str:
        """The lines of a cell joined."""
        joined = ""
        for line in cell.split("\n"):
            before, glue = join_lines(joined, line, self._hyphenated) if joined else ("", "")
            joined = before + glue + line
        return re.sub("[\u2010\u2011]", "-", joined)

    def _close_table(self) -> None:
        if self._table.rows:
            text, starts, cells = self._table.take()
            self._pages += [PageStart(self._length + start.start, start.page) for start in starts]
            self._cells += cells
            if text:
                self._emit(text)

    def _heading(self, lines: Sequence[str], index: int, headings: dict[str, int]) -> tuple[int, int] | None:
        """Level of the heading that starts here and how many lines it takes; long titles are wrapped."""
        joined = ""
        for taken in range(1, min(3, len(lines) - index) + 1):
            joined += _fold(lines[index + taken - 1])
            if joined in headings:
                return headings.pop(joined), taken
        return None

    def _printed_heading(
        self, lines: Sequence[str], looks: Sequence[Look | None], index: int
    ) -> tuple[int, int] | None:
        """The same by the size of the print, where there is no outline: up to three lines of one size that are no
        sentence."""
        first = looks[index]
        level = None if self._has_outline else self._looks.level(first, lines[index])
        if level is None or first is None:
            return None
        taken = 1
        while index + taken < len(lines) and (look := looks[index + taken]) is not None:
            if look.gap is None or look.gap > _WRAPPED or not same_size(look.size, first.size):
                break
            taken += 1
        if taken > _HEADING_LINES or is_sentence(lines[index + taken - 1]):
            return None
        return level, taken

    def _line(self, line: str, look: Look | None) -> None:
        if not broken_word(line):
            line = line.replace("\u2010", "-").replace("\u2011", "-")
        if self._paragraph and (self._starts_new(line) or self._looks.apart(self._last_look, look, line)):
            self._close()
        self._last_look = look
        if not self._paragraph:
            self._mark(0)
        else:
            before = self._paragraph[-1]
            mended, glue = join_lines(before, line, self._hyphenated)
            self._paragraph[-1] = mended + glue
            self._paragraph_length += len(mended) + len(glue) - len(before)
            self._mark(self._paragraph_length)
        self._paragraph.append(line)
        self._paragraph_length += len(line)
        self._last_line = line

    def _starts_new(self, line: str) -> bool:
        if _BULLET.match(line) or anchor_of(line):
            return True
        ended = bool(_ENDS_SENTENCE.search(self._last_line))
        return ended and len(self._last_line) < 0.85 * self._full_width

    def _mark(self, offset: int) -> None:
        if self._pending is not None:
            self._pages.append(PageStart(self._length + offset, self._pending))
            self._pending = None

    def _close(self) -> None:
        if self._paragraph:
            text = re.sub("[\u2010\u2011]", "-", "".join(self._paragraph))
            self._emit("\\" + text if text.startswith(_MARKDOWN_MARKS) else text)
            self._paragraph = []
            self._paragraph_length = 0

    def _emit(self, text: str) -> None:
        self._parts.append(text + "\n\n")
        self._length += len(text) + 2


def _has_leaders(line: str) -> bool:
    """True if dots lead to the number of a page, or to none, at the end of a line."""
    end = line.rstrip().rstrip("0123456789").rstrip()
    return bool(_LEADERS.search(end, max(0, len(end) - _LEADERS_END)))


def _fold(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _usual_width(pages: Sequence[PageLines]) -> int:
    lengths = sorted(len(line) for page in pages for block in page.blocks for line in block.lines)
    return lengths[len(lengths) * 3 // 4] if lengths else 80
