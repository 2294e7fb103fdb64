"""Options that several commands share, and how they are read."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.errors import UsageProblem

if TYPE_CHECKING:
    from cli.client import Client

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
KbOption = Annotated[str, typer.Option("--kb", metavar="NAME", help="Knowledge base.")]
KbOptions = Annotated[
    list[str] | None, typer.Option("--kb", metavar="NAME", help="Knowledge base; may be given several times.")
]
AsOfOption = Annotated[
    str | None,
    typer.Option("--as-of", metavar="DATE", help="Day the question is asked about, YYYY-MM-DD; default: today."),
]
OfflineFlag = Annotated[bool, typer.Option("--offline", help="Judge in this process; no server is called.")]

#: Deadline of an Ask. A small model on a laptop may write several drafts; the policy's `limits.max_seconds` is shorter.
ASK_SECONDS = 170.0


@dataclass(frozen=True, slots=True)
class GlobalOptions:
    """What stands before the command's name."""

    url: str | None = None
    timeout: float | None = None


def connect(context: typer.Context, default_timeout: float = 30.0) -> Client:
    """The client that the options and the environment describe; ``default_timeout`` is in seconds."""
    from cli.client import Client
    from cli.settings import read_settings

    given = context.find_object(GlobalOptions) or GlobalOptions()
    return Client(read_settings(given.url, given.timeout), default_timeout)


def parse_day(name: str, written: str | None) -> date | None:
    """A calendar day, or None where none is given.

    Raises:
        UsageProblem: not a day in the form YYYY-MM-DD.
    """
    if written is None:
        return None
    try:
        if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", written):
            raise ValueError
        return date.fromisoformat(written)
    except ValueError:
        raise UsageProblem(f"{name}: {written!r} is no calendar day; write YYYY-MM-DD, such as 2024-05-01") from None


def chosen(names: list[str] | None) -> list[str]:
    """The knowledge bases that were given.

    Raises:
        UsageProblem: a name is blank, most often an unset variable of a script.
    """
    if any(not name.strip() for name in names or []):
        raise UsageProblem("--kb: the name is empty; give the name of a knowledge base, or leave --kb out")
    return names or []


def read_text_argument(name: str, written: str) -> str:
    """The argument, or standard input for ``-``; UTF-8 either way.

    Raises:
        UsageProblem: the bytes are not UTF-8.
    """
    try:
        if written == "-":
            return sys.stdin.buffer.read().decode("utf-8-sig").rstrip("\r\n")
        written.encode("utf-8")
    except UnicodeError:
        raise UsageProblem(f"{name}: is not UTF-8 text; check the terminal's or the file's encoding") from None
    return written


def to_date(day: date | None) -> Any:
    """google.type.Date, None for None."""
    from services.common.dates import to_proto_date

    return to_proto_date(day)
