"""Declarative request validation from the field options of common/v1/field_rules.proto.

The rules are read from the descriptors once for each message type; a check walks only fields that carry
rules or lead to messages that do.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from services.common.errors import FieldViolation
from trirag.common.v1 import field_rules_pb2

MAX_VIOLATIONS = 32


@dataclass(frozen=True, slots=True)
class _FieldPlan:
    name: str
    repeated: bool
    is_map: bool
    is_message: bool
    is_enum: bool
    has_presence: bool
    rules: field_rules_pb2.FieldRules | None
    pattern: re.Pattern[str] | None
    descend: bool


def violations(message: Message) -> list[FieldViolation]:
    """Every broken rule of a message and of the messages in it, at most :data:`MAX_VIOLATIONS`."""
    found: list[FieldViolation] = []
    for violation in _walk(message, ""):
        found.append(violation)
        if len(found) == MAX_VIOLATIONS:
            break
    return found


@lru_cache(maxsize=512)
def _plans(descriptor: Descriptor) -> tuple[_FieldPlan, ...]:
    plans = [_plan(field) for field in descriptor.fields]
    return tuple(p for p in plans if p.rules is not None or p.descend)


@lru_cache(maxsize=512)
def _has_rules(descriptor: Descriptor, seen: frozenset[str] = frozenset()) -> bool:
    if descriptor.full_name in seen or descriptor.full_name.startswith("google."):
        return False
    below = seen | {descriptor.full_name}
    return any(
        field.GetOptions().HasExtension(field_rules_pb2.rules)
        or (field.message_type is not None and _has_rules(field.message_type, below))
        for field in descriptor.fields
    )


def _plan(field: FieldDescriptor) -> _FieldPlan:
    options = field.GetOptions()
    rules = options.Extensions[field_rules_pb2.rules] if options.HasExtension(field_rules_pb2.rules) else None
    is_map = field.message_type is not None and field.message_type.GetOptions().map_entry
    return _FieldPlan(
        name=field.name,
        repeated=field.is_repeated,
        is_map=is_map,
        is_message=field.message_type is not None,
        is_enum=field.enum_type is not None,
        has_presence=field.has_presence,
        rules=rules,
        pattern=re.compile(rules.pattern) if rules is not None and rules.pattern else None,
        descend=field.message_type is not None and not is_map and _has_rules(field.message_type),
    )


def _walk(message: Message, prefix: str) -> Iterator[FieldViolation]:
    for plan in _plans(message.DESCRIPTOR):
        path = prefix + plan.name
        value = getattr(message, plan.name)
        if plan.repeated:
            yield from _repeated(plan, path, value)
        elif plan.has_presence and not message.HasField(plan.name):
            if plan.rules is not None and plan.rules.required:
                yield FieldViolation(path, "is required", "REQUIRED")
        else:
            yield from _single(plan, path, value)
            if plan.descend:
                yield from _walk(value, path + ".")


def _repeated(plan: _FieldPlan, path: str, values: object) -> Iterator[FieldViolation]:
    items = list(values)  # type: ignore[call-overload]
    if plan.rules is not None:
        least = max(plan.rules.min_items, 1 if plan.rules.required else 0)
        if len(items) < least:
            yield FieldViolation(path, f"needs at least {least} element(s), has {len(items)}", "TOO_FEW_ITEMS")
        if plan.rules.max_items and len(items) > plan.rules.max_items:
            yield FieldViolation(
                path, f"takes at most {plan.rules.max_items} elements, has {len(items)}", "TOO_MANY_ITEMS"
            )
            return
    for index, item in enumerate(items):
        here = f"{path}[{index}]"
        if plan.descend:
            yield from _walk(item, here + ".")
        elif not plan.is_message and not plan.is_map:
            yield from _single(plan, here, item)


def _single(plan: _FieldPlan, path: str, value: object) -> Iterator[FieldViolation]:
    rules = plan.rules
    if rules is None or plan.is_message:
        return
    if isinstance(value, str):
        yield from _text(plan, path, value)
    elif isinstance(value, bytes):
        if rules.required and not value:
            yield FieldViolation(path, "is required", "REQUIRED")
        if rules.max_len and len(value) > rules.max_len:
            yield FieldViolation(path, f"takes at most {rules.max_len} bytes, has {len(value)}", "TOO_LONG")
    elif isinstance(value, float) and math.isnan(value):
        yield FieldViolation(path, "must be a number, is NaN", "NOT_A_NUMBER")
    elif isinstance(value, (int, float)):
        if plan.is_enum and rules.required and value == 0:
            yield FieldViolation(path, "is required", "REQUIRED")
        if rules.HasField("gte") and value < rules.gte:
            yield FieldViolation(path, f"must be at least {_number(rules.gte)}, is {_number(value)}", "TOO_SMALL")
        if rules.HasField("lte") and value > rules.lte:
            yield FieldViolation(path, f"must be at most {_number(rules.lte)}, is {_number(value)}", "TOO_LARGE")


def _number(value: float) -> str:
    """Every digit of it; whole numbers without a decimal point."""
    return str(int(value)) if float(value).is_integer() else str(value)


def _text(plan: _FieldPlan, path: str, value: str) -> Iterator[FieldViolation]:
    rules = plan.rules
    assert rules is not None
    length = len(value.strip())
    if rules.required and not length:
        yield FieldViolation(path, "is required and must not be blank", "REQUIRED")
        return
    if not value:
        return
    if rules.min_len and length < rules.min_len:
        yield FieldViolation(path, f"needs at least {rules.min_len} characters, has {length}", "TOO_SHORT")
    if rules.max_len and len(value) > rules.max_len:
        yield FieldViolation(path, f"takes at most {rules.max_len} characters, has {len(value)}", "TOO_LONG")
    elif plan.pattern is not None and not plan.pattern.fullmatch(value):
        yield FieldViolation(path, f"{value[:80]!r} does not match {rules.pattern}", "PATTERN")
