"""Names that must match to the letter: identifiers with digits, proper names, acronyms."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from functools import lru_cache

from services.validation.domain.reading.abbreviations import is_abbreviation
from services.validation.domain.reading.gapped import gapped
from services.validation.domain.reading.name_words import (
    COMMON_BEFORE_NUMBER,
    COUNTED_THINGS,
    DAYS_AND_MONTHS,
    NO_LABELS,
    NOT_BEFORE_LETTER,
    NOT_NAMES,
)
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.reading.text import stem

# A letter block and digits, joined or hyphenated: A320, BR-2200, SB-71-014, LEAP-1A, E4027, ALM-209, v2.4, Q345B.
# Tokens are cut linearly and judged in code: a nested pattern would take exponential time on long runs of letters.
_TOKEN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]+(?:[-_/.][A-Za-z0-9]+)*(?![A-Za-z0-9])")
# An option of a command: --dry-run.
_OPTION = Pattern(r"(?<![\w-])--[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*(?![\w-])")
_DASHED_NUMBER = re.compile(r"\d+(?:-\d+)+")
_LETTERS_FIRST = re.compile(r"[A-Za-z]{1,10}(?![A-Za-z])")
_JOINTS = re.compile(r"[-_/.\s]")
_NUMBER_FIRST = re.compile(r"\d+[A-Z]")
_NUMBERED = re.compile(
    rf"\b(?P<w>[A-Z][A-Za-z]+|{'|'.join(re.escape(w) for w in sorted(COUNTED_THINGS, key=len, reverse=True))})"
    r"\s+(?:(?:No|Nos|Nr)\.\s?)?(?P<n>\d{1,6}[A-Z]?(?:/\d{2,4})?(?:\.\d+)*)(?![\d%]|,\d|\.\d|\s*(?:%|°)"
    r"|\s+(?:hundred|thousand|[mb]illion|trillion|per ?cent|percentage|points?)\b)"
)
_MEASURED = re.compile(
    r"(?:\s?(?:to|or|and|-)\s?\d[\d.,]*)?\s?(?:[kMGT]?(?:B|W|Wh|Hz|V|A)|[mkμ]?[gml]|[mck]m|bar|ppm|rpm|hours?|days?"
    r"|minutes?|seconds?|years?|months?|weeks?|(?:milli|kilo|centi)?(?:litres?|liters?|grams?|met(?:re|er)s?)"
    r"|tablets?|drops?|spoons?|cups?|times)\b"
)
_HAN_NUMBERED = Pattern(
    r"(?P<n>\d{1,6}|[一二三四五六七八九十]{1,3})\s*(?P<w>号(?!码)(?:楼|线|机|泵|炉|机组|门|厅|仓|车间|库|文|令|公告)?"
    # 外贸、内贸、中转三类合计: a count of what is told before it.
    r"|[类型档](?!合计|共计|总计|一共|总共|共|加起来|相加|之和|都|均|各)|栋|#)"
    r"|(?P<w2>[ABCDEFGH](?:级|类|型|方|班|组|区|栋|座|档|线|机|炉|泵|车间|仓|库|厂|队|批|款|套餐|方案|产品))"
)
# Any noun and a capital letter: bus B, engine X, buses A and B.
_LETTERED = re.compile(
    r"\b(?P<w>[A-Za-z]{3,})\s+(?P<n>[A-HJ-Z])(?P<more>(?:\s*(?:,|and|or|&)\s*(?:[A-HJ-Z])(?![\w'.]))*)(?![\w'])(?!\.\w)"
)
_HAN_STEM = Pattern(r"[甲乙丙丁戊](?![醇烷醛苯烯酸状肝])")
_HAN_UNIT = Pattern(
    r"(?P<n>[一二三四五六七八九十]|\d{1,2})(?P<w>车间|班组|班|楼|区|期(?!限|间|内|满)|组|队|厂|科室|分厂|号线|食堂|宿舍|支部|公司|营业部)(?![一二三四五六七八九十\d])"
)
_ACRONYM = re.compile(r"(?<![A-Za-z])[A-Z][A-Z&]{1,6}s?(?![A-Za-z])")
_PROPER = re.compile(r"(?<![\w-])[A-Z][a-z\u00c0-\u024f]{2,}(?:[A-Z][a-z]+)*(?![\w])")


def _is_initial(text: str, match: re.Match[str]) -> bool:
    """ "Michael R. Halden": the letter is of a person's second name."""
    at = match.end("n")
    rest = text[at + 1 : at + 41].lstrip()
    return match["w"][0].isupper() and text[at : at + 2] == ". " and is_abbreviation(text, 0, at, rest)


@dataclass(frozen=True, slots=True)
class Name:
    """A name with its comparison ``key``; ``kind`` is ``identifier``, ``numbered``, ``acronym`` or ``proper``."""

    kind: str
    key: str
    surface: str
    start: int
    end: int

    @property
    def strict(self) -> bool:
        """True for names of which a changed character makes another thing."""
        return self.kind in ("identifier", "numbered")


def shape(name: Name) -> str:
    """The pattern of a strict name (``A320`` and ``B737`` share ``a0``), to tell rivals from other names."""
    return _shape(name.kind, name.key)


@lru_cache(maxsize=4096)
def _shape(kind: str, key: str) -> str:
    if kind == "numbered":
        return _OWN_MARK.sub("#", key)
    return _LETTERS.sub("a", _DIGITS.sub("0", key))


