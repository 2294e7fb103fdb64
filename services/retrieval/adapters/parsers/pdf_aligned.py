"""Tables of a PDF page without vertical rules: columns that white space sets apart over several lines.

A region is a run of lines that leave the same gutters free; pdf_rows makes rows of its lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from services.retrieval.adapters.parsers.pdf_drawn import Drawn
from services.retrieval.adapters.parsers.pdf_lines import FRAGMENT_GAP, Line
from services.retrieval.adapters.parsers.pdf_shades import Box
from services.retrieval.adapters.parsers.pdf_words import Word

# White space between two columns is at least this wide all the way down, in heights of the print.
_GUTTER = 0.4
# The same where shaded cells meet in it.
_DRAWN_GUTTER = 0.05
# The next line of a table is no further away, in heights of the print: between rows, and within a wrapped cell.
_ROW_DISTANCE = 3.0
WRAP_DISTANCE = 1.75
# Lines at the beginning of a run that may not be of its table.
_LEADING = 5
# Distances between rows are larger than those within by this ratio, where they tell rows apart at all.
DISTANCE_RATIO = 1.15
# Distances that differ less are the same.
_SAME = 0.95
_MOST_COLUMNS = 40
_CAPTION = re.compile(r"(?:table|tab\.|figure|fig\.|[表图])\s*[\dA-Z]", re.IGNORECASE)

Span = tuple[float, float]
Row = list[list[Word]]
"""The words of each cell, in reading order."""


@dataclass(frozen=True, slots=True)
class Region:
    """Lines that share gutters; what is drawn counts as a hint where it is as wide as the lines.

    ``sections``: lines across the gutters, by their ids, which head the rows below them.
    """

    lines: list[Line]
    gutters: list[Span]
    shades: list[Span]
    rules: list[float]
    sections: frozenset[int] = frozenset()

    @property
    def columns(self) -> int:
        """One more than the gutters between them."""
        return len(self.gutters) + 1

    @property
    def is_drawn(self) -> bool:
        """True if rows are shaded or rules stand between them; one alone may underline a title of two columns."""
        return bool(self.shades) or len(self.rules) > (self.columns < 3)

    @property
    def box(self) -> Box:
        """What its words take up."""
        boxes = [word.box for line in self.lines for word in line.words]
        return min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes)

    def cells(self, line: Line) -> Row:
        """The words of a line by column."""
        row: Row = [[] for _ in range(self.columns)]
        if id(line) in self.sections:
            row[0] = list(line.words)
            return row
        for word in line.words:
            middle = (word.box[0] + word.box[2]) / 2
            row[sum(middle > gutter[0] for gutter in self.gutters)].append(word)
        return row


def regions(lines: Sequence[Line], drawn: Drawn) -> list[Region]:
    """Regions from top to bottom, none within another."""
    found: list[Region] = []
    index = 0
    while index < len(lines):
        grown = _grow(lines, index, drawn)
        if grown is None:
            index += 1
            continue
        # A line above, such as a running header or a caption, may share one gutter of a table that has more.
        for later in range(index + 1, min(grown.end, index + _LEADING)):
            other = _grow(lines, later, drawn)
            if other is not None and len(other.gutters) > len(grown.gutters):
                grown = other
        first, gutters = _with_header(lines, grown)
        found.append(_region(list(lines[first : grown.end]), gutters, drawn, grown.sections))
        index = grown.end
    return found


@dataclass(frozen=True, slots=True)
class _Run:
    """Lines ``start`` to ``end`` that leave ``gutters`` free."""

    start: int
    end: int
    gutters: list[Span]
    borders: list[float]
    sections: frozenset[int]


def _grow(lines: Sequence[Line], start: int, drawn: Drawn) -> _Run | None:
    """The run that begins at ``start``; None if it is a line alone."""
    borders = drawn.borders(lines[start].top, lines[start].bottom) if drawn.shades else []
    gutters = _gaps(lines[start], borders)
    if not gutters or len(gutters) >= _MOST_COLUMNS:
        return None
    end, filled = start + 1, start + 1  # filled: behind the last line that is surely of the table
    distances: list[float] = []
    sections: set[int] = set()
    while end < len(lines):
        before, line = lines[end - 1], lines[end]
        size = max(before.size, 1.0)
        if line.top - before.bottom > (_ROW_DISTANCE - 1) * size or not 0.6 < line.size / size < 1.7:
            break
        narrowed = _narrowed(gutters, line, borders)
        distance = line.middle - before.middle
        if narrowed is None:
            if not _is_section(lines, start, end, gutters, [*distances, distance]):
                break
            sections.add(id(line))
            distances.append(distance)
            end += 1
            continue
        columns = _columns_of(line, narrowed)
        if columns == {0} and distance > WRAP_DISTANCE * size and end > filled:
            break
        gutters = narrowed
        end += 1
        distances.append(distance)
        if len(columns) > 1 or _is_wrapped(columns, distances, size):
            filled = end
    return _Run(start, filled, gutters, borders, frozenset(sections)) if filled - start >= 2 else None


def _is_section(
    lines: Sequence[Line], start: int, index: int, gutters: Sequence[Span], distances: Sequence[float]
) -> bool:
    """True if a line across the gutters heads the rows below it: at the left edge and no further from them than rows
    are, and no caption of another table."""
    if index + 1 >= len(lines) or index - start < 2:
        return False
    line, after = lines[index], lines[index + 1]
    far = max(distances[-1], after.middle - line.middle) > max(distances[:-1]) / _SAME
    left = min(word.box[0] for other in lines[start:index] for word in other.words)
    narrowed = _narrowed(gutters, after, ())
    if far or line.words[0].box[0] > left + line.size or narrowed is None or len(_columns_of(after, narrowed)) < 2:
        return False
    return not _gaps(line, ()) and not _CAPTION.match(" ".join(word.text for word in line.words[:3]))


def _is_wrapped(columns: set[int], distances: Sequence[float], size: float) -> bool:
    """True if a line goes on with a cell of the line above, by the last of the ``distances`` between lines.

    In the first column, where the text behind a table begins as well, only where lines of a row are nearer than rows.
    """
    distance, nearest = distances[-1], min(distances)
    if 0 not in columns:
        return distance <= WRAP_DISTANCE * size
    return distance * _SAME <= nearest and max(distances) >= DISTANCE_RATIO * nearest


def _with_header(lines: Sequence[Line], run: _Run) -> tuple[int, list[Span]]:
    """The first line of a header whose upper lines fill some columns only, and the gutters that it leaves."""
    first, gutters = run.start, run.gutters
    while first > 0 and run.start - first < 3:
        above, below = lines[first - 1], lines[first]
        near = below.middle - above.middle <= WRAP_DISTANCE * below.size and 0.8 < above.size / below.size < 1.25
        narrowed = _narrowed(gutters, above, run.borders)
        if not near or narrowed is None or _columns_of(above, narrowed) == {0}:
            break
        first, gutters = first - 1, narrowed
    return first, gutters


def _gaps(line: Line, borders: Sequence[float]) -> list[Span]:
    """What lies between the fragments of a line; shaded cells set words apart however near they are."""
    gaps = []
    least = FRAGMENT_GAP * line.size
    right = line.words[0].box[2]
    for word in line.words[1:]:
        left = word.box[0]
        if left - right > least or any(right - 1 < border < left + 1 for border in borders):
            gaps.append((right, left))
        right = max(right, word.box[2])
    return gaps


def _narrowed(gutters: Sequence[Span], line: Line, borders: Sequence[float]) -> list[Span] | None:
    """What the words of ``line`` leave of each gutter; None if one of them is closed.

    A word within a gutter belongs to the column on its nearer side, or on its side of a border.
    """
    result = []
    for left, right in gutters:
        border = next((border for border in borders if left - 1 < border < right + 1), None)
        for word in line.words:
            start, _, end, _ = word.box
            if end <= left or start >= right:
                continue
            if start - left > right - end if border is None else start + end > 2 * border:
                right = min(right, start)
            else:
                left = max(left, end)
        if right - left < (_GUTTER if border is None else _DRAWN_GUTTER) * line.size:
            return None
        result.append((left, right))
    return result


def _columns_of(line: Line, gutters: Sequence[Span]) -> set[int]:
    return {sum((word.box[0] + word.box[2]) / 2 > gutter[0] for gutter in gutters) for word in line.words}


def _region(lines: list[Line], gutters: list[Span], drawn: Drawn, sections: frozenset[int]) -> Region:
    left = min(word.box[0] for line in lines for word in line.words)
    right = max(word.box[2] for line in lines for word in line.words)
    size = float(median(line.size for line in lines))
    # A rule right above the table may be that of the text before it.
    top, bottom = lines[0].middle, lines[-1].bottom + size
    shades = [span for span in _bands(drawn.shades, left, right) if span[0] < bottom and span[1] > top]
    rules = [span[0] for span in _bands(drawn.rules, left, right) if top < span[0] < bottom]
    return Region(lines, gutters, shades, rules, sections)


def _bands(boxes: Sequence[Box], left: float, right: float) -> list[Span]:
    """Boxes beside one another as one band from top to bottom, where they reach from one side to the other."""
    bands: list[list[float]] = []  # top, bottom, left, right
    for box in sorted(boxes, key=lambda item: (round(item[1]), item[0])):
        band = next((band for band in bands[:-4:-1] if abs(band[0] - box[1]) < 2 and abs(band[1] - box[3]) < 2), None)
        if band is None:
            bands.append([box[1], box[3], box[0], box[2]])
        elif box[0] - band[3] < 0.1 * (right - left):
            band[3] = max(band[3], box[2])
    needed = 0.9 * (right - left)
    return [(b[0], b[1]) for b in bands if min(b[3], right) - max(b[2], left) >= needed]
