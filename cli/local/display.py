"""Shows how the stack comes up: a live table on a terminal, a line for every change elsewhere."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.table import Table

from cli.local.standing import STARTING, Standing


class StartDisplay:
    """Context manager; call it with every look at the stack."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.began = time.monotonic()
        self.shown: dict[str, str] = {}
        self.live = Live(console=console, refresh_per_second=4) if console.is_terminal else None

    def __enter__(self) -> StartDisplay:
        if self.live:
            self.live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.live:
            self.live.stop()

    def __call__(self, looks: list[Standing]) -> None:
        seconds = time.monotonic() - self.began
        if self.live:
            self.live.update(table(looks, f"{seconds:.0f} s"))
            return
        for look in looks:
            if self.shown.get(look.part.name) != look.words:
                self.shown[look.part.name] = look.words
                self.console.print(f"{seconds:5.1f} s  {look.part.name:<13} {look.words}", highlight=False)


def table(looks: list[Standing], title: str = "") -> Table:
    """Name, state, pid, ports, restarts of every part."""
    grid = Table(title=title or None, title_justify="left", box=None, pad_edge=False)
    for column in ("part", "state", "pid", "ports", "restarts"):
        grid.add_column(column)
    for look in looks:
        style = "green" if look.well else "yellow" if look.words == STARTING else "red"
        pid = str(look.state.child) if look.state and look.state.child else "-"
        restarts = str(max(0, look.state.starts - 1)) if look.state else "-"
        ports = " ".join(map(str, look.part.ports))
        grid.add_row(look.part.name, f"[{style}]{look.words}[/]", pid, ports, restarts)
    return grid
