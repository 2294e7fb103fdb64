"""What must not be cut: a document's sections as pieces that are whole, or had to be cut for their length alone.

Within a section, articles, requirements, questions with their answers and procedures stay whole if they fit. What does
not fit is cut at the procedures in it, then at its blocks or rows, at last between sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from services.retrieval.domain.passages.chunks import ChunkingRules, TokenCounter
from services.retrieval.domain.passages.structure import (
    Block,
    BlockKind,
    anchor_of,
    list_numbers,
    sentence_spans,
    table_rows,
)

_MAX_HEADINGS = 16
_OPENING_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch that must not be cut further. ``extra`` is context such as a table's header row or
    how the article began that it goes on with; ``opens`` marks the
    beginning of a unit that had to be cut, which is no continuation of the prose before it."""

    start: int
    end: int
    tokens: int
    anchored: bool = False
    loose: bool = False
    extra: str = ""
    opens: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """What stands between two headings, with the headings that open it and those that it stands under."""

    heading_path: tuple[str, ...]
    headings: tuple[Block, ...]
    blocks: tuple[Block, ...]


def sections(blocks: Iterable[Block]) -> Iterator[Section]:
    """The sections of a document in order; front matter and comments are in none."""
    path: list[tuple[int, str]] = []
    headings: list[Block] = []
    body: list[Block] = []
    for block in blocks:
        if block.kind in (BlockKind.FRONT_MATTER, BlockKind.COMMENT):
            continue
        if block.kind is not BlockKind.HEADING:
            body.append(block)
            continue
        if body:
            yield Section(_titles(path), tuple(headings), tuple(body))
            headings, body = [], []
        elif headings and block.level <= headings[-1].level:
            # A heading with nothing under it still says something: it is a passage of its own.
            yield Section(_titles(path), tuple(headings), ())
            headings = []
        while path and path[-1][0] >= block.level:
            path.pop()
        path.append((block.level, block.title))
        headings.append(block)
    if body or headings:
        yield Section(_titles(path), tuple(headings), tuple(body))


