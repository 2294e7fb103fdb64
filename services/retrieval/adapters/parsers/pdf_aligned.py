"""Tables of a PDF page without vertical rules: columns that white space sets apart over several lines.

A region is a run of lines that leave the same gutters free. Its lines become rows by what is drawn behind them
(shading, horizontal rules), by the distances between them, or by which columns begin anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from services.retrieval.adapters.parsers.pdf_lines import FRAGMENT_GAP, Line
from services.retrieval.adapters.parsers.pdf_words import Box, Drawn, Word

# White space between two columns is at least this wide all the way down, in heights of the print.
_GUTTER = 0.4
# The same where shaded cells meet in it.
_DRAWN_GUTTER = 0.05
# The next line of a table is no further away, in heights of the print: between rows, and within a wrapped cell.
_ROW_DISTANCE = 3.0
_WRAP_DISTANCE = 1.75
# Lines at the beginning of a run that may not be of its table.
_LEADING = 5
# Distances between rows are larger than those within by this ratio, where they tell rows apart at all.
_DISTANCE_RATIO = 1.15
# Distances that differ less are the same.
_SAME = 0.95
_MOST_COLUMNS = 40

Span = tuple[float, float]
Row = list[list[Word]]
"""The words of each cell, in reading order."""


@dataclass(frozen=True, slots=True)
class Region:
    """Lines that share gutters; what is drawn counts as a hint where it is as wide as the lines."""

    lines: list[Line]
    gutters: list[Span]
    shades: list[Span]
    rules: list[float]

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
        found.append(_region(list(lines[first : grown.end]), gutters, drawn))
        index = grown.end
    return found


@dataclass(frozen=True, slots=True)
class _Run:
    """Lines ``start`` to ``end`` that leave ``gutters`` free."""

    start: int
    end: int
    gutters: list[Span]
    borders: list[float]


def _grow(lines: Sequence[Line], start: int, drawn: Drawn) -> _Run | None:
    """The run that begins at ``start``; None if it is a line alone."""
    borders = drawn.borders(lines[start].top, lines[start].bottom) if drawn.shades else []
    gutters = _gaps(lines[start], borders)
    if not gutters or len(gutters) >= _MOST_COLUMNS:
        return None
    end, filled = start + 1, start + 1  # filled: behind the last line that is surely of the table
    distances: list[float] = []
    while end < len(lines):
        before, line = lines[end - 1], lines[end]
        size = max(before.size, 1.0)
        if line.top - before.bottom > (_ROW_DISTANCE - 1) * size or not 0.6 < line.size / size < 1.7:
            break
        narrowed = _narrowed(gutters, line, borders)
        if narrowed is None:
            break
        columns = _columns_of(line, narrowed)
        distance = line.middle - before.middle
        if columns == {0} and distance > _WRAP_DISTANCE * size and end > filled:
            break
        gutters = narrowed
        end += 1
        distances.append(distance)
        if len(columns) > 1 or _is_wrapped(columns, distances, size):
            filled = end
    return _Run(start, filled, gutters, borders) if filled - start >= 2 else None


def _is_wrapped(columns: set[int], distances: Sequence[float], size: float) -> bool:
    """True if a line goes on with a cell of the line above, by the last of the ``distances`` between lines.

    In the first column, where the text behind a table begins as well, only where lines of a row are nearer than rows.
    """
    distance, nearest = distances[-1], min(distances)
    if 0 not in columns:
        return distance <= _WRAP_DISTANCE * size
    return distance * _SAME <= nearest and max(distances) >= _DISTANCE_RATIO * nearest


def _with_header(lines: Sequence[Line], run: _Run) -> tuple[int, list[Span]]:
    """The first line of a header whose upper lines fill some columns only, and the gutters that it leaves."""
    first, gutters = run.start, run.gutters
    while first > 0 and run.start - first < 3:
        above, below = lines[first - 1], lines[first]
        near = below.middle - above.middle <= _WRAP_DISTANCE * below.size and 0.8 < above.size / below.size < 1.25
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


def _region(lines: list[Line], gutters: list[Span], drawn: Drawn) -> Region:
    left = min(word.box[0] for line in lines for word in line.words)
    right = max(word.box[2] for line in lines for word in line.words)
    size = float(median(line.size for line in lines))
    # A rule right above the table may be that of the text before it.
    top, bottom = lines[0].middle, lines[-1].bottom + size
    shades = [span for span in _bands(drawn.shades, left, right) if span[0] < bottom and span[1] > top]
    rules = [span[0] for span in _bands(drawn.rules, left, right) if top < span[0] < bottom]
    return Region(lines, gutters, shades, rules)


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


def rows(region: Region) -> list[Row]:
    """The rows of a region, what is wrapped in a cell joined."""
    result = []
    for group in _groups(region):
        row: Row = [[] for _ in range(region.columns)]
        for line in group:
            for column, words in enumerate(region.cells(line)):
                row[column].extend(words)
        result.append(row)
    return result


def _groups(region: Region) -> list[list[Line]]:
    """The lines of each row."""
    by_band = _drawn_groups(region)
    if by_band is not None:
        return by_band
    by_distance = _distant_groups(region)
    if by_distance is not None:
        return by_distance
    short = _short_columns(region)
    groups: list[list[Line]] = []
    for line in region.lines:
        if not groups or not _goes_on(region, groups[-1], line, short):
            groups.append([line])
        else:
            groups[-1].append(line)
    return groups


def _drawn_groups(region: Region) -> list[list[Line]] | None:
    """Rows by shading or rules, where these set off more than the header; otherwise None."""
    edges = sorted({*region.rules, *(edge for shade in region.shades for edge in shade)})
    groups: dict[int, list[Line]] = {}
    for line in region.lines:
        groups.setdefault(sum(edge < line.middle for edge in edges), []).append(line)
    bands = len(region.shades) + len(region.rules)
    if bands < 2 or len(groups) < 3:
        return None
    found = list(groups.values())
    # Rules above, under the header and below leave all rows in one band.
    several = [group for group in found[1:] if sum(bool(region.cells(line)[0]) for line in group) > 2]
    return None if several else found


def _distant_groups(region: Region) -> list[list[Line]] | None:
    """Rows by wider distances between lines, if each then begins in the first column; otherwise None."""
    lines = region.lines
    distances = [below.middle - above.middle for above, below in pairwise(lines)]
    if not distances or max(distances) < _DISTANCE_RATIO * min(distances):
        return None
    border = (max(distances) + min(distances)) / 2
    # Distances within a cell are all the same, those between rows may differ.
    border = min(border, _DISTANCE_RATIO * min(distances))
    groups = [[lines[0]]]
    for line, distance in zip(lines[1:], distances, strict=True):
        if distance > border:
            groups.append([line])
        else:
            groups[-1].append(line)
    keys = [sum(bool(region.cells(line)[0]) for line in group) for group in groups]
    full = all(keys[1:]) and sum(key > 1 for key in keys[1:]) <= 0.2 * len(keys)
    return groups if full else None


def _short_columns(region: Region) -> list[int]:
    """Columns that no cell is ever wrapped in: their fragments are short and hold figures or single words."""
    found = []
    for column in range(1, region.columns):
        cells = [cell for line in region.lines if (cell := region.cells(line)[column])]
        if cells and median(sum(len(word.text) for word in cell) for cell in cells) <= 8:
            found.append(column)
    return found


def _goes_on(region: Region, row: Sequence[Line], line: Line, short: Sequence[int]) -> bool:
    """True if ``line`` goes on with the row above."""
    cells = region.cells(line)
    if line.middle - row[-1].middle > _WRAP_DISTANCE * line.size:
        return False
    above = [any(region.cells(other)[column] for other in row) for column in range(region.columns)]
    if any(cells[column] and above[column] for column in short):
        return False
    if not cells[0]:
        return True
    # The first column is wrapped as well: the line goes on in small letters and leaves other columns empty.
    missing = any(above[column] and not cells[column] for column in range(1, region.columns))
    return missing and cells[0][0].text[:1].islower()
