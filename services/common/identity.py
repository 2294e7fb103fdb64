"""Who is asking, as the edge established it. Carried in request metadata, never in a message."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from services.common.errors import PermissionDenied

SUBJECT_HEADER = "x-trirag-subject"
GROUPS_HEADER = "x-trirag-groups"
REQUEST_ID_HEADER = "x-request-id"
# gRPC takes only printable ASCII in a header, and bytes where its name ends so. The edge writes UTF-8 and removes what
# a client sends under either name.
BINARY = "-bin"


@dataclass(frozen=True, slots=True)
class Identity:
    """The caller. Empty ``groups`` sees public documents only."""

    subject: str = "anonymous"
    groups: tuple[str, ...] = ()


ANONYMOUS = Identity()
_identity: ContextVar[Identity] = ContextVar("trirag_identity", default=ANONYMOUS)
_request_id: ContextVar[str] = ContextVar("trirag_request_id", default="")


def current_identity() -> Identity:
    """The caller of the RPC being served."""
    return _identity.get()


def require_member(group: str, reason: str, what: str) -> None:
    """Refuses a caller who is no member of ``group`` to do ``what``; an empty group lets everyone.

    Raises:
        PermissionDenied: with ``reason``.
    """
    if group and group not in current_identity().groups:
        raise PermissionDenied(
            reason,
            f"only members of the group {group} may {what}; use a token that names it",
            metadata={"group": group},
        )


def current_request_id() -> str:
    """The request id of the RPC being served; empty outside of one."""
    return _request_id.get()


def identity_from_metadata(metadata: Iterable[tuple[str, str | bytes]]) -> Identity:
    """Reads the headers that the edge or :func:`identity_metadata` sets; groups are separated by white space."""
    values = {
        key.removesuffix(BINARY): value.decode("utf-8", "replace") if isinstance(value, bytes) else value
        for key, value in metadata
    }
    groups = tuple(sorted(set(values.get(GROUPS_HEADER, "").split())))
    return Identity(values.get(SUBJECT_HEADER) or ANONYMOUS.subject, groups)


def identity_metadata() -> list[tuple[str, str | bytes]]:
    """Headers that carry the current identity and request id downstream."""
    identity, request_id = _identity.get(), _request_id.get()
    headers = [_header(SUBJECT_HEADER, identity.subject)]
    if identity.groups:
        headers.append(_header(GROUPS_HEADER, " ".join(identity.groups)))
    if request_id:
        headers.append((REQUEST_ID_HEADER, request_id))
    return headers


def _header(name: str, value: str) -> tuple[str, str | bytes]:
    return (name, value) if value.isascii() and value.isprintable() else (name + BINARY, value.encode())


@contextmanager
def acting_as(identity: Identity, request_id: str = "") -> Iterator[None]:
    """Sets the identity and request id for the code inside."""
    identity_token, request_token = _identity.set(identity), _request_id.set(request_id)
    try:
        yield
    finally:
        # An async generator closed from another context cannot reset; its context ends with it anyway.
        try:
            _identity.reset(identity_token)
            _request_id.reset(request_token)
        except ValueError:
            pass
