"""Progress on stderr: a bar with rate and time left, or a line every few seconds where there is no terminal."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any

from rich.text import Text

from cli.render.console import err, note

SECONDS_BETWEEN_LINES = 5.0


class Progress:
    """Counts ``unit`` (a plural, such as documents) up to ``total``. Use as a context manager.

    ``begun`` is where the count stands already; it does not count into the rate.
    """

    def __init__(self, verb: str, unit: str, total: int, begun: int = 0) -> None:
        self._begun = begun
        self._unit = unit
        self._total = total
        self._bar = _bar(unit) if err().is_terminal else None
        self._task = self._bar.add_task(verb, total=total, completed=begun, remark="") if self._bar else None
        self._started = self._told = time.monotonic()

    def __enter__(self) -> Progress:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()

    def show(self, done: int, remark: str = "") -> None:
        """Draws the state; ``remark`` follows the figures."""
        if self._bar and self._task is not None:
            self._bar.update(self._task, completed=done, total=max(self._total, done), remark=remark)
        elif time.monotonic() - self._told >= SECONDS_BETWEEN_LINES and self._begun < done < self._total:
            self._told = time.monotonic()
            rate = (done - self._begun) / (self._told - self._started)
            left = (self._total - done) / rate
            note(f"{done} of {self._total} {self._unit}, {rate:.1f} a second, about {left:.0f} s left")


def _bar(unit: str) -> Any:
    from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    class Rate(ProgressColumn):
        def render(self, task: Any) -> Text:
            speed = task.finished_speed or task.speed
            return Text(f"{speed:.1f} {unit}/s" if speed else "", "cyan")

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[remark]}"),
    )
    return RichProgress(*columns, console=err(), transient=True)
