"""Between datetime.date and google.type.Date, and what day it is for a caller."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from google.type import date_pb2

from services.common.errors import InvalidInput


def to_proto_date(day: date | None) -> date_pb2.Date | None:
    """None stays None."""
    return None if day is None else date_pb2.Date(year=day.year, month=day.month, day=day.day)


def from_proto_date(message: date_pb2.Date, field: str) -> date:
    """A full calendar date.

    Raises:
        InvalidInput: the message is not a real day (a year or month alone is not accepted).
    """
    try:
        return date(message.year, message.month, message.day)
    except ValueError:
        written = f"{message.year:04d}-{message.month:02d}-{message.day:02d}"
        raise InvalidInput.of_field(
            field, f"{written} is not a calendar day; give year, month and day", "INVALID_DATE"
        ) from None


def today_in(time_zone: str, field: str = "time_zone") -> date:
    """Today in a time zone; empty means UTC.

    Raises:
        InvalidInput: the name is that of no time zone.
    """
    if not time_zone:
        return datetime.now(UTC).date()
    try:
        return datetime.now(ZoneInfo(time_zone)).date()
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidInput.of_field(
            field, f"{time_zone!r} is no IANA time zone; write one such as Asia/Shanghai", "UNKNOWN_TIME_ZONE"
        ) from None
