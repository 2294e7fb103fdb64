"""docs/cli.md names no command and no option that the command does not have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from cli_fakes import Result

Trirag = Callable[..., Result]
GROUPS = ("kb", "policy", "rules", "eval")


def synopses(text: str) -> Iterator[tuple[str, set[str]]]:
    """(command, options) of every command line in the code blocks; ``a | b`` are two commands."""
    for block in re.findall(r"^```\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            if not line.startswith("trirag "):
                continue
            words = line.split()[1:]
            options = set(re.findall(r"--[a-z-]+", line))
            if words[0] not in GROUPS:
                yield words[0], options
            elif words[0] == "eval":
                yield from ((f"eval {name}", options) for name in words[1].split("|"))
            else:
                rest = line.split(words[0], 1)[1]
                for part in rest.split(" | "):
                    yield f"{words[0]} {part.split()[0]}", set(re.findall(r"--[a-z-]+", part))


def test_commands_and_options_of_the_documentation_exist(trirag: Trirag, repository: Path) -> None:
    found = list(synopses((repository / "docs" / "cli.md").read_text(encoding="utf-8")))
    assert {"ask", "ingest", "kb delete-document", "policy validate", "eval answers"} <= {name for name, _ in found}
    for command, options in found:
        shown = trirag(*command.split(), "--help")
        assert shown.status == 0, command
        missing = {option for option in options if not re.search(rf"{option}\b", shown.out)}
        assert not missing, f"trirag {command} has no {missing}"
