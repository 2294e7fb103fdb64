"""Dates that a document states about itself, for metadata that lacks them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from services.common.domain.months import MONTHS

_MONTH = r"(?P<month_name>[A-Za-z]{3,9})\.?"
_DAY_FORMS = (
    r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})",
    r"(?P<year>\d{4})\s*年\s*(?P<month>\d{1,2})\s*月\s*(?P<day>\d{1,2})\s*日",
    _MONTH + r"\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<year>\d{4})",
    r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\s+" + _MONTH + r",?\s+(?P<year>\d{4})",
)
_MARK = r"\s*[*_]{0,3}\s*"
# A document says of itself "this policy takes effect on"; what the law takes effect on says nothing of the document.
_TAKES_EFFECT = (
    r"(?<![A-Za-z])(?:this|these)\s+(?:[A-Za-z]+\s+){1,4}?(?:(?:shall|will)\s+)?"
    r"(?:takes?\s+effect|(?:comes?|enters?)\s+into\s+(?:force|effect)|appl(?:y|ies)|(?:is|are|becomes?|be)\s+(?:effective|valid|in\s+force))"
    r"\s+(?:with\s+effect\s+)?(?:on|from|as\s+of|since)\s+(?:the\s+)?"
)
# Behind 的 it is another document's: 自1999年1月1日起施行的办法同时废止.
_NOT_OF_ANOTHER = r"(?!的|之)"
# A day of publication or change stands by itself; before an object it tells of something else: 公布了《办法》, 发布会.
_BY_ITSELF = r"(?=并|施行|实施|_|[^\w《“\"「『]|$)"
_LEADS: dict[str, tuple[tuple[str, str], ...]] = {
    "effective_from": (
        (r"(?:[自从于]\s*)?", r"\s*(?:起|开始)\s*(?:正式)?(?:施行|实施|生效|执行)" + _NOT_OF_ANOTHER),
        (_TAKES_EFFECT, ""),
        (r"(?:施行|实施|生效)(?:日期|时间)?" + _MARK + r"[:：]" + _MARK, ""),
        (
            r"(?:effective(?:\s+(?:date|from|as of|on|since))?|in force (?:from|since)|applies from|valid from)"
            + _MARK
            + r"[:：]?"
            + _MARK,
            "",
        ),
    ),
    "effective_to": (
        (r"(?:有效期至|失效日期|废止日期)" + _MARK + r"[:：]?" + _MARK, ""),
        (
            r"(?:expires(?:\s+on)?|expiry date|valid until|effective until|in force until)" + _MARK + r"[:：]?" + _MARK,
            "",
        ),
    ),
    "published_at": (
        (r"(?:发布|公布|印发|颁布)(?:日期|时间)?" + _MARK + r"[:：]" + _MARK, ""),
        ("", r"\s*(?:发布|公布|印发|颁布)" + _BY_ITSELF),
        (
            r"(?:published(?:\s+on)?|publication date|date of publication|issued(?:\s+on)?|issue date)"
            + _MARK
            + r"[:：]?"
            + _MARK,
            "",
        ),
    ),
    "updated_at": (
        (r"(?:更新|修订|修改)(?:日期|时间|于)" + _MARK + r"[:：]?" + _MARK, ""),
        ("", r"\s*(?:更新|修订|修正|修改)" + _BY_ITSELF),
        (
            r"(?:last updated(?:\s+on)?|updated(?:\s+on)?|last modified|last revised|revised on)"
            + _MARK
            + r"[:：]?"
            + _MARK,
            "",
        ),
    ),
}
_PATTERNS: dict[str, list[re.Pattern[str]]] = {
    field: [re.compile(lead + form + tail, re.IGNORECASE) for lead, tail in leads for form in _DAY_FORMS]
    for field, leads in _LEADS.items()
}
# A document says when it takes effect at its beginning or its end; in between it speaks of other things.
_EDGE = 3_000


@dataclass(frozen=True, slots=True)
class StatedDates:
    """Days by metadata field name; a field is absent if the text does not state it."""

    days: dict[str, date]


def stated_dates(text: str) -> StatedDates:
    """The dates that the beginning or the end of ``text`` states; the first statement of each wins."""
    parts = (text,) if len(text) <= 2 * _EDGE else (text[:_EDGE], text[-_EDGE:])
    days: dict[str, date] = {}
    for field, patterns in _PATTERNS.items():
        for part in parts:
            found = _first(part, patterns)
            if found is not None:
                days[field] = found
                break
    start, end = days.get("effective_from"), days.get("effective_to")
    if start and end and start > end:
        del days["effective_to"]
    return StatedDates(days)


def _first(text: str, patterns: list[re.Pattern[str]]) -> date | None:
    hits = [(match.start(), match) for pattern in patterns if (match := pattern.search(text))]
    for _, match in sorted(hits, key=lambda item: item[0]):
        day = _to_date(match)
        if day is not None:
            return day
    return None


def _to_date(match: re.Match[str]) -> date | None:
    groups = match.groupdict()
    name = groups.get("month_name")
    month = MONTHS.get(name.lower()) if name else int(groups["month"])
    if month is None:
        return None
    try:
        return date(int(groups["year"]), month, int(groups["day"]))
    except ValueError:
        return None
