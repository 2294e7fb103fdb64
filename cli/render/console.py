"""Standard output for results, standard error for everything else; text from outside made safe to print."""

from __future__ import annotations

import json
import sys
import unicodedata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from google.protobuf.message import Message
    from rich.console import Console

PIPE_WIDTH = 160
# They reorder what a terminal shows, so that a document could fake the line that quotes it.
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def out() -> Console:
    """Results."""
    return _console(stderr=False)


def err() -> Console:
    """Progress, notes and errors."""
    return _console(stderr=True)


def _console(*, stderr: bool) -> Console:
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else PIPE_WIDTH
    return Console(file=stream, width=width, highlight=False, markup=False, emoji=False)


def note(text: str) -> None:
    """One line on stderr."""
    print(f"trirag: {clean(one_line(text))}", file=sys.stderr, flush=True)


def print_json(document: Message | dict[str, Any] | list[Any]) -> None:
    """One JSON document and nothing else on stdout."""
    data = document if isinstance(document, (dict, list)) else to_dict(document)
    sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=2) + "\n")
    sys.stdout.flush()


def to_dict(message: Message) -> dict[str, Any]:
    """A message with the field names of its contract; fields that are not set show their default."""
    from google.protobuf import json_format

    return json_format.MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )


def clean(text: str) -> str:
    """Text without what would steer a terminal: control characters and direction marks become U+FFFD."""
    if text.isprintable():
        return text
    return "".join("\ufffd" if _steers(char) else char for char in text)


def _steers(char: str) -> bool:
    return (unicodedata.category(char) in ("Cc", "Cs") and char not in "\n\t") or char in _BIDI


def one_line(text: str) -> str:
    """White space squeezed, line breaks included."""
    return " ".join(text.split())


def shorten(text: str, limit: int) -> str:
    """At most ``limit`` characters on one line, an ellipsis where something was cut."""
    line = clean(one_line(text))
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
