"""What can end a command, with the exit status that the shell sees."""

from __future__ import annotations

from dataclasses import dataclass

EXIT_OK = 0
EXIT_FAILED = 1
EXIT_USAGE = 2


@dataclass(eq=False)
class CliError(Exception):
    """Ends the command with one line on stderr that says what, why and what to do."""

    message: str
    status: int = EXIT_FAILED

    def __str__(self) -> str:
        return self.message


class UsageProblem(CliError):
    """What was typed, or a file that was named, is at fault: exit status 2."""

    def __init__(self, message: str) -> None:
        super().__init__(message, EXIT_USAGE)


@dataclass(eq=False)
class RequestFailed(CliError):
    """A service refused or failed the request: exit status 1.

    ``code`` is the gRPC status code's name, ``reason`` the machine-readable reason where one came along,
    ``retry_after`` the seconds that the service asks to wait before a retry, or None. ``cut``: no service ended the
    call, but what lies between. ``lost``: no connection, or none any more, to what lies between or to the service.
    """

    code: str = "UNKNOWN"
    reason: str = ""
    retry_after: float | None = None
    cut: bool = False
    lost: bool = False
