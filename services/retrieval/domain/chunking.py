"""Cutting a document into passages along its structure.

Sections are cut at headings; within a section, articles, requirements, questions with their answers and
procedures stay whole if they fit; prose is packed up to a target size and cut between sentences only.
Every chunk is an exact stretch of the stored text. What would help to find it but is not part of the
stretch (title, headings, a table's header row) goes into its ``context``, which is embedded with it.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from services.retrieval.domain.structure import (
    Block,
    BlockKind,
    anchor_of,
    list_numbers,
    parse_blocks,
    sentence_spans,
    table_rows,
)

CHUNKER_VERSION = "3"
"""Part of a document's fingerprint: raise it when the same text would be cut differently."""

_CONTEXT_CHARACTERS = 300
_MAX_HEADINGS = 16
_CHARACTERS_A_TOKEN = 24
_PARENT_CHARACTERS = 6_000

TokenCounter = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class ChunkingRules:
    """Sizes in tokens of the embedder.

    ``target``: prose is packed up to this; ``maximum``: what fits is never cut; ``anchor_pack``: articles and
    requirements shorter than this share a chunk with their neighbours, up to ``target``; ``overlap``: how much of the
    sentence before is repeated where prose had to be cut without an anchor.
    """

    target: int = 280
    maximum: int = 440
    anchor_pack: int = 40
    overlap: int = 48

    def __post_init__(self) -> None:
        if not 0 < self.target <= self.maximum:
            raise ValueError(f"target {self.target} must be between 1 and maximum {self.maximum}")


