"""The words by which questions ask for a value, and the measures that they ask for, in both languages.

The measures are dimensions of ``config/validation/units.yaml``.
"""

from __future__ import annotations

import re

HOW_MANY = re.compile(r"\b(?:how many|what number of|number of)\s+")
HAN_HOW_MANY = re.compile(r"多少|几(?![乎何率])")
"""What is counted follows, or the unit that is asked for."""

_SPAN = frozenset({"time", "calendar", "workday", "night"})
_LENGTH, _MASS, _MONEY, _RATIO = (frozenset({name}) for name in ("length", "mass", "money", "ratio"))
_AREA, _VOLUME, _SPEED, _HEAT = (frozenset({name}) for name in ("area", "volume", "speed", "temperature"))
_AGE = frozenset({"calendar"})

QUESTION_WORDS: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = (
    (re.compile(r"\bhow (?:often|frequently)\b|多频繁|多久[^，。；？?]{0,12}一次"), _SPAN | {"interval"}),
    (re.compile(r"\bhow long\b|多长|多久|多少时间|几时"), _SPAN | _LENGTH),
    (re.compile(r"\bhow soon\b"), _SPAN),
    (re.compile(r"\bhow (?:fast|quickly)\b|多快"), _SPAN | _SPEED),
    (re.compile(r"\bhow old\b|多大年[纪龄]|几岁"), _AGE),
    (re.compile(r"\bhow (?:tall|high|wide|deep|far|thick|close)\b|多[高宽深远厚]"), _LENGTH),
    (re.compile(r"\bhow (?:heavy|light)\b|多重"), _MASS),
    (re.compile(r"\bhow (?:hot|cold|warm)\b|多[热冷]"), _HEAT),
    (re.compile(r"\bhow (?:big|large)\b|多大"), _AREA | _LENGTH | _AGE | _RATIO),
    # In which area is it? asks for a place.
    (
        re.compile(r"\bwhat (?:is|was|are|were) (?:the|its) (?:\w+ )?areas?\b|\bwhat (?:total|surface|land) area\b"),
        _AREA,
    ),
    (re.compile(r"\bhow much (?:money|did|does|do|is|was|were|are|will|has|have)\b|多少钱"), _MONEY | _RATIO),
    (re.compile(r"\bhow much\b"), frozenset({"*"})),
    (re.compile(r"百分之(?:几|多少)|百分比|几成"), _RATIO),
)
"""Patterns in lower case with what they ask for; the first that a question has decides."""

_NOUNS_TEXT: tuple[tuple[str, str, frozenset[str]], ...] = (
    ("percentages? percent proportions? fractions? rates? ratios?", "比例 比率 占比 份额 率", _RATIO),
    ("durations? deadlines?", "期限 时限 时长 有效期 时间", _SPAN),
    ("ages?", "年龄 岁数", _AGE),
    ("heights? lengths? widths? depths? distances? altitudes? elevations?", "高度 长度 宽度 深度 距离 海拔", _LENGTH),
    ("weights?", "重量 体重", _MASS),
    ("sizes?", "面积 大小", _AREA | _LENGTH),
    ("volumes? capacity", "体积 容量 容积", _VOLUME),
    ("speeds? velocity", "速度 时速", _SPEED),
    ("temperatures?", "温度 气温", _HEAT),
    (
        "prices? costs? fees? salary salaries wages? budgets? fines? revenues? income profits? amounts?",
        "价格 费 费用 成本 工资 薪水 预算 罚款 收入 利润 金额 款额 资金",
        _MONEY,
    ),
)


def _english(nouns: str) -> re.Pattern[str]:
    """What is the annual fee?, at what age can one ...: the noun close behind the question word, and its end."""
    return re.compile(
        r"\b(?:what|which)(?:\s+(?:is|was|are|were)\s+(?:the|its|their|his|her|an?))?(?:\s+[a-z'-]+){0,2}?"
        rf"\s+(?:{'|'.join(nouns.split())})\b"
        r"(?:\s+of\b|\s*[?,]|$|(?=\s+(?:is|was|are|were|do|does|did|can|may|must)\b))"
    )


def _chinese(nouns: str) -> re.Pattern[str]:
    names = "|".join(nouns.split())
    return re.compile(
        rf"(?:{names})(?:应当?|必须|可以)?[是为有占达]?(?:多少|多[长大高久]|几)|(?:多少|什么|多[长大高])的?(?:{names})"
    )


NOUNS = tuple((_english(english), _chinese(chinese), asked) for english, chinese, asked in _NOUNS_TEXT)
"""Patterns in lower case, English and Chinese, of what is measured and asked for, with the measure."""
