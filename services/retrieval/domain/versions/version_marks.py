"""What the name of a file and the text of a version number say about which version is newer."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_END = r"(?![A-Za-z0-9])"
_START = r"(?<![A-Za-z0-9])"
_CHINESE_DIGITS = "零一二三四五六七八九十"
# Stages that a name may tell, from the earliest to the latest. A draft is no version in force.
_STAGES: tuple[tuple[int, re.Pattern[str]], ...] = (
    (-2, re.compile(rf"{_START}(?:draft|wip){_END}|草稿|草案|初稿|征求意见稿|讨论稿|送审稿", re.IGNORECASE)),
    (-1, re.compile(rf"{_START}(?:old|obsolete|superseded){_END}|旧版|旧$", re.IGNORECASE)),
    (
        1,
        re.compile(
            rf"{_START}(?:revised|amended|updated|new){_END}|修订[版稿本]?|修正[版稿本]?|更新版|新版", re.IGNORECASE
        ),
    ),
    (2, re.compile(rf"{_START}(?:final|approved|signed){_END}|定稿|终稿|最终[版稿]?|正式[版稿]", re.IGNORECASE)),
)
_NUMBER = re.compile(
    rf"{_START}(?:v|ver|version|rev|revision|edition|ed)[\s._\-]*(\d+(?:[._]\d+)*)(?:-?(?:draft|rc\d*|beta))?{_END}"
    rf"|第\s*(\d+|[{_CHINESE_DIGITS}]{{1,3}})\s*[版稿次]",
    re.IGNORECASE,
)
# A revision mark without a number: report_rev.docx.
_BARE_REVISION = re.compile(rf"{_START}rev{_END}", re.IGNORECASE)
_COPY = re.compile(rf"[（(]\d{{1,3}}[)）]|{_START}copy(?:\s*(?:of|\d+))?{_END}|副本\d*", re.IGNORECASE)
_EARLY_NUMBER = re.compile(r"(?:draft|rc|beta|alpha)", re.IGNORECASE)
_YEARS = range(1900, 2200)


@dataclass(frozen=True, slots=True)
class NameMarks:
    """A file name taken apart: its ``stem`` without marks, the ``number`` and ``stage`` it tells, and whether it is a
    ``copy``. ``stage`` is 0 for none, below it for drafts and old versions, above it for revised and final ones."""

    stem: str
    number: tuple[int, ...] = ()
    stage: int = 0
    copy: bool = False

    @property
    def marked(self) -> bool:
        """True if the name tells anything about versions."""
        return bool(self.number) or self.stage != 0 or self.copy

    @property
    def draft(self) -> bool:
        """True for drafts, which never put another version out of force."""
        return self.stage == -2


# Every write compares the names of whole families.
@lru_cache(maxsize=65_536)
def name_marks(path: str) -> NameMarks:
    """The marks in the last part of ``path``; without a path an empty stem."""
    name = unicodedata.normalize("NFKC", path.replace("\\", "/").rsplit("/", 1)[-1])
    stem = re.sub(r"\.[A-Za-z0-9]{1,8}$", "", name)
    number = _NUMBER.search(stem)
    # Underscores count as letters to a regex, but part words in names.
    spaced = _NUMBER.sub(" ", stem).replace("_", " ")
    # The number takes the mark of a draft with it: v3-draft.
    whole = stem.replace("_", " ")
    stages = [stage for stage, pattern in _STAGES if pattern.search(whole)]
    if not stages and _BARE_REVISION.search(spaced):
        stages = [1]
    rest = _BARE_REVISION.sub(" ", _COPY.sub(" ", spaced))
    for _, pattern in _STAGES:
        rest = pattern.sub(" ", rest)
    return NameMarks(
        stem=" ".join(re.sub(r"[\W_]+", " ", rest).split()).casefold(),
        number=_numbers(number) if number else (),
        stage=min(stages) if stages and min(stages) < 0 else max(stages, default=0),
        copy=bool(_COPY.search(spaced)),
    )


def version_number(version: str) -> tuple[int, ...]:
    """The numbers of a version such as ``4.0.3``, ``Rev 5`` or ``第三版``, for comparison; empty if it has none.

    A draft or candidate of a number comes before the number itself.
    """
    folded = unicodedata.normalize("NFKC", version)
    chinese = re.search(rf"第\s*([{_CHINESE_DIGITS}]{{1,3}})\s*[版稿次]", folded)
    if chinese:
        return (_chinese(chinese.group(1)),)
    early = _EARLY_NUMBER.search(folded)
    found = _all_numbers(folded[: early.start()] if early else folded.split("+")[0])
    if not found:
        return ()
    while len(found) > 1 and found[-1] == 0:
        found = found[:-1]
    # -1 stands before the 0 that a missing part counts as.
    return (*found, -1, *_all_numbers(folded[early.end() :])) if early else found


def _all_numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part[:9]) for part in re.findall(r"\d+", text))


def compare_numbers(first: tuple[int, ...], second: tuple[int, ...]) -> int:
    """-1, 0 or 1; 0 also if they cannot be compared: one is a year and the other is not."""
    if not first or not second or (first[0] in _YEARS) != (second[0] in _YEARS):
        return 0
    width = max(len(first), len(second))
    a, b = (first + (0,) * width)[:width], (second + (0,) * width)[:width]
    return (a > b) - (a < b)


def strip_marks(title: str) -> str:
    """``title`` without version numbers, stages and copy marks."""
    rest = _COPY.sub(" ", _NUMBER.sub(" ", unicodedata.normalize("NFKC", title)))
    for _, pattern in _STAGES:
        rest = pattern.sub(" ", rest)
    return rest


def _numbers(match: re.Match[str]) -> tuple[int, ...]:
    if match.group(2):
        text = match.group(2)
        return (int(text) if text.isdigit() else _chinese(text),)
    return version_number(match.group())


def _chinese(text: str) -> int:
    value, digit = 0, 0
    for char in text:
        if char == "十":
            value += (digit or 1) * 10
            digit = 0
        else:
            digit = _CHINESE_DIGITS.index(char)
    return value + digit
