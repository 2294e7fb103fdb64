"""Domain errors, and the one mapping from them to google.rpc.Status.

Servicers raise these; the error interceptor turns them into a status with ErrorInfo (reason, domain
``trirag``, metadata), BadRequest for faulty fields and RetryInfo where a retry helps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import grpc
from google.protobuf import duration_pb2
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

M = TypeVar("M", bound=Message)
ERROR_DOMAIN = "trirag"
STATUS_DETAILS_KEY = "grpc-status-details-bin"


@dataclass(frozen=True, slots=True)
class FieldViolation:
    """One faulty field: its path, what is wrong and how to mend it, and a machine-readable reason."""

    field: str
    description: str
    reason: str = "INVALID"


@dataclass(eq=False)
class TriragError(Exception):
    """Base of all errors that may reach a client; the message is written for them.

    ``reason`` is UPPER_SNAKE_CASE and stable; ``retry_after`` is in seconds, set only where a retry helps.
    """

    reason: str
    message: str
    violations: Sequence[FieldViolation] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)
    retry_after: float | None = None

    code = grpc.StatusCode.INTERNAL

    def __str__(self) -> str:
        return f"{self.reason}: {self.message}"


class InvalidInput(TriragError):
    """The request is at fault."""

    code = grpc.StatusCode.INVALID_ARGUMENT

    @classmethod
    def of_field(cls, name: str, description: str, reason: str = "INVALID_FIELD") -> InvalidInput:
        """One faulty field."""
        return cls.many([FieldViolation(name, description, reason)], reason)

    @classmethod
    def many(cls, violations: Sequence[FieldViolation], reason: str = "INVALID_FIELDS") -> InvalidInput:
        """Every faulty field at once."""
        return cls(reason, "; ".join(f"{v.field}: {v.description}" for v in violations), tuple(violations))


class NotFound(TriragError):
    """The named thing does not exist, or the caller may not know that it does."""

    code = grpc.StatusCode.NOT_FOUND


class AlreadyExists(TriragError):
    """There is one of that name."""

    code = grpc.StatusCode.ALREADY_EXISTS


class FailedPrecondition(TriragError):
    """The system's state does not allow it; a retry alone does not help."""

    code = grpc.StatusCode.FAILED_PRECONDITION


class PermissionDenied(TriragError):
    """The caller may not do this."""

    code = grpc.StatusCode.PERMISSION_DENIED


class Unavailable(TriragError):
    """A part that is needed is down; a retry helps."""

    code = grpc.StatusCode.UNAVAILABLE


class Overloaded(TriragError):
    """More is in flight than this process admits; a retry helps."""

    code = grpc.StatusCode.RESOURCE_EXHAUSTED


class DeadlineExceeded(TriragError):
    """The caller's deadline has passed."""

    code = grpc.StatusCode.DEADLINE_EXCEEDED


class Internal(TriragError):
    """A fault of TriRAG's own."""

    code = grpc.StatusCode.INTERNAL


def to_status(error: TriragError) -> status_pb2.Status:
    """The google.rpc.Status of an error, details included."""
    status = status_pb2.Status(code=error.code.value[0], message=error.message)
    info = error_details_pb2.ErrorInfo(reason=error.reason, domain=ERROR_DOMAIN, metadata=dict(error.metadata))
    status.details.add().Pack(info)
    if error.violations:
        bad = error_details_pb2.BadRequest()
        for v in error.violations:
            bad.field_violations.add(field=v.field, description=v.description, reason=v.reason)
        status.details.add().Pack(bad)
    if error.retry_after is not None:
        retry = error_details_pb2.RetryInfo()
        retry.retry_delay.CopyFrom(_duration(error.retry_after))
        status.details.add().Pack(retry)
    return status


def _duration(seconds: float) -> duration_pb2.Duration:
    nanos = round(seconds * 1e9)
    return duration_pb2.Duration(seconds=nanos // 10**9, nanos=nanos % 10**9)


def detail_of(error: grpc.RpcError, kind: type[M]) -> M | None:
    """What a failed call carries of a kind, such as ErrorInfo, BadRequest or RetryInfo, if it carries any."""
    status = status_of(error)
    for packed in status.details if status else ():
        found = kind()
        if packed.Unpack(found):
            return found
    return None


def status_of(error: grpc.RpcError) -> status_pb2.Status | None:
    """The google.rpc.Status that a failed call carries in its trailing metadata, if it carries one."""
    for key, value in error.trailing_metadata() or ():
        if key == STATUS_DETAILS_KEY and isinstance(value, bytes):
            return status_pb2.Status.FromString(value)
    return None
