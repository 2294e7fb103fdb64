"""The structure of a Markdown text: headings, paragraphs, lists, tables and code, with exact spans."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass

from services.common.domain.numerals import chinese_number


class BlockKind(enum.StrEnum):
    """What a block of lines is."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"
    TABLE = "table"
    CODE = "code"
    FRONT_MATTER = "front_matter"
    COMMENT = "comment"


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together: code points ``start`` to ``end`` (exclusive, last line break left out).

    ``level`` is 1 to 6 for headings, else 0. ``title`` is a heading's text without its marks.
    ``anchor`` is what opens a unit of its genre, such as ``第三条``, ``§ 1013.2``, ``AC-2(3)``; empty if none.
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    title: str = ""
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    start: int
    end: int

    @property
    def blank(self) -> bool:
        return not self.text.strip()


_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t\u3000]+|$)(.*)")
_SETEXT = re.compile(r" {0,3}(=+|-{3,})[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_TABLE_ROW = re.compile(r"[ \t]*\|")
_LIST_ITEM = re.compile(
    r"[ \t]*(?:[-*+]|\d{1,3}[.)、]|[（(]\d{1,3}[)）]|[一二三四五六七八九十]{1,3}、|第[一二三四五六七八九十]{1,3}步)"
    r"[ \t\u3000]*\S"
)
_STEP = re.compile(
    r"^[ \t]{0,3}(?:(\d{1,3})[.)、]|[（(](\d{1,3})[)）]|第?([一二三四五六七八九十]{1,3})[、步])", re.MULTILINE
)
_HEADING_TAIL = re.compile(r"(?<![ \t])[ \t]*(?:\{#[^}]{0,200}\}|(?<!#)#+)[ \t]*$")

# Openings of a unit that must stay whole. Each is anchored at the start of a block, after emphasis marks.
_ANCHORS = (
    re.compile(r"第[一二三四五六七八九十百千零〇两\d]+条(?:之[一二三四五六七八九十])?"),
    re.compile(r"§+\s?\d[\w.\-()]*"),
    re.compile(r"(?:Article|Section|Art\.|Sec\.)\s+\d+[\w.\-]*", re.IGNORECASE),
    re.compile(r"[A-Z]{2,5}-\d+(?:\(\d+\))*"),
    # A requirement, and no date such as 4.5.2016.
    re.compile(r"[A-Z]?\d{1,3}(?:\.\d{1,3}){2,}\b"),
    re.compile(r"\d+\([a-z]\)(?:\(\w+\))*-\d+"),
    re.compile(r"(?:Q|Question|问|问题)\s*\d*\s*[:：.]"),
)
_HEADING_CHARACTERS = 200
_EMPHASIS = re.compile(r"[\s*_>|]*")


def parse_blocks(text: str) -> list[Block]:
    """The blocks of ``text`` in order; together with the white space between them they cover it whole."""
    lines = _split_lines(text)
    blocks: list[Block] = []
    index = _front_matter(lines, blocks)
    while index < len(lines):
        if lines[index].blank:
            index += 1
            continue
        index = _read_block(lines, index, blocks)
    return blocks


def anchor_of(text: str) -> str:
    """What opens ``text`` as a unit of its own (article, section, requirement, question); empty if nothing."""
    lead = _EMPHASIS.match(text)
    start = lead.end() if lead else 0
    for pattern in _ANCHORS:
        found = pattern.match(text, start)
        if found:
            return found.group().strip()
    return ""


def list_numbers(text: str, block: Block) -> tuple[int, int]:
    """Number of the first and of the last step of a list block; (0, 0) if it is not numbered."""
    if block.kind is not BlockKind.LIST or not _STEP.match(text, block.start, block.end):
        return 0, 0
    numbers = [_step_number(match) for match in _STEP.finditer(text, block.start, block.end)]
    return numbers[0], numbers[-1]


def _step_number(match: re.Match[str]) -> int:
    digits = match.group(1) or match.group(2)
    return int(digits) if digits else chinese_number(match.group(3)) or 0


def table_rows(text: str, block: Block) -> list[tuple[int, int]]:
    """Spans of a table's lines, header and rule lines included."""
    return [(line.start + block.start, line.end + block.start) for line in _split_lines(text[block.start : block.end])]


def _split_lines(text: str) -> list[_Line]:
    lines = []
    position = 0
    for raw in text.split("\n"):
        lines.append(_Line(raw, position, position + len(raw)))
        position += len(raw) + 1
    return lines


def _front_matter(lines: list[_Line], blocks: list[Block]) -> int:
    if not lines or lines[0].text.strip() != "---":
        return 0
    for index in range(1, min(len(lines), 200)):
        if lines[index].text.strip() in ("---", "..."):
            blocks.append(Block(BlockKind.FRONT_MATTER, lines[0].start, lines[index].end))
            return index + 1
    return 0


def _read_block(lines: list[_Line], index: int, blocks: list[Block]) -> int:
    line = lines[index]
    heading = _ATX.fullmatch(line.text)
    if heading:
        title = _HEADING_TAIL.sub("", heading.group(2)).strip()
        blocks.append(_heading(line.start, line.end, len(heading.group(1)), title))
        return index + 1
    fence = _FENCE.match(line.text)
    if fence:
        return _read_fence(lines, index, fence.group(1), blocks)
    if line.text.lstrip().startswith("<!--"):
        return _read_comment(lines, index, blocks)
    if _TABLE_ROW.match(line.text):
        end = _run(lines, index, lambda item: bool(_TABLE_ROW.match(item.text)))
        blocks.append(Block(BlockKind.TABLE, line.start, lines[end - 1].end))
        return end
    return _read_paragraph(lines, index, blocks)


def _heading(start: int, end: int, level: int, title: str) -> Block:
    return Block(BlockKind.HEADING, start, end, level=level, title=title, anchor=anchor_of(title))


def _read_fence(lines: list[_Line], index: int, fence: str, blocks: list[Block]) -> int:
    end = index + 1
    while end < len(lines) and not lines[end].text.strip().startswith(fence):
        end += 1
    end = min(end + 1, len(lines))
    blocks.append(Block(BlockKind.CODE, lines[index].start, lines[end - 1].end))
    return end


def _read_comment(lines: list[_Line], index: int, blocks: list[Block]) -> int:
    end = index
    while end < len(lines) - 1 and "-->" not in lines[end].text:
        end += 1
    blocks.append(Block(BlockKind.COMMENT, lines[index].start, lines[end].end))
    return end + 1


def _read_paragraph(lines: list[_Line], index: int, blocks: list[Block]) -> int:
    first = lines[index]
    is_list = bool(_LIST_ITEM.match(first.text))
    end = index + 1
    while end < len(lines) and not lines[end].blank and not _starts_other(lines[end].text):
        if not is_list and end == index + 1 and _is_setext(first.text, lines[end].text):
            level = 1 if "=" in lines[end].text else 2
            blocks.append(_heading(first.start, lines[end].end, level, first.text.strip()))
            return end + 1
        if not is_list and anchor_of(lines[end].text) and _strong_anchor(lines[end].text):
            break
        end += 1
    kind = BlockKind.LIST if is_list else BlockKind.PARAGRAPH
    blocks.append(Block(kind, first.start, lines[end - 1].end, anchor=anchor_of(first.text)))
    return end


def _is_setext(text: str, underline: str) -> bool:
    """A line underlined with = or - is a heading, unless it is as long as a paragraph."""
    return len(text) <= _HEADING_CHARACTERS and bool(_SETEXT.fullmatch(underline))


def _strong_anchor(text: str) -> bool:
    """An article or question opens a block even without a blank line before it; other anchors may be wraps."""
    return bool(_ANCHORS[0].match(text.lstrip()) or _ANCHORS[-1].match(text.lstrip()))


def _starts_other(text: str) -> bool:
    return bool(_ATX.fullmatch(text) or _FENCE.match(text) or _TABLE_ROW.match(text))


def _run(lines: list[_Line], index: int, belongs: object) -> int:
    assert callable(belongs)
    end = index
    while end < len(lines) and not lines[end].blank and belongs(lines[end]):
        end += 1
    return end


_SENTENCE_END = re.compile(
    r"[。！？；!?](?:[”’」』）)\"']*)|\.(?:[\"'”’)\]]*)(?=\s+[\"'“‘(\[]*[A-Z0-9\u4e00-\u9fff])|;(?=\s)|\n"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|No|Nos|Fig|Art|Sec|Dr|Mr|Mrs|Ms|St|Inc|Ltd|Co|U\.S|cf|al)|\b[A-Z])$"
)
# The same before a number only: "see no. 7" and "on Sept. 1", but "the answer is no."
_BEFORE_NUMBER = re.compile(
    r"\b(?:nos?|figs?|arts?|secs?|chs?|paras?|pp?|vols?|eqs?|Figs|Arts|Secs?|Chs?|Paras?|Vols?|Eqs?|approx|ca|max|min"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)$"
)
_NUMBER_FOLLOWS = re.compile(r"\.\s+\d")


def sentence_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Spans of the sentences of ``text[start:end]``, Chinese and Latin, without white space at their ends."""
    position = start
    for match in _SENTENCE_END.finditer(text, start, end):
        if match.group().startswith(".") and _is_abbreviation(text, max(position, match.start() - 8), match.start()):
            continue
        span = _trim(text, position, match.end())
        if span:
            yield span
        position = match.end()
    span = _trim(text, position, end)
    if span:
        yield span


def _is_abbreviation(text: str, start: int, point: int) -> bool:
    """True if the point at ``point`` belongs to the word before it, which lies behind ``start``."""
    word = text[start:point]
    if _ABBREVIATION.search(word):
        return True
    return bool(_BEFORE_NUMBER.search(word) and _NUMBER_FOLLOWS.match(text, point))


def _trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return (start, end) if start < end else None
