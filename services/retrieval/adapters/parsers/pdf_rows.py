"""From the lines of a table that no grid draws to its rows.

By what is drawn behind them (shading, horizontal rules), by the distances between them, or by which columns begin anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from services.retrieval.adapters.parsers.pdf_aligned import DISTANCE_RATIO, WRAP_DISTANCE, Region, Row
from services.retrieval.adapters.parsers.pdf_lines import Line


def rows_of(region: Region) -> list[Row]:
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
    if not distances or max(distances) < DISTANCE_RATIO * min(distances):
        return None
    border = (max(distances) + min(distances)) / 2
    # Distances within a cell are all the same, those between rows may differ.
    border = min(border, DISTANCE_RATIO * min(distances))
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
    if line.middle - row[-1].middle > WRAP_DISTANCE * line.size:
        return False
    above = [any(region.cells(other)[column] for other in row) for column in range(region.columns)]
    if any(cells[column] and above[column] for column in short):
        return False
    if not cells[0]:
        return True
    # The first column is wrapped as well: the line goes on in small letters and leaves other columns empty.
    missing = any(above[column] and not cells[column] for column in range(1, region.columns))
    return missing and cells[0][0].text[:1].islower()
