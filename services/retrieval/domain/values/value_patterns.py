"""Patterns of what sentences state: dates, days, times of day, numbers with units, and keys, which are no values."""

from __future__ import annotations

import re

from services.common.domain.months import MONTH, MONTHS
from services.retrieval.domain.values.measure_units import MEASURE
from services.retrieval.domain.values.number_words import ENGLISH_NUMBER, HAN_AMOUNT, HAN_NUMBER, ORDINALS
from services.retrieval.domain.values.time_spans import UNIT, UNIT_ZH

_MONTH = rf"(?:{MONTH})\.?"
_ST = "(?:st|nd|rd|th)"
_ORDINAL = rf"\d{{1,2}}{_ST}|{'|'.join(ORDINALS)}"
_YEAR = r"(?:19|20)\d\d"
CURRENCIES = {"EUR": "€", "USD": "$", "GBP": "£", "CNY": "¥", "RMB": "¥", "CHF": "francs"}
"""Codes that stand before an amount, and the kind of value that it is then."""

DATE = re.compile(
    rf"(?P<y>{_YEAR})(?:-|/|\.|\s*年\s*)(?P<m>\d{{1,2}})(?:-|/|\.|\s*月\s*)(?P<d>\d{{1,2}})(?:\s*日)?(?!\d)"
    rf"|(?P<mn>{_MONTH})\s+(?P<d2>\d{{1,2}}){_ST}?,?\s+(?P<y2>{_YEAR})(?!\d)"
    rf"|(?P<d3>\d{{1,2}}){_ST}?\s+(?P<mn3>{_MONTH}),?\s+(?P<y3>{_YEAR})(?!\d)",
    re.IGNORECASE,
)
CLOCK = re.compile(
    r"(?<![\d.])(?<!\d:)(?P<h>\d{1,2}):(?P<m>[0-5]\d)(?![\d:])(?:\s*(?P<x>[ap])\.?m(?:\.|(?![A-Za-z])))?"
    r"|(?<![\d:.])(?P<h2>\d{1,2})\s*(?P<x2>[ap])\.?m(?:\.|(?![A-Za-z]))"
    r"|(?:(?P<x3>上午|下午|早上|晚上|凌晨)\s*)?(?P<h3>\d{1,2})点(?:(?P<m3>[0-5]\d)分?|(?P<half>半))?",
    re.IGNORECASE,
)
DAY_OF_MONTH = re.compile(
    rf"每个?月的?第?\s*(?P<a>\d{{1,2}}|{HAN_NUMBER})\s*个?(?:工作)?[日号天]"
    rf"|(?P<b>{_ORDINAL})\s+(?:(?:working|business|calendar)\s+)?day(?![A-Za-z])"
    rf"|(?P<c>{_ORDINAL})(?=\s+of\s+(?:each|every|the)\s+month)"
    rf"|第(?P<d>\d{{1,2}}|{HAN_NUMBER})个?(?:工作日|天|日)"
    # By the 5th; but on the 5th floor.
    rf"|(?<=[ob][ny] the )(?P<e>\d{{1,2}}{_ST})(?=\s*(?:$|[.,;:)]|(?:of|and|or|at|in|if)\s))",
    re.IGNORECASE,
)
DAY_OF_YEAR = re.compile(
    rf"(?<![A-Za-z])(?P<mn>{_MONTH})\s+(?P<d>\d{{1,2}}){_ST}?(?![\d,]*\d)"
    rf"|(?<!\d)(?P<d2>\d{{1,2}}){_ST}?\s+(?P<mn2>{_MONTH})(?![A-Za-z])"
    r"|(?<!\d)(?P<m3>\d{1,2})月(?P<d3>\d{1,2})日",
    re.IGNORECASE,
)
_PLACES = "article|section|sec\\.|chapter|table|figure|annex|appendix|clause|paragraph|rule|part|step|phase"
_KINDS = "level|tier|class|type|grade|form|model|version|revision|no\\."
_NO_NAME = "|".join((*CURRENCIES, "AM", "PM"))
_NO_MONTH = "".join(f"(?<!{name.title()})" for name in MONTHS)
VERBS = "has|is|was|are|had|can|may|must|shall|will|holds|runs|needs|weighs|takes|lasts|costs"
"""What stands behind the name of a thing."""
# 2,000 hours and 2000升 are no year; 2000年 is one.
_HAS_UNIT = rf"[\s-]?(?!年)(?:{UNIT}|{MEASURE})"
KEY = re.compile(
    r"第\s*[零〇一二两三四五六七八九十百千\d]+\s*[条款项章节编类级期次号步]|[表图附](?:\s*件)?\s*\d+(?:[.\-]\d+)*"
    rf"|(?<!§)§+\s*\d[\w.\-()]*|(?<!\d)\d{{1,3}}{_ST}(?![A-Za-z])"
    rf"|(?<![A-Za-z])(?:{_PLACES}|{_KINDS})\s+(?:\d[\w.\-()]*|[A-Z]\b)"
    r"|(?<![\w.])\d+(?:\.\d+){2,}(?![\w.])|(?<![\w.])\d+(?:\.\d+)+\s*版"
    rf"|(?<![A-Za-z]){_MONTH}\s+{_YEAR}(?!\d)|{_YEAR}\s*年\s*\d{{1,2}}\s*月(?!\s*\d)"
    rf"|(?<![\w.]){_YEAR}s(?![A-Za-z])|(?<![\w.]){_YEAR}(?:\s*年度?)?(?!\d|[.,]\d|\s?%|{_HAS_UNIT})"
    # Behind a Chinese character only with its word: 于2024年完工, but 达2000人.
    rf"|(?<=[\u3400-\u9fff]){_YEAR}\s*年度?"
    # 3(a)(1), 20世纪70年代
    r"|(?<![\w.])\d{1,4}(?:\((?:[a-z]{1,4}|\d{1,2})\))+|\d{1,2}\s?世纪(?:\s?\d0\s?年代)?|(?<!\d)\d0\s?年代"
    r"|(?<![A-Za-z])Q[1-4](?![A-Za-z0-9])|(?:first|second|third|fourth)\s+(?:quarter|half)|[上下]半年|第?[一二三四]季度"
    # HD 40, Boeing 737, Press 2 has
    rf"|(?<![A-Za-z])(?-i:(?!{_NO_NAME})[A-Z]{{2,4}}) \d{{1,4}}(?![\d,.]*\d|\s?%)"
    rf"|(?<=[a-z,]\s)(?-i:[A-Z][a-z]{{2,}}){_NO_MONTH}\s\d{{1,4}}(?!\d|[,.:]\d|\s?(?:%|[a-z]))"
    rf"|(?<![^.;:]\s)(?<![^\s])(?-i:[A-Z][a-z]{{2,}})\s\d{{1,4}}(?=\s(?:{VERBS})\s)"
    r"|(?<![A-Za-z0-9])(?=[A-Za-z][A-Za-z\-]{0,60}\d)[A-Za-z][A-Za-z0-9\-]*\d[A-Za-z0-9\-]*",
    re.IGNORECASE,
)
"""What names a place in a text, a period, a model or a thing rather than a value; it must be equal on both sides."""

