"""Whether columns of a PDF page that white space sets apart are a table.

Much else is aligned: articles in two columns, contents with their page numbers, lists beside their marks, forms,
equations, programs. As running text these lose nothing, so only what shows that it is a table becomes one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from statistics import median

from services.retrieval.adapters.parsers.pdf_aligned import Region
from services.retrieval.adapters.parsers.pdf_words import Word

_LEADERS = re.compile(r"(?:[.·…]\s?){4,}")
_MARK = re.compile(r"[^\w\s]{1,2}|[(（\[]?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5}|[一二三四五六七八九十]{1,3})[.)）\]、:]?")
_PAGE_WORDS = frozenset({"page", "pages", "页", "页码", "頁", "頁碼"})
_LABEL = re.compile(r".*[:：]\s*")
_CODE = re.compile(
    r"[{}]|;$|==|!=|:=|->|=>|\+=|^//|^#!|\w\(.{0,200}\)|^(?:def|return|import|if|for|else|elif|var|let|int)$"
)
# Figures with a unit, codes with a number in them, ticks, and yes or no.
_FIGURE = re.compile(
    r"[^\w\s]*(?:"
    r"\d[\d\s.,:/%‰°+–-]*(?:\s?[A-Za-zµ%°/²³]{1,6}){0,2}"
    r"|[A-Z]{0,5}[-. ]?\d[\w.\-]{0,10}"
    r"|[✓✔✗✘×xX–—-]|yes|no|n/?a|是|否|有|无"
    r")[^\w\s]*",
    re.IGNORECASE,
)
_LONGEST_FIGURE = 40
# Columns of prose: their fragments are at least this long and fill most of the width.
_PROSE_CHARACTERS = 18
_PROSE_FILL = 0.7
_SHORT_CELL = 24


def is_table(
    region: Region, cells: Sequence[Sequence[str]], bold: Callable[[Word], bool], *, continues: bool = False
) -> bool:
    """True if ``cells`` of a region are a table, the first row its header unless it ``continues`` one.

    ``bold`` tells the font of a word.
    """
    rows = [[" ".join(cell.split()) for cell in row] for row in cells]
    body = rows if continues else rows[1:]
    filled = [row for row in body if sum(bool(cell) for cell in row) > 1]
    if not filled or _has_leaders(rows) or _is_code(rows):
        return False
    header_full = all(rows[0][1:]) and not any(_LABEL.fullmatch(cell) for cell in rows[0])
    if region.is_drawn and header_full:
        return len(filled) >= 0.5 * len(body)
    if continues:
        return not _is_list(rows) and not _is_prose(region)
    if len(rows) < 3 or not all(rows[0]) or _is_list(rows) or _is_form(rows) or _is_prose(region) or _is_contents(rows):
        return False
    if len(filled) < 0.6 * len(body):
        return False
    return _has_figures(rows) or _has_bold_header(region, bold) or _is_grid(rows)


def _has_leaders(rows: Sequence[Sequence[str]]) -> bool:
    """Rows of dots lead from titles to their pages, or to prices of a menu."""
    return sum(any(_LEADERS.search(cell) for cell in row) for row in rows) > 0.2 * len(rows)


def _is_contents(rows: Sequence[Sequence[str]]) -> bool:
    """Titles with page numbers that only rise, under no header but the word page."""
    numbers = [row[-1] for row in rows if row[-1]]
    if len(numbers) < 3 or not all(number.isdecimal() and len(number) < 5 for number in numbers[1:]):
        return False
    headless = numbers[0].isdecimal() or numbers[0].casefold() in _PAGE_WORDS
    pages = [int(number) for number in numbers if number.isdecimal()]
    return headless and pages == sorted(pages) and pages[0] < pages[-1]


def _is_list(rows: Sequence[Sequence[str]]) -> bool:
    """A text beside bullets or numbers, lines counted in the margin included."""
    if len(rows[0]) > 2:
        return False
    marks = [row[0] for row in rows if row[0]]
    return sum(bool(_MARK.fullmatch(mark)) for mark in marks) >= 0.8 * len(marks)


def _is_form(rows: Sequence[Sequence[str]]) -> bool:
    """Labels that end in a colon beside what was filled in."""
    labels = max(sum(bool(_LABEL.fullmatch(row[column])) for row in rows) for column in range(len(rows[0])))
    return labels >= 0.4 * len(rows)


def _is_code(rows: Sequence[Sequence[str]]) -> bool:
    cells = [cell for row in rows for cell in row if cell]
    return sum(any(_CODE.search(word) for word in cell.split()) for cell in cells) >= 0.3 * len(cells)


def _is_prose(region: Region) -> bool:
    """Two columns or more of running text side by side."""
    prose = 0
    for column in range(region.columns):
        cells = [cell for line in region.lines if (cell := region.cells(line)[column])]
        lengths = [sum(len(word.text) + 1 for word in cell) for cell in cells]
        widths = [cell[-1].box[2] - cell[0].box[0] for cell in cells]
        full = len(cells) >= 0.7 * len(region.lines) and median(widths) >= _PROSE_FILL * max(widths)
        prose += full and median(lengths) >= _PROSE_CHARACTERS
    return prose > 1


def _has_figures(rows: Sequence[Sequence[str]]) -> bool:
    """A column holds figures, codes or ticks under a header that is none."""
    for column in range(len(rows[0])):
        cells = [row[column] for row in rows[1:] if row[column]]
        figures = sum(_is_figure(cell) for cell in cells)
        if not _is_figure(rows[0][column]) and len(cells) >= 2 and figures >= 0.7 * len(cells):
            return True
    return False


def _is_figure(cell: str) -> bool:
    return len(cell) <= _LONGEST_FIGURE and bool(_FIGURE.fullmatch(cell))


def _has_bold_header(region: Region, bold: Callable[[Word], bool]) -> bool:
    """The first line is printed bold in every column, the others are not."""
    return all(bold(word) for word in region.lines[0].words) and not any(
        all(bold(word) for word in line.words) for line in region.lines[1:]
    )


def _is_grid(rows: Sequence[Sequence[str]]) -> bool:
    """Three columns or more of short cells, hardly any empty."""
    cells = [cell for row in rows for cell in row]
    filled = [len(cell) for cell in cells if cell]
    enough = len(rows) >= 4 and len(rows[0]) >= 3 and len(filled) >= 0.9 * len(cells)
    return enough and median(filled) <= _SHORT_CELL and max(filled) <= 3 * _SHORT_CELL
