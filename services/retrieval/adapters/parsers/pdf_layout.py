"""From the lines of PDF pages to Markdown: headers and footers out, paragraphs joined, headings marked."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from services.retrieval.adapters.parsers.pdf_open_table import OpenTable
from services.retrieval.domain.chunks import PageStart
from services.retrieval.domain.structure import anchor_of


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of running text, or rows of a table, the first one its header.

    The lines of a wrapped cell are set apart by line feeds. A table that ``continues`` goes on with the last one of the
    page before, with or without its header.
    """

    lines: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    continues: bool = False

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


_EDGE_LINES = 2
_REPEATED_SHARE = 0.5
_BULLET = re.compile(
    r"[-•◦▪·●○*]\s*\S|\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)]\s+\S|\((?:\d{1,3}|[a-z])\)\S"
    r"|[（(]?[一二三四五六七八九十\d]{1,3}[)）、]\s*\S|[一二三四五六七八九十]{1,3}[.．]\s*\S"
)
_ENDS_SENTENCE = re.compile(r"[.!?:;。！？：；…][\"'”’)）\]]*$")
_LEADERS = re.compile(r"(?:\.\s?){4}$|…{2}$")
_LEADERS_END = 16
_HYPHENATED = re.compile("(?<![A-Za-z])[A-Za-z]{2,}[\u2010\u2011-][A-Za-z]+")
_HYPHEN_KEPT = re.compile("[A-Za-z0-9][\u2010\u2011-]$")
# Behind a hyphen that stands for the rest of a word; and before one that never breaks a word.
_AND = frozenset({"and", "or", "to", "und", "oder", "et", "ou"})
_PREFIXES = frozenset({"self"})
_HYPHEN_END = re.compile(r"([A-Za-z]{2,})[\u2010\u2011\u00ad-]$")
# A paragraph that happens to begin like Markdown must not become a heading, a table or code.
_MARKDOWN_MARKS = ("#", "|", "```", "~~~", "<!--")
# A word longer than this is no word that a hyphen breaks.
_LONGEST_WORD = 64
_CJK = re.compile("[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]")


def assemble(pages: Sequence[PageLines], titles: Sequence[Title]) -> Assembled:
    """Markdown of all pages; running headers and footers are left out."""
    repeated = _repeated_lines(pages)
    by_page: dict[int, dict[str, int]] = defaultdict(dict)
    for title in titles:
        by_page[title.page_index][_fold(title.text)] = title.level
    words = _hyphenated_words(pages)
    full_width = _usual_width(pages)
    builder = _Builder(words, full_width, has_outline=bool(titles))
    for index, page in enumerate(pages):
        builder.start_page(page.number)
        for block in _without_edges(page, repeated):
            if block.is_table:
                builder.table(block)
            else:
                builder.lines(block.lines, by_page[index])
    return builder.finish()


class _Builder:
    def __init__(self, hyphenated: set[str], full_width: int, *, has_outline: bool) -> None:
        self._hyphenated = hyphenated
        self._full_width = full_width
        self._has_outline = has_outline
        self._parts: list[str] = []
        self._length = 0
        # Lines of the open paragraph, already mended where they meet; joined only when it closes, so that the cost
        # of a paragraph that runs over hundreds of pages stays linear.
        self._paragraph: list[str] = []
        self._paragraph_length = 0
        self._last_line = ""
        self._pages: list[PageStart] = []
        self._pending: int | None = None
        self._table = OpenTable()
        self._cells = 0

    def start_page(self, number: int) -> None:
        """The text that follows is on this page, even where it continues a paragraph."""
        self._pending = number

    def lines(self, lines: Sequence[str], headings: dict[str, int]) -> None:
        """Running text."""
        self._close_table()
        index = 0
        while index < len(lines):
            heading = self._heading(lines, index, headings)
            if heading:
                level, taken = heading
                self._close()
                self._mark(0)
                self._emit(f"{'#' * min(level, 6)} " + " ".join(lines[index : index + taken]))
                index += taken
                continue
            if not (self._has_outline and _has_leaders(lines[index])):
                self._line(lines[index])
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
            before, glue = _join(joined, line, self._hyphenated) if joined else ("", "")
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

    def _line(self, line: str) -> None:
        if not _broken_word(line):
            line = line.replace("\u2010", "-").replace("\u2011", "-")
        if self._paragraph and self._starts_new(line):
            self._close()
        if not self._paragraph:
            self._mark(0)
        else:
            before = self._paragraph[-1]
            mended, glue = _join(before, line, self._hyphenated)
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


def _broken_word(line: str) -> re.Match[str] | None:
    """The word at the end of ``line`` that a hyphen may only have broken."""
    return _HYPHEN_END.search(line, max(0, len(line) - _LONGEST_WORD))


def _join(before: str, line: str, hyphenated: set[str]) -> tuple[str, str]:
    """The line before without a hyphen that only broke a word, and what stands between it and ``line``."""
    broken = _broken_word(before)
    rest = re.match(r"[A-Za-z]{0,64}", line)
    word = rest.group() if rest else ""
    if broken and word.lower() in _AND:  # pre- and post-war
        return before, " "
    if broken and line[:1].islower():
        keep = f"{broken.group(1)}-{word}".lower() in hyphenated or broken.group(1).lower() in _PREFIXES
        return before[: broken.end() - 1], "-" if keep else ""
    if _HYPHEN_KEPT.search(before[-2:]) and line[:1].isalnum():  # COVID-19, 2-3 bar, non-EU
        return before[:-1] + "-", ""
    if _CJK.search(before[-1:]) and _CJK.search(line[:1]):
        return before, ""
    return before, " "


def _fold(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _edge_key(line: str) -> str:
    return re.sub(r"\d+", "#", re.sub(r"\s+", " ", line)).casefold()


def _edges(page: PageLines) -> list[tuple[int, int]]:
    """Positions (block, line) of a page's first and last lines of running text."""
    places = [(b, i) for b, block in enumerate(page.blocks) if not block.is_table for i in range(len(block.lines))]
    return list(dict.fromkeys(places[:_EDGE_LINES] + places[-_EDGE_LINES:]))


def _repeated_lines(pages: Sequence[PageLines]) -> set[str]:
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
    repeated = _repeated_lines(pages)
    return sum(_edge_key(page.blocks[b].lines[i]) in repeated for page in pages for b, i in _edges(page))


def _without_edges(page: PageLines, repeated: set[str]) -> list[Block]:
    drop = {(b, i) for b, i in _edges(page) if _edge_key(page.blocks[b].lines[i]) in repeated}
    blocks = []
    for number, block in enumerate(page.blocks):
        lines = [line for index, line in enumerate(block.lines) if (number, index) not in drop]
        if lines or block.rows:
            blocks.append(replace(block, lines=lines))
    return blocks


def _hyphenated_words(pages: Sequence[PageLines]) -> set[str]:
    """Words that the document writes with a hyphen within a line, such as multi-factor."""
    found: set[str] = set()
    for page in pages:
        for block in page.blocks:
            for line in block.all_lines():
                found.update(re.sub("[\u2010\u2011]", "-", word).lower()
                             for word in _HYPHENATED.findall(line))  # fmt: skip
    return found


def _usual_width(pages: Sequence[PageLines]) -> int:
    lengths = sorted(len(line) for page in pages for block in page.blocks for line in block.lines)
    return lengths[len(lengths) * 3 // 4] if lengths else 80
