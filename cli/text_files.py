"""Text files that a command is given."""

from __future__ import annotations

import sys
from pathlib import Path

from cli.errors import UsageProblem

STDIN = "-"


def read_text(path: Path, what: str = "a readable file") -> str:
    """The text of a file in UTF-8 without its byte order mark, or of standard input for ``-``.

    Raises:
        UsageProblem: it cannot be read; ``what`` to name instead.
    """
    try:
        raw = sys.stdin.buffer.read() if str(path) == STDIN else path.read_bytes()
        return raw.decode("utf-8-sig")
    except OSError as error:
        raise UsageProblem(f"{path}: {error.strerror or error}; name {what}") from None
    except UnicodeDecodeError:
        raise UsageProblem(f"{name_of(path)}: is not UTF-8 text; save it as UTF-8") from None


def name_of(path: Path) -> str:
    """A file as messages name it."""
    return "standard input" if str(path) == STDIN else str(path)