def _titles(path: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(title for _, title in path if title)[:_MAX_HEADINGS]


def pieces_of(text: str, section: Section, count: TokenCounter, rules: ChunkingRules) -> Iterator[Piece]:
    """The pieces of a section in order, none of more than ``rules.maximum`` tokens."""
    groups = _units(text, section.blocks)
    if not groups and section.headings:
        yield from _heading_pieces(text, section, count, rules)
        return
    for index, group in enumerate(groups):
        start = section.headings[0].start if index == 0 and section.headings else group[0].start
        tokens = count(text[start : group[-1].end])
        # A procedure is kept whole like an article; it is prose only in that its neighbours may share its passage.
        anchored = bool(group[0].anchor)
        is_table = group[0].kind is BlockKind.TABLE and len(group) == 1
        if is_table and (tokens > rules.maximum or _is_requirement_table(text, group[0])):
            yield from _table_pieces(text, group[0], start, count, rules)
        elif tokens <= rules.maximum:
            loose = not anchored and len(group) == 1 and group[0].kind in (BlockKind.PARAGRAPH, BlockKind.LIST)
            yield Piece(start, group[-1].end, tokens, anchored=anchored, loose=loose)
        else:
            opening = _opening(text, group[0]) if anchored else ""
            for number, piece in enumerate(_split_group(text, group, start, count, rules)):
                yield replace(piece, opens=anchored and number == 0, extra=piece.extra or (opening if number else ""))


def _opening(text: str, block: Block) -> str:
    """How an article or requirement begins: what its later parts belong to."""
    line = text[block.start : block.end].split("\n", 1)[0].strip()
    return line if len(line) <= _OPENING_CHARACTERS else f"{line[:_OPENING_CHARACTERS]}…"


def _heading_pieces(text: str, section: Section, count: TokenCounter, rules: ChunkingRules) -> Iterator[Piece]:
    start, end = section.headings[0].start, section.headings[-1].end
    tokens = count(text[start:end])
    if tokens <= rules.maximum:
        yield Piece(start, end, tokens)
    else:
        yield from _sentence_pieces(text, start, end, count, rules)


def _units(text: str, blocks: Sequence[Block]) -> list[list[Block]]:
    """Blocks grouped by what belongs together; a block that is no part of a unit stands alone.

    A unit goes from an anchor to the next, or is a procedure: what introduces it (it ends with a colon), its numbered
    steps, however they are spaced, and what stands between two of them. A list or code is never parted from the
    paragraph that introduces it.
    """
    groups: list[list[Block]] = []
    anchored = False
    for index, block in enumerate(blocks):
        if block.anchor:
            groups.append([block])
            anchored = True
        elif block.kind is not BlockKind.TABLE if anchored else groups and _continues(text, groups[-1], blocks, index):
            groups[-1].append(block)
        else:
            groups.append([block])
            anchored = False
    return groups


def _continues(text: str, group: Sequence[Block], blocks: Sequence[Block], index: int) -> bool:
    """True if ``blocks[index]`` goes on with what ``group`` is: a step after a step, or what was introduced."""
    block, last = blocks[index], group[-1]
    introduces = last.kind is BlockKind.PARAGRAPH and text[last.start : last.end].rstrip("*_ ").endswith((":", "："))
    if introduces and block.kind in (BlockKind.LIST, BlockKind.CODE):
        return True
    steps = [item for item in group if item.kind is BlockKind.LIST]
    if not steps or (last_number := list_numbers(text, steps[-1])[1]) == 0:
        return False
    if block.kind is BlockKind.LIST:
        return list_numbers(text, block)[0] == last_number + 1
    if block.kind not in (BlockKind.PARAGRAPH, BlockKind.CODE):
        return False
    # Words between two steps belong to the first of them; words after the last one only if they are indented.
    following = next((item for item in blocks[index + 1 : index + 4] if item.kind is BlockKind.LIST), None)
    goes_on = following is not None and list_numbers(text, following)[0] == last_number + 1
    return goes_on or text[block.start : block.end].startswith((" ", "\t"))


def _split_group(
    text: str, group: Sequence[Block], start: int, count: TokenCounter, rules: ChunkingRules
) -> Iterator[Piece]:
    """A unit too long for one chunk: by the procedures in it, then by its blocks, at last by sentences."""
    parts = _units(text, [replace(block, anchor="") for block in group])
    if len(parts) == 1:
        parts = [[block] for block in group]
    for index, part in enumerate(parts):
        begin = start if index == 0 else part[0].start
        block = part[0]
        tokens = count(text[begin : part[-1].end])
        if tokens <= rules.maximum:
            yield Piece(begin, part[-1].end, tokens, loose=len(part) == 1 and block.kind is not BlockKind.TABLE)
        elif len(part) > 1:
            yield from _split_group(text, part, begin, count, rules)
        elif block.kind is BlockKind.TABLE:
            yield from _table_pieces(text, block, begin, count, rules)
        else:
            yield from _sentence_pieces(text, begin, block.end, count, rules)


def _sentence_pieces(text: str, start: int, end: int, count: TokenCounter, rules: ChunkingRules) -> Iterator[Piece]:
    for begin, stop in sentence_spans(text, start, end):
        tokens = count(text[begin:stop])
        if tokens <= rules.maximum:
            yield Piece(begin, stop, tokens, loose=True)
            continue
        yield from _hard_pieces(text, begin, stop, count, rules)


def _hard_pieces(text: str, start: int, end: int, count: TokenCounter, rules: ChunkingRules) -> Iterator[Piece]:
    """A sentence beyond the limit, cut at the last clause mark or white space that keeps a part within it."""
    position = start
    while position < end:
        size = min(end - position, rules.maximum)
        while size > 1 and count(text[position : position + size]) > rules.maximum:
            size = size * 3 // 4
        stop = position + size
        if stop < end:
            window = text[position:stop]
            cut = max(window.rfind(mark) for mark in ("，", "、", "：", ",", " ", "\u3000"))
            if cut > size // 2:
                stop = position + cut + 1
        yield Piece(position, stop, count(text[position:stop]), loose=True)
        position = stop


def _is_requirement_table(text: str, block: Block) -> bool:
    """True if most body rows open with a requirement id, so that each row is a unit of its own."""
    rows = table_rows(text, block)[2:]
    anchored = sum(bool(anchor_of(text[start:end])) for start, end in rows)
    return bool(rows) and anchored * 2 > len(rows)


def _table_pieces(text: str, block: Block, start: int, count: TokenCounter, rules: ChunkingRules) -> Iterator[Piece]:
    rows = table_rows(text, block)
    has_rule = len(rows) > 1 and set(text[rows[1][0] : rows[1][1]]) <= set("|:- \t")
    header = text[rows[0][0] : rows[0][1]] if has_rule else ""
    first_body = 2 if has_rule and len(rows) > 2 else 0
    for index in range(first_body, len(rows)):
        row_start, row_end = rows[index]
        begin = start if index == first_body else row_start
        anchored = bool(anchor_of(text[row_start:row_end]))
        extra = "" if index == first_body else header
        tokens = count(text[begin:row_end])
        if tokens <= rules.maximum:
            yield Piece(begin, row_end, tokens, anchored=anchored, extra=extra)
            continue
        for piece in _sentence_pieces(text, begin, row_end, count, rules):
            yield replace(piece, extra=extra)
