"""Spans, intervals, and enums that differ from their protobuf names only by a prefix."""

from __future__ import annotations

import enum
from typing import Any, TypeVar

from services.common.dates import from_proto_date, to_proto_date
from services.common.domain.question import Span
from services.common.domain.time import DayInterval
from services.common.errors import InvalidInput
from trirag.common.v1 import types_pb2

E = TypeVar("E", bound=enum.StrEnum)


def to_proto_span(span: Span) -> types_pb2.TextSpan:
    """Code points, end exclusive, on both sides."""
    return types_pb2.TextSpan(start=span.start, end=span.end)


def from_proto_span(message: types_pb2.TextSpan) -> Span:
    """An unset span is (0, 0)."""
    return Span(message.start, message.end)


def to_proto_interval(interval: DayInterval) -> types_pb2.DayInterval:
    """Open ends stay unset."""
    return types_pb2.DayInterval(start=to_proto_date(interval.start), end=to_proto_date(interval.end))


def from_proto_interval(message: types_pb2.DayInterval, field: str) -> DayInterval:
    """Raises InvalidInput for a date that does not exist or an interval that ends before it starts."""
    start = from_proto_date(message.start, f"{field}.start") if message.HasField("start") else None
    end = from_proto_date(message.end, f"{field}.end") if message.HasField("end") else None
    try:
        return DayInterval(start, end)
    except ValueError as error:
        raise InvalidInput.of_field(field, f"{error}; swap the two days", "INVALID_INTERVAL") from None


def to_proto_enum(wrapper: Any, prefix: str, value: enum.StrEnum) -> Any:
    """``Action.HOW_TO`` to ACTION_HOW_TO."""
    return wrapper.Value(f"{prefix}_{value.name}")


def from_proto_enum(wrapper: Any, prefix: str, kind: type[E], number: int, default: E) -> E:
    """ACTION_HOW_TO to ``Action.HOW_TO``; unset and unknown numbers give the default."""
    try:
        name = wrapper.Name(number).removeprefix(f"{prefix}_")
    except ValueError:
        return default
    return kind.__members__.get(name, default)
