"""What a call ended with, read from its context and exception."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import grpc

_BY_NUMBER = {code.value[0]: code for code in grpc.StatusCode}


@contextmanager
def telling_outcome(context: grpc.aio.ServicerContext, tell: Callable[[grpc.StatusCode], None]) -> Iterator[None]:
    """Tells the status code of the call that is served inside, however it ends."""
    error: BaseException | None = None
    try:
        yield
    except BaseException as caught:
        error = caught
        raise
    finally:
        tell(outcome(context, error))


def outcome(context: grpc.aio.ServicerContext, error: BaseException | None) -> grpc.StatusCode:
    """The status code that the client sees."""
    if error is None:
        return _named(context.code())
    if isinstance(error, (asyncio.CancelledError, GeneratorExit)):
        remaining = context.time_remaining()
        expired = remaining is not None and remaining <= 0
        return grpc.StatusCode.DEADLINE_EXCEEDED if expired else grpc.StatusCode.CANCELLED
    code = _named(context.code())
    return grpc.StatusCode.UNKNOWN if code is grpc.StatusCode.OK else code


def _named(code: object) -> grpc.StatusCode:
    if isinstance(code, grpc.StatusCode):
        return code
    return _BY_NUMBER.get(code, grpc.StatusCode.UNKNOWN) if isinstance(code, int) else grpc.StatusCode.OK