EDITION = re.compile(rf"(?<!\d){_YEAR}\s*年?版|(?<![\w.]){_YEAR} (?:edition|version)(?![A-Za-z])", re.IGNORECASE)
"""Which edition of its own text a sentence names; no value, and the dates of the documents tell it."""

_WORKING = r"(?:working|business)\s"
_WORKING_ZH = "个?工作(?=日)"
# Words for a count of things: of 一 only what has a unit, for 一个 is mostly an article.
_COUNTED = "次|位|名|人|件|份|台|辆|架|张|页|字|门|间|户|个(?!月|小时|工作日|星期|半)"
_DIGITS = (
    rf"(?<![A-Za-z0-9.])(?:(?P<cur>[$€£¥]|(?:{'|'.join(CURRENCIES)})(?=\s?\d))\s?)?(?P<n>\d+(?:,\d{{3}})*(?:\.\d+)?)"
    r"(?:\s?(?P<f>万|亿|(?:thousand|million|billion)(?![A-Za-z])))?"
    r"(?:\s?(?P<p>%|percent|per cent)"
    rf"|[\s-]?(?P<work>{_WORKING}|{_WORKING_ZH})?(?P<u>{UNIT})|\s?(?P<q>{MEASURE}))?"
)
_WORDS = (
    rf"(?<![A-Za-z-])(?P<w>{ENGLISH_NUMBER})(?:[\s-](?P<work2>{_WORKING})?(?P<u2>{UNIT})|\s(?P<q2>{MEASURE})"
    r"|\s(?P<p2>percent|per cent)|(?<!one)(?=\s[a-z]{3}))"
)
_SHARE = r"(?P<of>[百千万])分之(?P<h2>\d+(?:\.\d+)?|" + HAN_AMOUNT + ")"
_HAN = (
    rf"(?P<h>{HAN_AMOUNT})(?:(?P<work3>{_WORKING_ZH})?(?P<u3>{UNIT_ZH})(?!度|之前的)"
    rf"|(?P<q3>元|公斤|千克|吨|米|公里|倍)|(?<![一第])(?:{_COUNTED}))"
)
NUMBER = re.compile(
    rf"{_DIGITS}|{_WORDS}|{_SHARE}|{_HAN}|(?<![A-Za-z])(?P<twice>twice|thrice)(?![A-Za-z])", re.IGNORECASE
)
EVERY = re.compile(
    r"(?:(?<![A-Za-z])(?:every|each|once in|once per|once every|intervals? of)\s*|[每隔]\s*)$", re.IGNORECASE
)
"""What stands before a span of time that tells how often."""

CYCLE = re.compile(r"周期|间隔|(?<![A-Za-z])(?:intervals?|frequency)(?![A-Za-z])", re.IGNORECASE)
"""What tells it elsewhere in the sentence."""
