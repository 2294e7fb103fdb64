"""Sentences that state numbers or dates, taken apart: what they speak of, and the values that they give it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from services.common.domain.months import MONTH, MONTHS
from services.retrieval.domain.plain import plain_text
from services.retrieval.domain.structure import BlockKind, parse_blocks, sentence_spans, table_rows
from services.retrieval.domain.time_spans import (
    HAN_NUMBER,
    OFTEN,
    UNIT,
    UNIT_ZH,
    WORD_NUMBERS,
    han_number,
    plain_number,
    time_between,
    time_span,
    untied,
)
from services.retrieval.domain.wording import Wording, is_frame, stem

_MIN_WORDS, _MAX_WORDS = 2, 60
_SENTENCE_CHARACTERS = 400
# Words that carry no subject: two sentences may differ in them and still speak of the same thing.
_LIGHT_TEXT = (
    "a an the of to in on at by for from with and or as is are was were be been being shall must may can could will "
    "would should has have had do does get gets receive receives granted entitled given this that these those it its "
    "they their our you your we all each every any there which who up long total about approximately exactly roughly "
    "now currently also"
)
_LIGHT = frozenset(_LIGHT_TEXT.split()) | frozenset(
    "的了可以应当须必需将会为是共有享受到在于和与及其该本各每均都也已并且而之所得给约"
)
_LIGHT_STEMS = frozenset(stem(word) for word in _LIGHT)
_MONTH = rf"(?:{MONTH})\.?"
_FACTORS = {"万": 10**4, "亿": 10**8, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_DATE = re.compile(
    r"(?P<y>(?:19|20)\d\d)(?:-|/|\.|\s*年\s*)(?P<m>\d{1,2})(?:-|/|\.|\s*月\s*)(?P<d>\d{1,2})(?:\s*日)?(?!\d)"
    rf"|(?P<mn>{_MONTH})\s+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y2>(?:19|20)\d\d)(?!\d)"
    rf"|(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\s+(?P<mn3>{_MONTH}),?\s+(?P<y3>(?:19|20)\d\d)(?!\d)",
    re.IGNORECASE,
)
# What names a place in a text, a period, a model or a thing rather than a value; it must be equal on both sides.
_KEY = re.compile(
    r"第\s*[零〇一二两三四五六七八九十百千\d]+\s*[条款项章节编类级期次号]|[表图附]\s*件?\s*\d+(?:[.\-]\d+)*"
    r"|§+\s*\d[\w.\-()]*|(?<!\d)\d{1,3}(?:st|nd|rd|th)(?![A-Za-z])"
    r"|(?<![A-Za-z])(?:article|section|sec\.|chapter|table|figure|annex|appendix|clause|paragraph|level|tier|class|type|"
    r"grade|step|phase|part|rule|form|model|version|revision|no\.)\s+(?:\d[\w.\-()]*|[A-Z]\b)"
    r"|(?<![\w.])\d+(?:\.\d+){2,}(?![\w.])"
    rf"|(?<![A-Za-z]){_MONTH}\s+(?:19|20)\d\d(?!\d)|(?:19|20)\d\d\s*年\s*\d{{1,2}}\s*月(?!\s*\d)"
    r"|(?<![\w.])(?:19|20)\d\d(?:\s*年度?)?(?!\d|[.,]\d|\s?%)|(?<![A-Za-z])Q[1-4](?![A-Za-z0-9])|(?:first|second|third|fourth)\s+(?:quarter|half)|[上下]半年|第?[一二三四]季度"
    r"|(?<![A-Za-z0-9])(?=[A-Za-z\-]*\d)[A-Za-z][A-Za-z0-9\-]*\d[A-Za-z0-9\-]*",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"(?<![A-Za-z0-9.])(?P<cur>[$€£¥])?\s?(?P<n>\d+(?:,\d{3})*(?:\.\d+)?)"
    r"(?:\s?(?P<f>万|亿|(?:thousand|million|billion)(?![A-Za-z])))?"
    rf"(?:\s?(?P<p>%|percent|per cent)|[\s-]?(?P<u>{UNIT}))?"
    rf"|(?<![A-Za-z])(?P<w>{'|'.join(WORD_NUMBERS)})[\s-](?P<u2>{UNIT})"
    rf"|(?P<h>{HAN_NUMBER})(?P<u3>{UNIT_ZH})(?!度)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z][A-Za-z']*|[\u3400-\u9fff]")
# The number that opens a list item or a requirement is neither.
_OPENING = re.compile(
    r"^[\s\-*•·]*(?:第[零〇一二两三四五六七八九十百千\d]+条(?:之[一二三四五六七八九十])?(?=[\s:：])|§+\s?\d[\w.\-()]*|[A-Z]{2,5}-\d+(?:\(\d+\))*"
    r"|[A-Z]?\d+(?:\.\d+)+|\d{1,3}[.)、]|[（(]\w{1,3}[)）]|[一二三四五六七八九十]{1,3}、)[\s:：.]*"
)
_OWN = re.compile(
    r"(?:it|its|he|she|his|her|they|their|these|those|this|that)(?![A-Za-z])"
    r"|[他她它其](?![他余中])|本(?:法|条例|办法|规定|细则|制度|规则|规范|标准|手册|指南|文件|通知|协议|报告|决定|解释)",
    re.IGNORECASE,
)
# When a document was adopted, published or amended.
_HISTORY = re.compile(r"(?:公布|发布|修订|修正|通过|施行)[)）。;；]*$")
_HAS_VALUE = re.compile(
    rf"\d|{HAN_NUMBER}(?:天|日|周|小时|个月|年|分钟)|{'|'.join(WORD_NUMBERS)}|{OFTEN.pattern}", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence with values.

    ``subject`` holds the words that it speaks of, light words left out, and ``keys`` the periods, codes and places in a
    text that it names, both sorted and as one text each, for tens of thousands of them stay in memory. ``values`` are
    its numbers in a normal form, in order, or its dates if it has no number. ``heading_path`` is where it stands.
    ``own``: it speaks of its document or of something named before, as "It was released in" does.
    """

    document_id: str
    sentence: str
    subject: str
    keys: str
    values: tuple[str, ...]
    heading_path: tuple[str, ...] = ()
    own: bool = False

    @property
    def words(self) -> frozenset[str]:
        """The words of ``subject``."""
        return frozenset(self.subject.split())


