"""Chunks cut into units of evidence: sentences, table rows with their headers, the title line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.common.domain.document import Chunk
from services.validation.domain.analysis import Analyser, Analysis
from services.validation.domain.config import Limits
from services.validation.domain.reading.captions import under_caption
from services.validation.domain.reading.names import Name
from services.validation.domain.reading.references import Reference, find_references, heads, leading_number
from services.validation.domain.reading.statements import sentence_spans
from services.validation.domain.reading.tables import corner_unit, declared_unit, with_units
from services.validation.domain.reading.text import normalise
from services.validation.domain.times.moments import Moment
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import COUNTS

_CELL = re.compile(r"\s*(?:\||\t)\s*")
_LONGEST_UNIT = 700
_END_MARK = re.compile(r"[.。!！?？;；,，:：]\W*$")
_LIST_MARK = re.compile(r"(?:[-*•]\s|[(（]?\w{1,3}[)）.、])")
_RULE_LINE = re.compile(r"^[\s|:+=-]+$")


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit of evidence of a chunk.

    ``start`` and ``end`` are offsets in the chunk text. ``names`` and ``moments`` are those the unit speaks of,
    its own or carried over from the title and the sentence before. ``columns`` are, for a table row, the cell
    spans with the header of their column.
    """

    citation: int
    index: int
    start: int
    end: int
    kind: str
    analysis: Analysis
    names: tuple[Name, ...]
    moments: tuple[Moment, ...]
    headers: tuple[tuple[int, int, Analysis], ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk ready for judging: its units, its title read, and the references it holds as its own heading."""

    citation: int
    chunk: Chunk
    units: tuple[Unit, ...]
    title: Analysis
    text: str
    low: str
    own_references: tuple[Reference, ...]


def in_force_days(passage: Passage) -> list[Moment]:
    """The first and the last day on which the passage's document is in force, as far as they are known."""
    document = passage.chunk.document
    days = (document.effective_from, document.effective_to)
    return [Moment("day", 0, 0, d.year, d.month, d.day) for d in days if d is not None]


def read_chunks(chunks: Sequence[Chunk], analyser: Analyser, limits: Limits) -> tuple[Passage, ...]:
    """Read the chunks (at most ``limits.chunks``) in citation order, starting at 1."""
    return tuple(_passage(i, chunk, analyser, limits) for i, chunk in enumerate(chunks[: limits.chunks], start=1))


@dataclass(frozen=True, slots=True)
class _Text:
    """What a chunk's heading and text say, whatever its place among the chunks."""

    units: tuple[Unit, ...]
    title: Analysis
    text: str
    low: str
    own_references: tuple[Reference, ...]


def _passage(citation: int, chunk: Chunk, analyser: Analyser, limits: Limits) -> Passage:
    text = chunk.text[: limits.chunk_chars]
    heading = " ".join((chunk.document.title, chunk.document.version, *chunk.heading_path)).strip()
    key = (heading, text, limits.units_per_chunk)
    read: _Text = analyser.passages.get(key, lambda: _read_text(heading, text, analyser, limits))
    units = tuple(
        Unit(citation, u.index, u.start, u.end, u.kind, u.analysis, u.names, u.moments, u.headers) for u in read.units
    )
    return Passage(citation, chunk, units, read.title, read.text, read.low, read.own_references)


def _read_text(heading: str, text: str, analyser: Analyser, limits: Limits) -> _Text:
    title = analyser.analyse(heading)
    units: list[Unit] = []
    header: list[Analysis] = []
    columns: list[tuple[str, Quantity | None]] = []
    caption: Quantity | None = None
    before = ""
    previous: Unit | None = None
    for start, end, row in _pieces(text)[: limits.units_per_chunk]:
        piece = text[start:end]
        analysis = analyser.analyse(piece)
        cells = _cells(piece) if row else []
        if cells and not header:
            header = [analyser.analyse(piece[a:b]) for a, b in cells]
            columns = [(h.low, declared_unit(h.text, analyser.quantities)) for h in header]
            caption = corner_unit(header[0].text, analyser.quantities) or declared_unit(before, analyser.quantities)
            units.append(Unit(0, len(units), start, end, "header", analysis, (), ()))
            continue
        if not row:
            header = []
            before = analysis.text
            analysis = under_caption(analysis, analyser.quantities)
        elif cells:
            analysis = with_units(analysis, cells, columns, caption)
        headers = tuple((a, b, header[i]) for i, (a, b) in enumerate(cells) if i < len(header))
        unit = Unit(
            0, len(units), start, end, "row" if headers else _kind_of(piece, text[end:], analysis), analysis,
            _carried_names(analysis, previous, title), _carried_moments(analysis, previous, title), headers,
        )  # fmt: skip
        units.append(unit)
        previous = unit
    own = _own_references(text, title)
    return _Text(tuple(units), title, text, text.lower(), own)


def _kind_of(piece: str, rest: str, analysis: Analysis) -> str:
    """A short line of words without an end mark, with lines after it, is a heading."""
    plain = piece.strip()
    measured = any(
        q.unit.dimension not in COUNTS or re.search(r"[:：|=]\s*$", analysis.text[: q.start])
        for q in analysis.quantities
    )
    alone = not measured and not analysis.cues and not analysis.moments and len(analysis.terms) <= _HEADING_TERMS
    ended = _END_MARK.search(plain) is not None
    listed = _LIST_MARK.match(plain) is not None
    marked = plain.startswith("#")
    return (
        "heading"
        if (marked or (alone and not ended and not listed)) and rest.strip() and "\n" in rest[:3]
        else "sentence"
    )


_HEADING_TERMS = 8


def _pieces(text: str) -> list[tuple[int, int, bool]]:
    """Sentences and table rows as (start, end, is a row)."""
    pieces: list[tuple[int, int, bool]] = []
    offset = 0
    lines = text.splitlines(keepends=True)
    tabular = [(line.count("|") >= 1 and len(_cells(line)) >= 2) or "\t" in line.strip() for line in lines]
    for i, line in enumerate(lines):
        stripped = line.rstrip()
        if not stripped.strip():
            offset += len(line)
            continue
        neighbour = (i > 0 and tabular[i - 1]) or (i + 1 < len(lines) and tabular[i + 1])
        if tabular[i] and neighbour:
            if not _RULE_LINE.match(stripped):
                pieces.append((offset, offset + len(stripped), True))
        else:
            pieces.extend(
                (offset + s, offset + e, False) for a, b in sentence_spans(line) for s, e in _short(line, a, b)
            )
        offset += len(line)
    return pieces


def _short(line: str, start: int, end: int) -> list[tuple[int, int]]:
    """A run without sentence ends (a list of links, a log line) is cut at white space, so that no unit is endless."""
    pieces: list[tuple[int, int]] = []
    while end - start > _LONGEST_UNIT:
        cut = line.rfind(" ", start + _LONGEST_UNIT // 2, start + _LONGEST_UNIT)
        cut = cut if cut > 0 else start + _LONGEST_UNIT
        pieces.append((start, cut))
        start = cut
    return [*pieces, (start, end)]


def _cells(line: str) -> list[tuple[int, int]]:
    cells: list[tuple[int, int]] = []
    start = 0
    for match in [*_CELL.finditer(line), None]:
        end = match.start() if match else len(line)
        if line[start:end].strip():
            cells.append(
                (start + len(line[start:end]) - len(line[start:end].lstrip()), start + len(line[start:end].rstrip()))
            )
        elif start and match:
            cells.append((start, end))
        start = match.end() if match else end
    return cells


def _carried_names(analysis: Analysis, previous: Unit | None, title: Analysis) -> tuple[Name, ...]:
    strict = tuple(n for n in analysis.names if n.strict)
    if strict:
        return strict
    if previous is not None and previous.names:
        return previous.names
    return tuple(n for n in title.names if n.strict)


def _carried_moments(analysis: Analysis, previous: Unit | None, title: Analysis) -> tuple[Moment, ...]:
    dated = tuple(m for m in analysis.moments if m.year)
    if dated:
        return dated
    if previous is not None and previous.moments:
        return previous.moments
    return tuple(m for m in title.moments if m.year)


# Characters of a line in which its heading's number stands, with what follows.
_LINE_START = 80


def _own_references(text: str, title: Analysis) -> tuple[Reference, ...]:
    """The provisions that the chunk itself is: named in the title, the headings, or opening a line."""
    own = list(title.references)
    for line in normalise(text).splitlines():
        stripped = line.lstrip(" #*>-")
        opening = stripped[:_LINE_START]
        own.extend(r for r in find_references(opening) if r.start <= 1 and heads(opening, r))
        number = leading_number(stripped)
        if number is not None:
            own.append(number)
    return tuple(own)
