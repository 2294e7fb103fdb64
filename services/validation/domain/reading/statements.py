"""Cutting an answer into statements and finding the citations of each.

The rules: a line break ends a statement; ``.``, ``!`` and ``?`` end one before white space or the end of the
line; ``。``, ``！`` and ``？`` end one at once; decimals, numbered names and abbreviations do not; a closing
quotation mark stays with its sentence; citations directly after the end mark belong to the sentence before.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, replace

from services.common.domain.question import Span
from services.validation.domain.reading.abbreviations import is_abbreviation
from services.validation.domain.reading.citation_marks import CITATION, blank_citations, citation_numbers

_CITATIONS_AFTER = re.compile(rf"(?:[ \t]*(?:{CITATION.pattern}))+", re.IGNORECASE)
_LEADING_CITATIONS = re.compile(rf"(?:(?:{CITATION.pattern})[ \t]*)+", re.IGNORECASE)
# Before the marks of a heading within a line.
_INLINE_HEADING = re.compile(r"(?<=\S)\s+(?=#{1,6}\s)")
_MARKER = re.compile(
    r"[ \t\u3000]*(?:[-*•·‣–—+]\s+|[•·‣]|[-–—](?=[\u4e00-\u9fff])"
    r"|\(?\d{1,3}[.)、．]\s+|\d{1,3}[.)、．](?=[\u4e00-\u9fff])"
    r"|[（(]\s*(?:\d{1,3}|[一二三四五六七八九十]{1,3}|[a-z]|[ivx]{1,4})\s*[)）]\s*"
    r"|[一二三四五六七八九十]{1,3}、\s*|[①-⑳]\s*|#{1,6}\s+|>\s+|[a-z]\)\s+)"
)
_CLOSERS = "\"'”’»」』)）】]*_"
_QUOTES = "\"'”’»」』"
# What may end a sentence.
_END_MARK = re.compile("[.!?…。！？]")


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of an answer.

    ``body`` has the length of the span with citation marks and the list marker blanked out, so an offset in
    ``body`` plus ``span.start`` is an offset in the answer. ``citations`` are the numbers as written, in order;
    a sentence inside a quotation that goes on has those of the sentence in which it closes.
    """

    index: int
    span: Span
    text: str
    body: str
    citations: tuple[int, ...]
    listed: bool = False


def split_statements(answer: str) -> tuple[Statement, ...]:
    """Cut an answer into statements; white space and empty list markers make none."""
    spans: list[tuple[int, int]] = []
    offset = 0
    for line in re.split(r"(\r\n|\n|\r|\u2028|\u2029)", answer):
        if line and line[0] not in "\r\n\u2028\u2029":
            spans.extend(_split_line(line, offset))
        offset += len(line)
    spans = _attach_lone_citations(answer, spans)
    statements = [_statement(answer, index, start, end) for index, (start, end) in enumerate(spans)]
    for quotation in _QUOTATION.finditer(answer):
        _cite_as_one(statements, quotation.start(), quotation.end())
    return tuple(statements)


# A quotation of several sentences, on one line.
_QUOTATION = re.compile(r"“[^“”\n]+”|「[^「」\n]+」|『[^『』\n]+』|«[^«»\n]+»|(?<!\w)\"(?=\S)[^\"\n]+(?<=\S)\"(?!\w)")


def _cite_as_one(statements: list[Statement], start: int, end: int) -> None:
    """What is quoted as one has one source: the citations of its last sentence are those of the others too."""
    inside = [s for s in statements if s.span.start < end and start < s.span.end]
    for statement in inside[:-1]:
        if not statement.citations:
            statements[statement.index] = replace(statement, citations=inside[-1].citations)


def sentence_spans(line: str) -> list[tuple[int, int]]:
    """The sentences of one line by the same rules, as offsets; for evidence, whose marks are data.

    A page that lost its line breaks still shows its headings, and an item may hold several sentences.
    """
    starts = [0, *(match.end() for match in _INLINE_HEADING.finditer(line)), len(line)]
    return [
        span
        for start, end in itertools.pairwise(starts)
        for span in _offset(_sentences(line[start:end], swallow=True), start)
    ]


def _offset(spans: list[tuple[int, int]], by: int) -> list[tuple[int, int]]:
    return [(start + by, end + by) for start, end in spans]


def _split_line(line: str, offset: int) -> list[tuple[int, int]]:
    marker = _MARKER.match(line)
    if marker and line[marker.end() :].strip() and not CITATION.match(line.lstrip()):
        return [(offset, offset + len(line.rstrip()))]
    spans = _sentences(line, swallow=False) if CITATION.match(line.lstrip()) else []
    if not _all_after_their_marks(line, spans):
        spans = _sentences(line, swallow=True)
    return [(offset + s, offset + e) for s, e in spans]


