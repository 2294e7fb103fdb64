"""Whether a question asks for a value, and whether a sentence holds one: numbers that measure, not those that name."""

from __future__ import annotations

import re

from services.common.domain.question import Action, ParsedQuestion
from services.orchestrator.domain.periods import DATE

# Figures, and numbers in words before what they count ("not less than two years"; "one of them" counts nothing).
DIGIT = re.compile(
    r"\d|[一二三四五六七八九十百千万亿两半]+(?:[个天日月年元倍%]|小时|分|条|周)|百分之"
    r"|\b(?:(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety"
    r"|hundred|thousand|million|billion|half)(?: or more| calendar| business| working)?"
    r"|one(?: calendar| business| working)?(?= (?:year|month|week|day|hour|minute|percent)\b))(?! of\b)[ -][a-z]",
    re.IGNORECASE,
)
# Digits that name a place in a document or a day, and measure nothing.
REFERENCE = re.compile(
    r"§+\s*[\d.]+(?:\([a-z0-9]+\))*|\b\d+\([a-z]\)(?:-\d+)?|\b(?:Art(?:icle|\.)?|Sec(?:tion|\.)?|comment|part|chapter|No\.)"
    r"\s*[\d.]+|第[\d一二三四五六七八九十百]+[条章节款项]|(?<![\d.])\d+(?:\.\d+){2,}(?![\d.])"
    r"|\b(?:v|versions? |release )?\d+\.x\b|\b(?:v|versions? |release )\d+(?:\.\d+)*|\d+(?:\.\d+)*\s?版",
    re.IGNORECASE,
)
MODEL = re.compile(
    r"(?<![A-Za-z0-9])[A-Za-z]+-?\d[A-Za-z0-9-]*|\b(?!EUR|USD|GBP|CNY|RMB|JPY|HKD|CHF)[A-Z]{2,} \d+(?![\d.,%])"
)
# A row that tells a sentence has its number and its grade beside it.
LABEL_CELL = re.compile(r"(?:^|(?<=; ))(?:[^;:]{1,20}: )?\d{1,2}(?:\.\d+)*(?=;|$)")
LONGEST_LABELS = 60

NUMERIC_ACTIONS = frozenset({Action.QUANTIFY, Action.COMPARE})
_VALUES = (
    "threshold|limit|amount|price|percentage|rate|share|fee|cost|maximum|minimum|number|quantity|weight|height|length"
    "|width|distance|duration|temperature|speed|size"
)
# "Which threshold decides ...?", "Above which amount is ...?", "What is the shortest ...?"
VALUE_ASKED = re.compile(
    rf"\bwhat (?:is|was|are|were) (?:the )?(?:[\w-]+ ){{0,2}}(?:{_VALUES})s?\b"
    r"|\bwhat (?:is|was) the (?:short|long|high|low|larg|small|great)est\b"
    r"|\b(?:which|what) (?:threshold|limit|amount|price|percentage|share|fee)\b"
    r"|\b(?:above|below|over|under|beyond|up to|at) (?:which|what) (?!(?:date|day|point|place|time|stage)\b)"
    r"(?:[\w-]+ ){1,3}(?:is|are|does|do|must|may|can|shall|will)\b"
    r"|(?:上限|下限|门槛|阈值|限额|金额|比例|费率)(?:是|为)",
    re.IGNORECASE,
)


def wants_value(parsed: ParsedQuestion) -> bool:
    """True if only a sentence with a figure can answer."""
    if parsed.asks_number or parsed.action in NUMERIC_ACTIONS:
        return True
    return VALUE_ASKED.search(parsed.question) is not None


def measures(text: str) -> bool:
    """True if the text holds a number that is no date, reference, code, model, or label of its row."""
    if len(text) > LONGEST_LABELS:
        text = LABEL_CELL.sub(" ", text)
    for pattern in (DATE, REFERENCE, MODEL):
        text = pattern.sub(" ", text)
    return DIGIT.search(text) is not None
