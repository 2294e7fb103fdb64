"""Values of spreadsheet cells as their reader sees them: 12.5%, 2024-05-01, 3.00 EUR.

Numbers keep all their digits, whatever the format rounds to.
"""

from __future__ import annotations

import datetime as dt
import operator
import re
from decimal import Decimal

_LITERAL = re.compile(r'"([^"]*)"|[\\!](.)|\[\$([^\-\]]*)[^\]]*\]|([€$£¥%])')
_NO_SIGN = re.compile(r"_.|\*.|\[(?!\$)[^\]]*\]")
_PLACE = re.compile(r"[#0?](?:[#0?.,/ ]*[#0?])?(?:E[+-]0+)?")
_QUOTED = re.compile(r'"[^"]*"|[\\!].|\[[^\]]*\]')
_CONDITION = re.compile(r"\[(<=|>=|<>|<|>|=)\s*(-?\d{1,15}(?:\.\d{1,9})?)\]")
_HOLDS = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq, "<>": operator.ne,
}  # fmt: skip
_ZEROS = re.compile("0{2,}")
_DIGIT_PLACES = re.compile("[#0?]")
# Each comma before the point or behind the last digit makes what is shown a thousand times smaller.
_COMMAS = re.compile(r"(?<!,)(,+)\.")


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
    return _text(str(value), form)


def _text(value: str, form: str) -> str:
    """A text with the words that its format puts around it."""
    section = form.rsplit(";", 1)[-1]
    before, place, after = _blanked(section).partition("@")
    if not place or not _LITERAL.search(section):
        return value
    return f"{_literals(section[: len(before)])}{value}{_literals(section[len(section) - len(after) :])}"


def _moment(value: dt.datetime, form: str) -> str:
    """A day without the midnight that no one wrote."""
    with_time = re.search(r"[hs]", _QUOTED.sub("", form), re.IGNORECASE)
    if not with_time and value.time() == dt.time():
        return value.date().isoformat()
    return value.isoformat(" ", "seconds" if value.second else "minutes")


def _number(value: float, form: str) -> str:
    section = _NO_SIGN.sub("", _section(value, form)) if form and form != "General" else ""
    blanked = _blanked(section)
    place = _PLACE.search(blanked)
    if place is None:
        return _words_for(value, form) or plain(value)
    rest = section[place.end() :].lstrip(",")
    commas = _COMMAS.search(place.group())
    thousands = len(section) - place.end() - len(rest) + (len(commas[1]) if commas else 0)
    tenths = _tenths(section[place.start() : place.end()], place.group())
    if tenths is None or _DIGIT_PLACES.search(blanked, place.end()):
        return plain(value)
    before, after = _literals(section[: place.start()]), _literals(rest)
    percent = "%" in before + after
    shown = round(value * 100, 10) if percent else value
    scale = 3 * thousands + tenths
    digits = plain(float(Decimal(repr(shown)).scaleb(-scale)) if scale else shown)
    if _ZEROS.fullmatch(place.group()):  # a code of so many digits
        digits = digits.zfill(len(place.group()) + digits.startswith("-"))
    return f"{before}{digits}{after}".strip()


def _words_for(value: float, form: str) -> str:
    """The words that a format shows in the place of a number: "yes";"no";"none" for those above, below and at 0."""
    sections = form.split(";")
    index = 0 if value > 0 else 1 if value < 0 else 2
    section = sections[index if index < len(sections) else 0]
    return "" if _PLACE.search(_blanked(section)) else "".join(re.findall(r'"([^"]*)"', section)).strip()


def _section(value: float, form: str) -> str:
    """The section of a format for a value: the first one whose condition holds."""
    sections = form.split(";")
    for section in sections if _CONDITION.search(form) else ():
        condition = _CONDITION.search(section)
        if condition is None or _HOLDS[condition[1]](value, float(condition[2])):
            return section
    return sections[0]


def _tenths(place: str, blanked: str) -> int | None:
    """How many digits stand behind a point that is written between them as a mere character, as in ``0!.0``: each makes
    what is shown ten times smaller. None for other characters between the digits, as telephone numbers have."""
    written = _literals(place).strip()
    if not written:
        return 0 if place == blanked else None
    if written != "." or "." in blanked:
        return None
    return len(_DIGIT_PLACES.findall(blanked[blanked.rindex("  ") :]))


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
