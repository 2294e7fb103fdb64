"""Marks of the thing that a text is on: names, places, numbers, periods, and values behind labels."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence

from services.common.domain.months import MONTHS
from services.retrieval.domain.passages.plain import plain_text
from services.retrieval.domain.versions.version_marks import strip_marks

Found = list[tuple[str, str]]

_NUMERAL = "零〇一二三四五六七八九十百"
_SHORT_WORDS = ("no", "nos", "nr", "mr", "ms", "mrs", "dr", "prof", "st", "ref")
_ABBREVIATED = "".join(rf"(?<!\b{word}\.)" for word in _SHORT_WORDS)
_SENTENCE = re.compile(rf"(?<=[.!?;]){_ABBREVIATED}\s+|(?<=[。；！？])\s*|\n", re.IGNORECASE)

_CODE = re.compile(r"(?<![A-Za-z0-9])[A-Z]{1,6}[-./_ ]?\d[\dA-Za-z\-]*(?![A-Za-z0-9])")
# Within a sentence, and behind a title wherever it stands.
_NAME = re.compile(
    r"(?:(?<=[^\s.!?] )|(?<=[(\"“‘'/–—-])|(?<=\b[MD]r\. )|(?<=\bMs\. )|(?<=\bMrs\. ))[A-Z][A-Za-z]{2,}(?!\w)"
)
_OPENING = re.compile(r"\W*([A-Z][A-Za-z]{2,})(?!\w)((?:\W+\w+){0,3})")
_UNIT = re.compile(
    r"\b(?!(?:the|a|an|this|that|each|every|any|his|her|their|your|our|its|other|same|of|in|and|or)\b)"
    r"([a-z]{3,}) (?:department|division|branch|office|plant|factory|workshop|laboratory|ward|warehouse|hospital)\b"
)
_PLACE = re.compile(r"[\u4e00-\u9fff]{2}(?:省|市|县|区|镇|厂|站|矿|港|分公司|车间|项目部|医院|学校|门店)")
_OFFICE = re.compile(
    r"[\u4e00-\u9fff]{2}(?:(?<![全内外局大干])部(?![门分件署位队])|科(?![学技目室])|室(?![内外温])|班组|中心(?![线点]))"
)
_NUMBERED = re.compile(
    r"(?:\bnos?\.|\bnr\b\.?|\bnumber\b|\bid\b|\bref(?:erence)?\b\.?|№|编号|单号|工号|号码|代码)\s*[:：]?\s*"
    r"(\w*\d[\w\-/]*)"
    rf"|第\s*([\d{_NUMERAL}]+)\s*号"
    r"|\b((?:hall|room|building|line|floor|plant|station|team|ward|batch|lot|zone|area|shift|machine|store|site|school"
    r"|customer|project|contract|order|pump|vessel|track|platform|gate|block|house|class|group|crew)\s+\d+)\b"
    rf"|(?<![\d{_NUMERAL}])([\d{_NUMERAL}]+\s*号(?:楼|线|机|厂房|车间|仓库|泵|炉|井|门|桥|店|矿|站|塔|罐|船|库|馆))",
    re.IGNORECASE,
)
_NO_NAMES = frozenset({*MONTHS, "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"})

_MONTH = "(?:" + "|".join(sorted((name.capitalize() for name in MONTHS), key=len, reverse=True)) + r")(?![a-z])\.?"
_DAY = re.compile(
    rf"\d{{4}}-\d{{1,2}}-\d{{1,2}}|\d{{4}}\s*年\s*\d{{1,2}}\s*月\s*\d{{1,2}}\s*[日号]|\d{{1,2}}[./]\d{{1,2}}[./]\d{{4}}"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}(?:,?\s+\d{{4}})?"
    rf"|\b{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?(?!\d)(?:,?\s+\d{{4}})?|[\d{_NUMERAL}]{{1,3}}月[\d{_NUMERAL}]{{1,3}}[日号]"
)
_PERIOD = re.compile(
    rf"\b{_MONTH}(?:\s+\d{{4}})?|(?<!\d)\d{{4}}[-/]\d{{1,2}}(?![\d/-])|(?<![\d/])\d{{1,2}}/\d{{4}}(?!\d)"
    r"|\bQ[1-4]\b(?:[ /-]?\d{4})?|\b(?:[Ff]irst|[Ss]econd|[Tt]hird|[Ff]ourth) quarter(?: of \d{4})?"
    r"|\b(?:[Ww]eek|KW|CW)\s?\d{1,2}\b"
    rf"|(?:\d{{4}}\s*年\s*)?(?<![\d{_NUMERAL}])(?:\d{{1,2}}|[{_NUMERAL}]{{1,2}})\s*月(?:份|度)?"
    r"|(?:\d{4}\s*年\s*)?第?[一二三四1-4]季度|(?:\d{4}\s*年\s*)?[上下]半年|第\s*\d{1,2}\s*周"
)
_YEAR = re.compile(r"\b(?:[Ii]n|[Ff]or|[Oo]f|[Yy]ear|[Dd]uring|FY) ?((?:19|20)\d{2})\b|(?<!\d)((?:19|20)\d{2})\s*年")
# What a text says of itself, and each version says anew: in a sentence, and as a label.
_OF_VERSION = re.compile(
    r"\b(?:version|revision|edition|updated|last (?:changed|modified)|revised|amended|supersedes|published|effective"
    r"|in force|as of|Stand|copyright)\b|版本|版次|修订|更新|发布|印发|颁布|生效|起(?:施行|实施)",
)
_VERSION_LABEL = re.compile(
    r"\b(?:version|revision|rev|edition|updated|changed|modified|revised|amended|supersedes|replaces"
    r"|published|effective(?: from| date)?$|valid (?:from|until|to)|status|stand|author|page"
    r"|(?:approved|reviewed|prepared|checked|signed|released|written) (?:by|on))\b"
    r"|^(?:版本|版次|修订|修改|更新|发布|印发|颁布|生效|施行|实施|状态|批准|审核|审批|编制|拟稿|作者|页)(?:人|者|日期|时间|号|记录|码)?$"
)
_REMARK = re.compile(
    r"(?:note|notes|notice|hint|tip|important|attention|warning|caution|example|remark|remarks|注意|注|提示|说明|备注|例如|例)"
    r"\s*\d*",
    re.IGNORECASE,
)
_LABEL = re.compile(r"[\W_]*([^:：]{1,40}?)\s*[:：]\s*(\S.*?)[\s.;。；]*$")
_NUMBER_LABEL = re.compile(r"\b(?:nos?|nr|number|id|ref|reference|code)\b\.?\s*$|号码?$|代码$", re.IGNORECASE)
_AMOUNT = re.compile(rf"(?:\D{{0,12}}[\d]|[约近超至不最\s少多于过]*[{_NUMERAL}两半]+\s*\S)")
_LABEL_WORDS, _VALUE_WORDS, _VALUE_CHARACTERS, _LABELLED_CHARACTERS = 5, 6, 48, 100


def sentences(text: str) -> list[str]:
    """Sentences and lines of a Markdown text, without its marks."""
    folded = plain_text(unicodedata.normalize("NFKC", text))
    return [part.strip() for part in _SENTENCE.split(folded) if part.strip()]


def named(parts: Sequence[str]) -> Iterator[str]:
    """Models, people, places, departments, and whatever bears a number of its own."""
    lower = set(re.findall(r"(?<![A-Za-z])[a-z]{3,}", " ".join(parts))) | _NO_NAMES
    for whole in parts:
        label, _ = _label_and_value(whole)
        if _VERSION_LABEL.search(label):
            continue  # who approved it, say
        part = strip_marks(whole)
        yield from (re.sub(r"[\s\-./_]", "", match) for match in _CODE.findall(part))
        yield from _PLACE.findall(part)
        yield from _OFFICE.findall(part)
        yield from _UNIT.findall(part)
        yield from (" ".join("".join(match).casefold().split()) for match in _NUMBERED.findall(part))
        yield from (name.casefold() for name in _NAME.findall(part) if name.lower() not in lower)


def periods(parts: Sequence[str]) -> Iterator[str]:
    """Months, quarters, half-years and weeks that the text is on, not the days of its versions."""
    for part in _on_the_thing(parts):
        yield from (re.sub(r"[\s.]", "", match).casefold() for match in _PERIOD.findall(_DAY.sub(" ", part)))


def days(parts: Sequence[str]) -> Iterator[str]:
    """Days with their year."""
    for part in _on_the_thing(parts):
        found = (re.sub(r"[\s.,]", "", match).casefold() for match in _DAY.findall(part))
        yield from (day for day in found if re.search(r"\d{4}", day))


def years(parts: Sequence[str]) -> Iterator[str]:
    """Years that stand for themselves."""
    for part in _on_the_thing(parts):
        yield from ("".join(match) for match in _YEAR.findall(_PERIOD.sub(" ", _DAY.sub(" ", part))))


def openings(parts: Sequence[str]) -> Found:
    """First words of sentences, which may be names or not, by the words that follow."""
    found = []
    for part in parts:
        if opening := _OPENING.match(part):
            following = " ".join(re.findall(r"\w+", opening.group(2).casefold()))
            found.append((f"before {following}", opening.group(1).casefold()))
    return found


def labelled(text: str, parts: Sequence[str]) -> tuple[Found, Found]:
    """Values by their labels, such as ``Site: Berlin``: those that tell things apart, and those that may.

    Amounts, days and what stands behind a label that comes more than once may also be what a version changes.
    """
    values: dict[str, list[str]] = defaultdict(list)
    for label, value in (*(_label_and_value(part) for part in parts), *_two_cells(text)):
        if _is_short(label, value) and not (_VERSION_LABEL.search(label) or _REMARK.fullmatch(label)):
            values[label].append(value)
    telling: Found = []
    doubtful: Found = []
    for label, found in values.items():
        for value in found:
            amount = _AMOUNT.match(value) and not _NUMBER_LABEL.search(label)
            (doubtful if amount or len(found) > 1 else telling).append((f"label {label}", value))
    return telling, doubtful


def _label_and_value(part: str) -> tuple[str, str]:
    """In small letters; both empty if there is no label."""
    match = _LABEL.match(part) if len(part) <= _LABELLED_CHARACTERS else None
    return (_spaced(match.group(1)), _spaced(match.group(2))) if match else ("", "")


def _spaced(text: str) -> str:
    return " ".join(text.casefold().split())


def _two_cells(text: str) -> Iterator[tuple[str, str]]:
    """Rows of tables that have two cells."""
    for line in text.splitlines():
        if (row := line.strip()).startswith("|"):
            cells = [unicodedata.normalize("NFKC", cell).strip() for cell in row.strip("|").split("|")]
            if len(cells) == 2 and all(re.search(r"\w", cell) for cell in cells):
                yield _spaced(cells[0]), _spaced(cells[1])


def _is_short(label: str, value: str) -> bool:
    """True unless it is a sentence with a colon in it."""
    short = 0 < len(label.split()) <= _LABEL_WORDS and len(value.split()) <= _VALUE_WORDS
    return short and len(value) <= _VALUE_CHARACTERS


def _on_the_thing(parts: Sequence[str]) -> Iterator[str]:
    return (part for part in parts if not _OF_VERSION.search(part))