@dataclass(frozen=True, slots=True)
class PageStart:
    """The page that begins at code point ``start`` of the text; pages count from 1."""

    start: int
    page: int


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """A passage before it is stored: ``text[start:end]`` of the document.

    ``parent_start`` and ``parent_end`` span the section around it (or its neighbourhood in a long one).
    """

    ordinal: int
    start: int
    end: int
    heading_path: tuple[str, ...]
    token_count: int
    context: str
    page: int = 0
    parent_start: int = 0
    parent_end: int = 0


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch that must not be cut further. ``extra`` is context such as a table's header row; ``opens`` marks the
    beginning of a unit that had to be cut, which is no continuation of the prose before it."""

    start: int
    end: int
    tokens: int
    anchored: bool = False
    loose: bool = False
    extra: str = ""
    opens: bool = False


@dataclass(frozen=True, slots=True)
class _Section:
    heading_path: tuple[str, ...]
    headings: tuple[Block, ...]
    blocks: tuple[Block, ...]


def chunk_document(
    text: str,
    *,
    title: str,
    count_tokens: TokenCounter,
    rules: ChunkingRules | None = None,
    pages: Sequence[PageStart] = (),
) -> list[ChunkDraft]:
    """The passages of ``text`` in order; none is empty and each holds at most ``rules.maximum`` tokens.

    (A single word longer than that is cut hard.)
    """
    rules = rules or ChunkingRules()
    count_tokens = _bounded(count_tokens, rules.maximum)
    drafts: list[ChunkDraft] = []
    for section in _sections(parse_blocks(text)):
        pieces = list(_pieces(text, section, count_tokens, rules))
        groups = list(_pack(pieces, rules))
        section_drafts = [_draft(text, section, group, title, count_tokens) for group in groups]
        drafts.extend(_with_parents(section_drafts))
    starts = [page.start for page in pages]
    return [
        replace(draft, ordinal=ordinal, page=_page(draft.start, starts, pages)) for ordinal, draft in enumerate(drafts)
    ]


def _bounded(count: TokenCounter, maximum: int) -> TokenCounter:
    """``count``, but never fewer than one token for so many characters.

    Runs of white space or of one unknown character may be a single token, yet a chunk must fit the store. What is
    over ``maximum`` by its characters alone is not counted: a table of 100,000 rows is only cut, never measured.
    """

    def bounded(text: str) -> int:
        least = len(text) // _CHARACTERS_A_TOKEN
        return least if least > maximum else max(count(text), least)

    return bounded


def _sections(blocks: Iterable[Block]) -> Iterator[_Section]:
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
            yield _Section(_titles(path), tuple(headings), tuple(body))
            headings, body = [], []
        elif headings and block.level <= headings[-1].level:
            # A heading with nothing under it still says something: it is a passage of its own.
            yield _Section(_titles(path), tuple(headings), ())
            headings = []
        while path and path[-1][0] >= block.level:
            path.pop()
        path.append((block.level, block.title))
        headings.append(block)
    if body or headings:
        yield _Section(_titles(path), tuple(headings), tuple(body))


def _titles(path: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(title for _, title in path if title)[:_MAX_HEADINGS]


def _pieces(text: str, section: _Section, count: TokenCounter, rules: ChunkingRules) -> Iterator[_Piece]:
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
            yield _Piece(start, group[-1].end, tokens, anchored=anchored, loose=loose)
        else:
            for number, piece in enumerate(_split_group(text, group, start, count, rules)):
                yield replace(piece, opens=anchored and number == 0)


def _heading_pieces(text: str, section: _Section, count: TokenCounter, rules: ChunkingRules) -> Iterator[_Piece]:
    start, end = section.headings[0].start, section.headings[-1].end
    tokens = count(text[start:end])
    if tokens <= rules.maximum:
        yield _Piece(start, end, tokens)
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
) -> Iterator[_Piece]:
    """A unit too long for one chunk: by the procedures in it, then by its blocks, at last by sentences."""
    parts = _units(text, [replace(block, anchor="") for block in group])
    if len(parts) == 1:
        parts = [[block] for block in group]
    for index, part in enumerate(parts):
        begin = start if index == 0 else part[0].start
        block = part[0]
        tokens = count(text[begin : part[-1].end])
        if tokens <= rules.maximum:
            yield _Piece(begin, part[-1].end, tokens, loose=len(part) == 1 and block.kind is not BlockKind.TABLE)
        elif len(part) > 1:
            yield from _split_group(text, part, begin, count, rules)
        elif block.kind is BlockKind.TABLE:
            yield from _table_pieces(text, block, begin, count, rules)
        else:
            yield from _sentence_pieces(text, begin, block.end, count, rules)


def _sentence_pieces(text: str, start: int, end: int, count: TokenCounter, rules: ChunkingRules) -> Iterator[_Piece]:
    for begin, stop in sentence_spans(text, start, end):
        tokens = count(text[begin:stop])
        if tokens <= rules.maximum:
            yield _Piece(begin, stop, tokens, loose=True)
            continue
        yield from _hard_pieces(text, begin, stop, count, rules)


def _hard_pieces(text: str, start: int, end: int, count: TokenCounter, rules: ChunkingRules) -> Iterator[_Piece]:
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
        yield _Piece(position, stop, count(text[position:stop]), loose=True)
        position = stop


def _is_requirement_table(text: str, block: Block) -> bool:
    """True if most body rows open with a requirement id, so that each row is a unit of its own."""
    rows = table_rows(text, block)[2:]
    anchored = sum(bool(anchor_of(text[start:end])) for start, end in rows)
    return bool(rows) and anchored * 2 > len(rows)


def _table_pieces(text: str, block: Block, start: int, count: TokenCounter, rules: ChunkingRules) -> Iterator[_Piece]:
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
            yield _Piece(begin, row_end, tokens, anchored=anchored, extra=extra)
            continue
        for piece in _sentence_pieces(text, begin, row_end, count, rules):
            yield replace(piece, extra=extra)


def _pack(pieces: Sequence[_Piece], rules: ChunkingRules) -> Iterator[list[_Piece]]:
    group: list[_Piece] = []
    size = 0
    for piece in pieces:
        small = min(size, piece.tokens) < rules.anchor_pack and size + piece.tokens <= rules.target
        both_prose = not piece.anchored and not any(item.anchored for item in group)
        limit = rules.target if both_prose else 0
        if group and not small and (piece.opens or size + piece.tokens > limit):
            yield group
            overlap = None if piece.opens else _overlap(group[-1], piece, rules)
            group, size = ([overlap], overlap.tokens) if overlap else ([], 0)
        group.append(piece)
        size += piece.tokens
    if group:
        yield group


def _overlap(last: _Piece, following: _Piece, rules: ChunkingRules) -> _Piece | None:
    """The sentence to repeat, if both sides are prose cut without an anchor and it is short."""
    if last.loose and following.loose and 0 < last.tokens <= rules.overlap:
        return last if last.tokens + following.tokens <= rules.maximum else None
    return None


def _draft(text: str, section: _Section, group: Sequence[_Piece], title: str, count: TokenCounter) -> ChunkDraft:
    start, end = group[0].start, group[-1].end
    body = text[start:end]
    return ChunkDraft(
        ordinal=0,
        start=start,
        end=end,
        heading_path=section.heading_path,
        token_count=sum(piece.tokens for piece in group) if len(group) == 1 else count(body),
        context=_context(title, section.heading_path, body, group[0].extra),
    )


def _context(title: str, heading_path: Sequence[str], body: str, extra: str) -> str:
    """Title and the headings that the passage itself does not show, then a table's header row."""
    parts = [title] if title else []
    for heading in heading_path:
        if heading != title and heading not in body[: 2 * _CONTEXT_CHARACTERS]:
            parts.append(heading)
    context = " > ".join(parts)
    if len(context) > _CONTEXT_CHARACTERS:
        # The innermost headings tell most about the passage; the title stays.
        context = f"{title[:120]} > ... {context[-(_CONTEXT_CHARACTERS - 130) :]}"
    return f"{context}\n{extra[:_CONTEXT_CHARACTERS]}" if extra else context


def _with_parents(drafts: Sequence[ChunkDraft]) -> Iterator[ChunkDraft]:
    if not drafts:
        return
    section_start, section_end = drafts[0].start, max(draft.end for draft in drafts)
    whole = section_end - section_start <= _PARENT_CHARACTERS
    for index, draft in enumerate(drafts):
        before = drafts[max(0, index - 1)]
        after = drafts[min(len(drafts) - 1, index + 1)]
        yield replace(
            draft,
            parent_start=section_start if whole else before.start,
            parent_end=section_end if whole else max(after.end, draft.end),
        )


def _page(position: int, starts: Sequence[int], pages: Sequence[PageStart]) -> int:
    index = bisect.bisect_right(starts, position) - 1
    return pages[index].page if index >= 0 else 0