# What tells a numbered thing from its siblings: its number or its letter.
_OWN_MARK = re.compile(r"\d.*$|\b[a-z]$|[甲乙丙丁戊]|^[a-h一二三四五六七八九十](?=[\u4e00-\u9fff])")
_LETTERS, _DIGITS = re.compile(r"[a-z]+"), re.compile(r"\d+")


def find_names(text: str, free: bytearray) -> list[Name]:
    """The names of a normalised text; ``free`` marks characters that a date, reference or quantity took."""
    found: list[Name] = []

    def add(kind: str, key: str, start: int, end: int) -> None:
        if 1 not in free[start:end]:
            free[start:end] = b"\x01" * (end - start)
            found.append(Name(kind, key, text[start:end], start, end))

    for start, end in _identifier_spans(text):
        add("identifier", _JOINTS.sub("", text[start:end].lower()), start, end)
    for match in _OPTION.finditer(text):
        add("identifier", "--" + match.group().lower().replace("-", ""), match.start(), match.end())
    for match in _NUMBERED.finditer(text):
        word = match["w"].lower().rstrip(".")
        if match["w"] in DAYS_AND_MONTHS or word in COMMON_BEFORE_NUMBER:
            continue
        if text[match.end() : match.end() + 1] == "," and match["w"].lower() not in COUNTED_THINGS:
            # "Adults 14, students 9": a list of values.
            continue
        if word not in COUNTED_THINGS and (gapped(text, match) or _listed_value(text, match)):
            continue
        if _opens_sentence(text, match.start()) and _MEASURED.match(text, match.end()):
            # "Restoring 100 GB": the verb that opens a sentence; "Lorvexin 20 mg" inside one is a name.
            continue
        if word not in NO_LABELS:
            add("numbered", f"{stem(word)} {match['n'].lower()}", match.start(), match.end())
    for match in _LETTERED.finditer(text):
        word = stem(match["w"].lower())
        if match["w"].lower() in NOT_BEFORE_LETTER or _is_initial(text, match):
            continue
        add("numbered", f"{word} {match['n'].lower()}", match.start(), match.end("n"))
        for letter in re.finditer(r"[A-HJ-Z]", match["more"]):
            start = match.start("more") + letter.start()
            add("numbered", f"{word} {letter.group().lower()}", start, start + 1)
    for match in _HAN_UNIT.finditer(text):
        add("numbered", match.group(), match.start(), match.end())
    for match in _HAN_STEM.finditer(text):
        add("numbered", match.group(), match.start(), match.end())
    for match in _HAN_NUMBERED.finditer(text):
        add("numbered", re.sub(r"\s", "", match.group().lower()), match.start(), match.end())
    for match in _ACRONYM.finditer(text):
        if match.group() not in NOT_NAMES:
            add("acronym", match.group().rstrip("s").lower(), match.start(), match.end())
    for match in _PROPER.finditer(text):
        if match.group() not in DAYS_AND_MONTHS and not _opens_sentence(text, match.start()):
            add("proper", match.group().lower(), match.start(), match.end())
    found.sort(key=lambda name: name.start)
    return found


def _listed_value(text: str, match: re.Match[str]) -> bool:
    """ "Instruments 212.4; Services 61.7.": the values of a list that a colon opens and semicolons cut."""
    listed = re.search(r"[:;]\s*$", text[: match.start()]) is not None and ";" in text
    return listed and re.match(r"\s*(?:;|\.?\s*$)", text[match.end() :]) is not None


def _identifier_spans(text: str) -> list[tuple[int, int]]:
    """Tokens with letters and digits; of "A320/B737" each part, of "rate.The" none."""
    spans: list[tuple[int, int]] = []
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token.isalpha() or not any(c.isdigit() for c in token):
            continue
        pieces = [(0, len(token))]
        if "/" in token:
            parts = token.split("/")
            if all(any(c.isdigit() for c in p) and any(c.isalpha() for c in p) for p in parts):
                edges = [0]
                for part in parts:
                    edges.append(edges[-1] + len(part) + 1)
                pieces = [(a, b - 1) for a, b in itertools.pairwise(edges)]
        for a, b in pieces:
            piece = token[a:b]
            starts = _LETTERS_FIRST.match(piece) or _NUMBER_FIRST.match(piece) or _DASHED_NUMBER.fullmatch(piece)
            if starts and _is_identifier(piece):
                spans.append((match.start() + a, match.start() + b))
    return spans


def _is_identifier(surface: str) -> bool:
    letters = sum(c.isalpha() for c in surface)
    digits = sum(c.isdigit() for c in surface)
    if letters == 0:
        return surface.count("-") >= 2
    if re.fullmatch(
        r"\d+(?:st|nd|rd|th|s|k|m|bn|x|h|d|kg|g|km|kt|cm|mm|ft|lb|min|ms|[A-Z]{1,2}|[kMGT][WBbVAJN]h?)", surface
    ):
        return False
    if re.fullmatch(r"(?:(?:19|20)\d\d)?(?:[Qq][1-4]|[Hh][12])", surface):
        return False
    return digits > 0 and (surface[0].isupper() or any(c.isupper() for c in surface) or "-" in surface or letters <= 3)


# Dr. Hale, Prof. Lind: the full stop is that of a title.
_TITLED = re.compile(r"\b(?:Dr|Mrs?|Ms|Prof|St|Capt|Lt|Sgt|Rev)\.$")


def _opens_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip()
    if _TITLED.search(before):
        return False
    return not before or before[-1] in '.!?:;。！？：；\n|"('
