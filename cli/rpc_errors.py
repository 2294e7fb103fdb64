"""A failed call as one line: what, why, and what to do about it."""

from __future__ import annotations

import grpc
from google.rpc import error_details_pb2

from cli.errors import RequestFailed
from cli.render.console import one_line
from cli.settings import ClientSettings
from services.common.errors import detail_of

# UNAVAILABLE for these reasons comes of no service: of gRPC itself (no reason), and of Envoy that has none to ask.
_LOST = ("", "NO_HEALTHY_UPSTREAM", "UPSTREAM_CONNECTION_LOST", "UPSTREAM_TIMEOUT")


def request_failed(error: grpc.RpcError, settings: ClientSettings, timeout: float) -> RequestFailed:
    """The exception to end a command with, read from google.rpc.Status where the service sent one."""
    code = error.code()
    details = str(error.details() or "")
    info = detail_of(error, error_details_pb2.ErrorInfo)
    bad = detail_of(error, error_details_pb2.BadRequest)
    retry = detail_of(error, error_details_pb2.RetryInfo)
    reason = info.reason if info else ""
    delay = retry.retry_delay.ToTimedelta().total_seconds() if retry else None
    what = _violations(bad) if bad and bad.field_violations else details
    message = what if info else _without_status(code, details, settings, timeout)
    if delay is not None and "again" not in message:
        message += f"; try again in {delay:g} s"
    cut = info is None and _is_cut(code, details)
    lost = code is grpc.StatusCode.UNAVAILABLE and reason in _LOST
    return RequestFailed(one_line(message), code=code.name, reason=reason, retry_after=delay, cut=cut, lost=lost)


def _is_cut(code: grpc.StatusCode, details: str) -> bool:
    """A proxy that ends a call answers DEADLINE_EXCEEDED, or resets the stream if its response has begun."""
    return code is grpc.StatusCode.DEADLINE_EXCEEDED or (code is grpc.StatusCode.INTERNAL and "RST_STREAM" in details)


def _violations(bad: error_details_pb2.BadRequest) -> str:
    return "; ".join(f"{v.field}: {v.description}" for v in bad.field_violations)


def _without_status(code: grpc.StatusCode, details: str, settings: ClientSettings, timeout: float) -> str:
    """Errors that no TriRAG service wrote: of gRPC itself, or of Envoy."""
    where = settings.target
    if code is grpc.StatusCode.UNAVAILABLE:
        return _unavailable(details, where)
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return f"no answer from {where} within {timeout:g} s; try again, or allow more with --timeout"
    if code is grpc.StatusCode.UNAUTHENTICATED:
        given = "TRIRAG_TOKEN is refused" if settings.token else "a token is required"
        return f"{given} by {where}: {details or 'not authenticated'}; set TRIRAG_TOKEN to a valid JWT"
    if code is grpc.StatusCode.UNIMPLEMENTED:
        return f"{where} does not offer this call: {details}; check TRIRAG_URL and the server's version"
    if code is grpc.StatusCode.CANCELLED:
        return f"the call was cancelled: {details or 'no reason given'}; try again"
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED:
        return f"{where} has no room for the call: {details}; try again in a moment"
    return f"{where} answered {code.name}: {details or 'no reason given'}; `trirag doctor` shows what is down"


def _unavailable(details: str, where: str) -> str:
    lowered = details.lower()
    if "refused" in lowered and "connect" in lowered and "upstream" not in lowered:
        return f"nothing listens on {where}; start TriRAG with `make up`, or set TRIRAG_URL to where it runs"
    if "name resolution" in lowered or "dns" in lowered or "resolve" in lowered:
        return f"{where} cannot be resolved; check TRIRAG_URL"
    if "upstream" in lowered or "no healthy" in lowered:
        return f"a service behind {where} is down: {details}; `trirag doctor` shows which"
    return f"{where} cannot be reached: {details or 'no connection'}; `trirag doctor` shows what is down"
