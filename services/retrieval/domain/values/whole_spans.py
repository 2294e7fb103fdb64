"""Halves of a unit as numbers of one: half an hour, one and a half hours, 半天, 一个半小时, 一元五角."""

from __future__ import annotations

import re
from collections.abc import Callable

from services.common.domain.numerals import chinese_number
from services.retrieval.domain.values.number_words import ENGLISH_NUMBER, HAN_NUMBER, english_number, han_number

_HALF_UNIT = {"hour": "30 minutes", "day": "12 hours", "year": "6 months", "month": "15 days"}
_HALF_HAN = {"小时": "30分钟", "个小时": "30分钟", "天": "12小时", "日": "12小时", "年": "6个月", "个月": "15天"}
_Whole = str | Callable[[re.Match[str]], str]
_WHOLE: tuple[tuple[re.Pattern[str], _Whole], ...] = (
    (
        re.compile(r"(?<![A-Za-z])(?:half an? |an? half |half[ -])(hour|day|year|month)(?![A-Za-z])", re.IGNORECASE),
        lambda match: _HALF_UNIT[match[1].lower()],
    ),
    (
        re.compile(rf"(?<![A-Za-z])({ENGLISH_NUMBER}) and a half (hours?|days?|weeks?|months?|years?)", re.IGNORECASE),
        lambda match: f"{english_number(match[1])}.5 {match[2]}",
    ),
    (re.compile(r"(?<![A-Za-z])an? (hour|day|week|month|year) and a half", re.IGNORECASE), r"1.5 \1s"),
    (
        re.compile(
            r"(?<![A-Za-z])(within|after|for|in|least|most|than|under|over|lasts?)"
            r" an? (hour|day|week|month|year)(?![A-Za-z'])",
            re.IGNORECASE,
        ),
        r"\1 1 \2",
    ),
    (re.compile(r"(?<![A-Za-z])(?:an? )?fortnight(?![A-Za-z])", re.IGNORECASE), "14 days"),
    (re.compile(rf"(?<![A-Za-z])({ENGLISH_NUMBER}|(?<!\d)\d+)-hourly", re.IGNORECASE), r"every \1 hours"),
    (re.compile(rf"((?<!\d)\d+|{HAN_NUMBER})个半(小时|月)"), lambda match: _with_tenths(match, 5, _of_half(match[2]))),
    (
        re.compile(rf"((?<!\d)\d+|{HAN_NUMBER})元([1-9一二三四五六七八九])角"),
        lambda match: _with_tenths(match, chinese_number(match[2]) or 0, "元"),
    ),
    (re.compile(r"(?<![上下])半(个?小时|天|日|年|个月)"), lambda match: _HALF_HAN[match[1]]),
)


_MAY_HAVE = re.compile(r"half|[半角]|fortnight|-hourly|(?<![A-Za-z])an? (?:hour|day|week|month|year)", re.IGNORECASE)


def _with_tenths(match: re.Match[str], tenths: int, unit: str) -> str:
    whole = int(match[1]) if match[1].isdigit() else han_number(match[1])
    return match.group() if whole is None else f"{whole}.{tenths}{unit}"


def _of_half(unit: str) -> str:
    return "个月" if unit == "月" else unit


def whole_spans(text: str) -> str:
    """``text`` with halves of a unit as numbers of one."""
    if _MAY_HAVE.search(text):
        for pattern, whole in _WHOLE:
            text = pattern.sub(whole, text)
    return text
