"""Patterns of Chinese times that are read with care: thirds of months, shortened months and days, 一点 and 两点."""

from __future__ import annotations

import re

from services.validation.domain.reading.patterns import Pattern

_DIGIT = "[零〇一二三四五六七八九]"
_NUMBER = r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})"
ZH_LATER_DAY = re.compile(
    r"(?<![月\d])(?:到|至|截至|截止到?|延至|最晚|最迟)\s*(?P<d>\d{1,2})[日号](?=[上下中晚早]|[，。；、]|截止|为止|之?前|止|$)"
)
# 4到10月: the first month without its word.
ZH_MONTH_TO = Pattern(
    r"(?<![\d.:：年月日第])(?P<m>1[0-2]|[1-9])\s*(?:到|至|-|~)\s*(?=(?:1[0-2]|[1-9])\s*月(?:份)?(?![\d个内]))"
)
ZH_DECADE = Pattern(
    rf"(?:(?P<y>\d{{4}}|{_DIGIT}{{4}})\s*年\s*)?(?<![\d每])(?P<m>{_NUMBER})\s*月(?:份)?的?(?P<d>[上中下])旬"
)
# 喝一点水, 一点都不: a little; 一点钟, 一点到三点, 下午一点 and 到一点 tell the hour.
A_LITTLE = re.compile(
    r"一点(?=[\u4e00-\u9fff])(?![钟整半前后以之到至开起为左过上下出结关闭止内集]|[零一二三四五]?十?[一二三四五六七八九]?分)"
)
# 有两点要求 are two points.
TWO_O_CLOCK = re.compile(r"(?<=[钟整半分])|[半到至前后以之开起]")
UNTIL_ONE = re.compile(r"[到至从自]\s*$")
