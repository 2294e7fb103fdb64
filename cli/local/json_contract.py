"""What JSON bodies may hold, read from the contracts, as tables for envoy/json_fields.lua."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from google.api import annotations_pb2, http_pb2
from google.protobuf import descriptor_pb2

SCALAR, ANYTHING = "", "*"
_MESSAGE = descriptor_pb2.FieldDescriptorProto.TYPE_MESSAGE


@dataclass(frozen=True, slots=True)
class JsonContract:
    """`bodies`: message of the JSON body by path; `messages`: type by field name, for every message in reach."""

    bodies: dict[str, str]
    messages: dict[str, dict[str, str]]

    def lua(self) -> str:
        """The tables BODIES and MESSAGES."""
        lines = ["BODIES = {"]
        lines += [f'  ["{path}"] = "{message}",' for path, message in sorted(self.bodies.items())]
        lines += ["}", "MESSAGES = {"]
        for message, fields in sorted(self.messages.items()):
            entries = ", ".join(f'["{name}"] = "{kind}"' for name, kind in sorted(fields.items()))
            lines.append(f'  ["{message}"] = {{{entries}}},')
        return "\n".join([*lines, "}", ""])


def json_contract(image: descriptor_pb2.FileDescriptorSet, services: Iterable[str]) -> JsonContract:
    """The bodies of all methods of `services` (full names) whose google.api.http option has one on a fixed path."""
    known = {name: message for file in image.file for name, message in _messages(file.package, file.message_type)}
    wanted = set(services)
    bodies: dict[str, str] = {}
    for file in image.file:
        for service in file.service:
            if f"{file.package}.{service.name}" in wanted:
                for method in service.method:
                    bodies.update(_bodies(method, known))
    messages: dict[str, dict[str, str]] = {}
    waiting = list(bodies.values())
    while waiting:
        name = waiting.pop()
        if name in known and name not in messages:
            messages[name] = _fields(known[name], known)
            waiting += messages[name].values()
    return JsonContract({path: name for path, name in bodies.items() if name in messages}, messages)


def _messages(
    prefix: str, messages: Iterable[descriptor_pb2.DescriptorProto]
) -> Iterable[tuple[str, descriptor_pb2.DescriptorProto]]:
    for message in messages:
        name = f"{prefix}.{message.name}"
        yield name, message
        yield from _messages(name, message.nested_type)


def _bodies(
    method: descriptor_pb2.MethodDescriptorProto, known: dict[str, descriptor_pb2.DescriptorProto]
) -> dict[str, str]:
    if not method.options.HasExtension(annotations_pb2.http):
        return {}
    rule: http_pb2.HttpRule = method.options.Extensions[annotations_pb2.http]
    request = method.input_type.lstrip(".")
    found = {}
    for each in (rule, *rule.additional_bindings):
        path = each.post or each.put or each.patch
        if path and each.body and "{" not in path:
            kind = request if each.body == "*" else _fields(known[request], known).get(each.body, ANYTHING)
            found[path] = kind
    return found


def _fields(
    message: descriptor_pb2.DescriptorProto, known: dict[str, descriptor_pb2.DescriptorProto]
) -> dict[str, str]:
    """Type by field name, under the contract's name and in camelCase."""
    found = {}
    for field in message.field:
        kind = SCALAR
        if field.type == _MESSAGE:
            kind = field.type_name.lstrip(".")
            # Well-known types have JSON forms of their own, and a map's keys are the caller's.
            opaque = kind.startswith("google.protobuf.") or (kind in known and known[kind].options.map_entry)
            kind = ANYTHING if opaque else kind
        found[field.name] = kind
        found[re.sub(r"_([a-z0-9])", lambda m: m.group(1).upper(), field.name)] = kind
    return found
