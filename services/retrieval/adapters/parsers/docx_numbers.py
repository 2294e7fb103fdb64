"""The numbers that Word counts itself: 第三条, 2.1, (b). They stand in no text of the file, and readers cite them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from services.retrieval.adapters.parsers.docx_xml import W, make, value_of

_LEVELS = 9
# Levels of bullets that mammoth knows.
_BULLET_LEVELS = 5
_DIGITS = "〇一二三四五六七八九"
_STEMS = "甲乙丙丁戊己庚辛壬癸"


@dataclass(slots=True)
class _Level:
    form: str = "decimal"
    text: str = ""
    start: int = 1
    style: str = ""
    legal: bool = False


@dataclass(slots=True)
class Numbering:
    """Lists by id, each with its levels; counts on as it is asked for the paragraphs of a document in order."""

    levels: dict[str, dict[int, _Level]] = field(default_factory=dict)
    family: dict[str, str] = field(default_factory=dict)
    starts: dict[tuple[str, int], int] = field(default_factory=dict)
    _counts: dict[str, list[int | None]] = field(default_factory=dict)
    _begun: set[tuple[str, int]] = field(default_factory=set)
    _linked: dict[str, tuple[str, int]] | None = None

    def is_bullet(self, list_id: str, level: int) -> bool:
        """True for items without a number."""
        described = self.levels.get(list_id, {}).get(level)
        return described is not None and described.form == "bullet"

    def label(self, list_id: str, level: int) -> str | None:
        """The number of the next paragraph of a list; None for bullets and unknown lists, which have none."""
        described = self.levels.get(list_id, {}).get(level)
        if described is None or described.form == "bullet":
            return None
        counts = self._counts.setdefault(self.family[list_id], [None] * _LEVELS)
        restart = self.starts.get((list_id, level)) if (list_id, level) not in self._begun else None
        self._begun.add((list_id, level))
        before = counts[level]
        counts[level] = restart if restart is not None else described.start if before is None else before + 1
        counts[level + 1 :] = [None] * (_LEVELS - level - 1)
        text = described.text
        for number in range(_LEVELS):
            if f"%{number + 1}" in text:
                text = text.replace(f"%{number + 1}", self._shown(list_id, number, counts, legal=described.legal))
        return text.strip()

    def _shown(self, list_id: str, level: int, counts: list[int | None], *, legal: bool) -> str:
        described = self.levels[list_id].get(level, _Level())
        count = counts[level]
        return shown(described.start if count is None else count, "decimal" if legal else described.form)

    def of_style(self, style: str) -> tuple[str, int] | None:
        """The list and level that a style of paragraphs is linked to by the list itself."""
        if self._linked is None:
            self._linked = {}
            for list_id, levels in self.levels.items():
                for level, described in levels.items():
                    self._linked.setdefault(described.style, (list_id, level))
        return self._linked.get(style)


def read_numbering(root: Any) -> Numbering:
    """The lists of a numbering part; none without one."""
    numbering = Numbering()
    if root is None:
        return numbering
    items = list(root.iter(f"{W}abstractNum"))
    by_style = {link: item for item in items if (link := value_of(item, "styleLink"))}
    abstract = {
        item.get(f"{W}abstractNumId"): _read_levels(by_style.get(value_of(item, "numStyleLink") or "", item))
        for item in items
    }
    for item in root.iter(f"{W}num"):
        list_id = item.get(f"{W}numId", "")
        family = value_of(item, "abstractNumId") or ""
        levels = dict(abstract.get(family, {}))
        for override in item.iter(f"{W}lvlOverride"):
            level = _number(override.get(f"{W}ilvl"), 0)
            levels |= _read_levels(override)
            if start := value_of(override, "startOverride"):
                numbering.starts[(list_id, level)] = _number(start, 1)
        numbering.levels[list_id] = levels
        numbering.family[list_id] = family
    return numbering


def _read_levels(item: Any) -> dict[int, _Level]:
    return {
        _number(level.get(f"{W}ilvl"), 0): _Level(
            value_of(level, "numFmt") or "decimal",
            value_of(level, "lvlText") or "",
            _number(value_of(level, "start"), 1),
            value_of(level, "pStyle") or "",
            level.find(f"{W}isLgl") is not None,
        )
        for level in item.findall(f"{W}lvl")
        if 0 <= _number(level.get(f"{W}ilvl"), 0) < _LEVELS
    }


def _number(text: str | None, default: int) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 7 else default


def bullet(level: int) -> Any:
    """What makes a paragraph an item of the list that ``bullets`` describes."""
    return make("numPr", make("ilvl", val=str(min(level, _BULLET_LEVELS - 1))), make("numId", val="1"))


def bullets() -> Any:
    """A numbering part with one list, whose items have bullets."""
    levels = (make("lvl", make("numFmt", val="bullet"), ilvl=str(level)) for level in range(_BULLET_LEVELS))
    used = make("num", make("abstractNumId", val="0"), numId="1")
    return make("numbering", make("abstractNum", *levels, abstractNumId="0"), used)


def shown(number: int, form: str) -> str:
    """A number as Word prints it in a format."""
    return _FORMS.get(form, str)(number)


def _letters(number: int) -> str:
    return chr(96 + (number - 1) % 26 + 1) * ((number - 1) // 26 + 1) if 0 < number < 1000 else str(number)


def _roman(number: int) -> str:
    values = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
              (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
    result = ""
    for value, letters in values:
        while 0 < value <= number < 4000:
            result += letters
            number -= value
    return result or str(number)


def _chinese(number: int) -> str:
    if not 0 < number < 10_000:
        return str(number)
    result, missing = "", False
    for unit, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // unit % 10
        if digit:
            result += ("零" if missing and result else "") + _DIGITS[digit] + name
        missing = not digit
    return result.removeprefix("一") if 10 <= number < 20 else result


def _circled(number: int) -> str:
    return chr(0x2460 + number - 1) if 0 < number <= 20 else f"({number})"


_FORMS: Mapping[str, Callable[[int], str]] = {
    "none": lambda _: "",
    "decimalZero": "{:02d}".format,
    "lowerLetter": _letters,
    "upperLetter": lambda number: _letters(number).upper(),
    "lowerRoman": _roman,
    "upperRoman": lambda number: _roman(number).upper(),
    "chineseCounting": _chinese,
    "chineseCountingThousand": _chinese,
    "japaneseCounting": _chinese,
    "taiwaneseCounting": _chinese,
    "taiwaneseCountingThousand": _chinese,
    "ideographDigital": lambda number: "".join(_DIGITS[int(digit)] for digit in str(number)),
    "taiwaneseDigital": lambda number: "".join(_DIGITS[int(digit)] for digit in str(number)),
    "ideographTraditional": lambda number: _STEMS[number - 1] if 0 < number <= len(_STEMS) else str(number),
    "chineseLegalSimplified": lambda number: _chinese(number).translate(
        str.maketrans("一二三四五六七八九十百千", "壹贰叁肆伍陆柒捌玖拾佰仟")
    ),
    "decimalEnclosedCircle": _circled,
    "decimalEnclosedCircleChinese": _circled,
}
