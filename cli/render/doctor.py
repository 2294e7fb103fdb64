"""The doctor's findings."""

from __future__ import annotations

from rich.text import Text

from cli.diagnosis.check import Check, State
from cli.render.console import clean, one_line, out

MARKS = {State.OK: ("✓", "green"), State.WARNING: ("!", "yellow"), State.DOWN: ("✗", "red")}


def print_check(check: Check) -> None:
    """One line: mark, part, what was seen, what to do."""
    line = Text.assemble(MARKS[check.state], f" {check.name:<20} ", clean(one_line(check.detail)))
    if check.remedy:
        line.append(f" → {clean(one_line(check.remedy))}", "cyan")
    out().print(line, soft_wrap=True)