def _sentences(line: str, *, swallow: bool) -> list[tuple[int, int]]:
    """The sentences of a line; ``swallow``: with the citations that stand directly after their end."""
    spans: list[tuple[int, int]] = []
    start = 0
    mark = _END_MARK.search(line)
    while mark is not None:
        position = mark.start() + 1
        end = _sentence_end(line, start, mark.start())
        if end is not None:
            position = _swallow_citations(line, end) if swallow else end
            spans.append((start, position))
            start = position
        mark = _END_MARK.search(line, position)
    spans.append((start, len(line)))
    stripped = ((s + len(line[s:e]) - len(line[s:e].lstrip()), s + len(line[s:e].rstrip())) for s, e in spans)
    return [(s, e) for s, e in stripped if e > s]


def _all_after_their_marks(line: str, spans: list[tuple[int, int]]) -> bool:
    """ "[1] A is 3. [2] B is 4.": each of several sentences has its marks before it, and none elsewhere."""
    marked = [_LEADING_CITATIONS.match(line, start, end) for start, end in spans]
    return len(spans) > 1 and all(
        mark is not None and mark.end() < end and not CITATION.search(line, mark.end(), end)
        for mark, (_, end) in zip(marked, spans, strict=True)
    )


def _swallow_citations(line: str, end: int) -> int:
    after = _CITATIONS_AFTER.match(line, end)
    if not after:
        return end
    end = after.end()
    rest = line[end : end + 2]
    # A full stop after citations that already follow one ends nothing new.
    return end + 1 if rest[:1] in ("。", ".") and not rest[1:2].isalnum() else end


def _sentence_end(line: str, start: int, i: int) -> int | None:
    """The end of the sentence if the mark at ``i`` ends it, closing quotation marks included; else None."""
    mark = line[i]
    if mark in "。！？":
        return _end_after_wide_mark(line, i)
    end = i + 1
    while end < len(line) and line[end] in ".!?…":
        end += 1
    after = end
    while after < len(line) and line[after] in _CLOSERS and not CITATION.match(line, after):
        after += 1
    if (mark == "!" or (mark == "?" and after > end)) and re.match(r"\s+[a-z]", line[after : after + 4]):
        return None  # quoted or in a name: asks "Ready?" and waits, Yahoo! was sold
    if mark == "!" and end == i + 1 and _COMPANY.match(line, end):
        return None
    if line[end : end + 1] in ("]", ")") and line[max(0, i - 3) : i].rstrip(".").endswith(("[", "(")):
        return None  # words left out of a quotation: [...]
    follows = line[after : after + 1]
    if follows and not follows.isspace() and not CITATION.match(line, after):
        return None
    if mark == "…" and end - i == 1 and follows:
        return None
    if mark == "." and end == i + 1 and is_abbreviation(line, start, i, line[after : after + 40].lstrip()):
        return None
    return after


# Yahoo! Inc., Joomla! GmbH
_COMPANY = re.compile(
    r"\s+(?:Inc|Ltd|LLC|Corp|Co|Company|Corporation|Limited|PLC|plc|GmbH|AG|SE|S\.A|B\.V|Group|Holdings?)\b"
)


def _end_after_wide_mark(line: str, i: int) -> int | None:
    end = i + 1
    while end < len(line) and line[end] in "。！？":
        end += 1
    quote = end
    while quote < len(line) and line[quote] in _QUOTES + "）)":
        quote += 1
    if quote == end or line[end - 1] == "。":
        return quote
    rest = line[quote : quote + 60]
    return quote if not rest.strip() or CITATION.match(rest.lstrip()) else None


def _attach_lone_citations(answer: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Marks that stand alone (on a line of their own, or before the first word) belong to a neighbour."""
    kept: list[tuple[int, int]] = []
    for start, end in spans:
        if kept and not re.search(r"\w", blank_citations(answer[start:end])):
            kept[-1] = (kept[-1][0], end)
            continue
        if re.search(r"\w", blank_citations(answer[start:end])):
            kept.append((start, end))
    return kept


def _statement(answer: str, index: int, start: int, end: int) -> Statement:
    text = answer[start:end]
    body = blank_citations(text)
    marker = _MARKER.match(body) if not CITATION.match(text.lstrip()) else None
    listed = marker is not None and bool(body[marker.end() :].strip())
    if marker is not None and listed:
        body = " " * marker.end() + body[marker.end() :]
    return Statement(index, Span(start, end), text, body, citation_numbers(text), listed)
