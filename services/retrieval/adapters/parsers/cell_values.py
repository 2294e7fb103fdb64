"""Values of spreadsheet cells as their reader sees them: 12.5%, 2024-05-01, 3.00 EUR.

Numbers keep all their digits, whatever the format rounds to.
"""

from __future__ import annotations

import datetime as dt
import re

_LITERAL = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\-\]]*)[^\]]*\]|([€$£¥%])')
_NO_SIGN = re.compile(r"_.|\*.|\[(?!\$)[^\]]*\]")
_PLACE = re.compile(r"[#0?](?:[#0?.,/ ]*[#0?])?(?:E[+-]0+)?")
_QUOTED = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')


def shown_value(value: object, form: str) -> str:
    """The text of a cell with a number format."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, dt.datetime):
        return _moment(value, form)
    if isinstance(value, dt.time):
        return value.isoformat("seconds" if value.second else "minutes")
    if isinstance(value, dt.timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02d}" + (f":{seconds:02d}" if seconds else "")
    if isinstance(value, int | float):
        return _number(value, form)
    return str(value)


def _moment(value: dt.datetime, form: str) -> str:
    """A day without the midnight that no one wrote."""
    with_time = re.search(r"[hs]", _QUOTED.sub("", form), re.IGNORECASE)
    if not with_time and value.time() == dt.time():
        return value.date().isoformat()
    return value.isoformat(" ", "seconds" if value.second else "minutes")


def _number(value: float, form: str) -> str:
    section = _NO_SIGN.sub("", form.split(";")[0]) if form and form != "General" else ""
    place = _PLACE.search(_blanked(section))
    if place is None:
        return plain(value)
    before, after = _literals(section[: place.start()]), _literals(section[place.end() :])
    percent = "%" in before + after
    return f"{before}{plain(round(value * 100, 10) if percent else value)}{after}".strip()


def _blanked(section: str) -> str:
    """The section with what is quoted blanked out, every other character in its place."""
    return _QUOTED.sub(lambda match: " " * len(match.group()), section)


def _literals(part: str) -> str:
    """What a format writes beside the number. A space is kept beside a word."""
    found = "".join(next(group for group in (*match.groups(), "") if group is not None)
                    for match in _LITERAL.finditer(part))  # fmt: skip
    if found and part.startswith(" ") and not found.startswith(" "):
        return f" {found}"
    return found + " " if found and part.endswith(" ") and not found.endswith(" ") else found


def plain(value: float) -> str:
    """A number with all its digits and none that only binary fractions have."""
    if isinstance(value, int) or (value.is_integer() and abs(value) < 1e15):
        return str(int(value))
    return format(value, ".15g")
