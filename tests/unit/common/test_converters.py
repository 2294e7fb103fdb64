"""What travels between the services arrives whole: every field of a message survives both ways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.type import date_pb2

from services.common.converters import document, question, verdict
from services.common.domain.question import Action, OriginKind
from services.common.domain.time import TimeRelation
from services.common.domain.verdict import IssueType, Lock, RemedyKind, Severity, SufficiencyLabel
from trirag.common.v1 import types_pb2
from trirag.perception.v1 import parsed_question_pb2
from trirag.validation.v1 import validation_pb2


def filled(message: Message, number: int = 1) -> Message:
    """Every field set to something that is not its default, no two neighbours alike."""
    if isinstance(message, date_pb2.Date):
        message.year, message.month, message.day = 2026, 3, number % 28 + 1
        return message
    for place, field in enumerate(message.DESCRIPTOR.fields, start=number):
        values = getattr(message, field.name)
        if field.message_type is not None:
            for _ in range(2 if field.is_repeated else 1):
                filled(values.add() if field.is_repeated else values, place)
        elif field.is_repeated:
            values.extend([_value(field, place), _value(field, place + 1)])
        else:
            setattr(message, field.name, _value(field, place))
    return message


def _value(field: FieldDescriptor, number: int) -> Any:
    if field.enum_type is not None:
        return field.enum_type.values[1 + number % (len(field.enum_type.values) - 1)].number
    if field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        return f"{field.name}-{number}"
    return True if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL else number


@pytest.mark.parametrize(
    ("message", "read", "write"),
    [
        (types_pb2.Chunk(), document.from_proto_chunk, document.to_proto_chunk),
        (parsed_question_pb2.ParsedQuestion(), question.from_proto_question, question.to_proto_question),
        (validation_pb2.Verdict(), verdict.from_proto_verdict, verdict.to_proto_verdict),
        (validation_pb2.CheckSufficiencyResponse(), verdict.from_proto_sufficiency, verdict.to_proto_sufficiency),
    ],
    ids=lambda value: value.DESCRIPTOR.name if isinstance(value, Message) else "",
)
def test_no_field_is_lost_on_the_way(
    message: Message, read: Callable[[Any], Any], write: Callable[[Any], Message]
) -> None:
    whole = filled(message)
    assert write(read(whole)) == whole


@pytest.mark.parametrize(
    ("kind", "wrapper", "prefix"),
    [
        (Action, parsed_question_pb2.Action, "ACTION"),
        (OriginKind, parsed_question_pb2.OriginKind, "ORIGIN_KIND"),
        (TimeRelation, parsed_question_pb2.TimeRelation, "TIME_RELATION"),
        (IssueType, validation_pb2.IssueType, "ISSUE_TYPE"),
        (Lock, validation_pb2.Lock, "LOCK"),
        (Severity, validation_pb2.Severity, "SEVERITY"),
        (RemedyKind, validation_pb2.RemedyKind, "REMEDY_KIND"),
        (SufficiencyLabel, validation_pb2.SufficiencyLabel, "SUFFICIENCY_LABEL"),
    ],
)
def test_both_sides_know_the_same_words(kind: Any, wrapper: Any, prefix: str) -> None:
    assert {f"{prefix}_{member.name}" for member in kind} == set(wrapper.keys()) - {f"{prefix}_UNSPECIFIED"}