def statements(document_id: str, text: str, wording: Wording) -> list[Statement]:
    """The sentences of ``text`` that state numbers or dates, each once below one heading."""
    found: dict[tuple[str, tuple[str, ...]], Statement] = {}
    for raw, path in _sentences(text):
        if not _HAS_VALUE.search(raw):
            continue
        statement = _statement(document_id, raw, path, wording)
        if statement is not None:
            found.setdefault((statement.sentence, statement.heading_path[-1:]), statement)
    return list(found.values())


def subject_words(text: str, wording: Wording) -> frozenset[str]:
    """Words of a title or heading that tell what it is about: no light words, numbers or keys."""
    words = _words(_VALUE.sub(" ", _KEY.sub(" ", unicodedata.normalize("NFKC", text))), wording)
    return frozenset(word for word in words if not is_frame(word))


def subject_keys(text: str) -> frozenset[str]:
    """Codes, periods and the like that a title or heading names."""
    return frozenset(_key(match.group()) for match in _KEY.finditer(unicodedata.normalize("NFKC", text)))


def _sentences(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    path: list[tuple[int, str]] = []
    titles: tuple[str, ...] = ()
    for block in parse_blocks(text):
        if block.kind is BlockKind.HEADING:
            while path and path[-1][0] >= block.level:
                path.pop()
            path.append((block.level, block.title))
            titles = tuple(title for _, title in path)
            continue
        if block.kind is BlockKind.TABLE:
            rows = [text[start:end] for start, end in table_rows(text, block)]
            yield from ((_row(row, rows[0]), titles) for row in rows[2:])
        elif block.kind in (BlockKind.PARAGRAPH, BlockKind.LIST):
            yield from ((text[start:end], titles) for start, end in sentence_spans(text, block.start, block.end))


def _row(line: str, header: str) -> str:
    """A row of a table as a sentence: without its number and without cells that hold only a mark.

    A cell that is hardly more than a number says nothing without the name of its column.
    """
    cells, names = _cells(line), _cells(header)
    if cells and re.fullmatch(r"[*_]*\d+(?:\.\d+)*[*_.]*", cells[0]):
        cells[0] = ""
    parts = []
    for index, cell in enumerate(cells):
        if re.search(r"\d", cell) and len(_WORD.findall(cell)) < 2:
            parts.append(f"{names[index] if index < len(names) else ''} {cell}")
        elif re.search(r"\d|[^\W_]{2}", cell):
            parts.append(cell)
    return " ".join(parts)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def _statement(document_id: str, raw: str, path: tuple[str, ...], wording: Wording) -> Statement | None:
    sentence = " ".join(unicodedata.normalize("NFKC", plain_text(raw)).split())
    rest = _OPENING.sub("", sentence, count=1)
    dates = [(match.start(), _iso(match)) for match in _DATE.finditer(rest)]
    rest = _blank(_DATE, rest)
    keys = frozenset(_key(match.group()) for match in _KEY.finditer(rest))
    rest = _blank(_KEY, rest)
    numbers = [(match.start(), _normal(match)) for match in _VALUE.finditer(rest)]
    if not numbers and not dates:
        numbers = [(match.start(), time_between(match)) for match in OFTEN.finditer(rest)]
        rest = _blank(OFTEN, rest)
    values = tuple(value for _, value in sorted(numbers or dates))
    if numbers:
        # Beside a number a date tells the period that the number holds for.
        keys |= {value for _, value in dates}
    said = _words(_VALUE.sub(" ", untied(rest)), wording)
    words = frozenset(word for word in said if not is_frame(word))
    # A Chinese character carries about half a word.
    weight = sum(1.0 if word.isascii() else 0.5 for word in said)
    if not values or not words or not _MIN_WORDS <= weight <= _MAX_WORDS:
        return None
    return Statement(
        document_id,
        sentence[:_SENTENCE_CHARACTERS],
        " ".join(sorted(words)),
        "|".join(sorted(keys)),
        values,
        path,
        own=_is_own(sentence[:_SENTENCE_CHARACTERS]),
    )


def _is_own(sentence: str) -> bool:
    return bool(_OWN.match(_OPENING.sub("", sentence, count=1)) or _HISTORY.search(sentence))


def _blank(pattern: re.Pattern[str], text: str) -> str:
    """``text`` with matches blanked out, every other character in its place."""
    return pattern.sub(lambda match: " " * len(match.group()), text)


def _words(text: str, wording: Wording) -> frozenset[str]:
    words = (word for word in _WORD.findall(wording.one(text)))
    return frozenset(word for word in words if word not in _LIGHT_STEMS)


def _key(text: str) -> str:
    return re.sub(r"[\s年度]+", "", text).upper()


def _iso(match: re.Match[str]) -> str:
    group = match.groupdict()
    year = group["y"] or group["y2"] or group["y3"]
    name = group["mn"] or group["mn3"]
    month = MONTHS[name.lower().rstrip(".")] if name else int(group["m"])
    return f"{year}-{month:02d}-{int(group['d'] or group['d2'] or group['d3']):02d}"


def _normal(match: re.Match[str]) -> str:
    """One text for one quantity: 1,000 and 1000, 50% and 50 percent, 24 hours and one day written as 1 day."""
    group = match.groupdict()
    if group["h"]:
        number = Decimal(han_number(group["h"]))
    elif group["w"]:
        number = Decimal(WORD_NUMBERS[group["w"].lower()])
    else:
        try:
            number = Decimal(group["n"].replace(",", ""))
        except InvalidOperation:
            return group["n"]
    number *= _FACTORS.get((group["f"] or "").lower(), 1)
    unit = (group["u"] or group["u2"] or group["u3"] or "").lower()
    unit = unit.rstrip("s") if unit.isascii() else unit
    return time_span(number, unit) or f"{group['cur'] or ''}{plain_number(number)}{'%' if group['p'] else ''}"
