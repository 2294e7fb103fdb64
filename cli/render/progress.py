"""Progress on stderr: a bar with rate and time left, or a line every few seconds where there is no terminal."""

from __future__ import annotations

import time
from collections import deque
from types import TracebackType
from typing import Any

from rich.text import Text

from cli.render.console import err, note

SECONDS_BETWEEN_LINES = 5.0


# A rate is that of the last steps that took so many seconds together: what lay in a cache before, and came at once,
# must not promise that the rest will be as quick.
PACE_SECONDS = 10.0


class Pace:
    """How quickly a count grows."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, float]] = deque()

    def add(self, count: float) -> None:
        """The count has come to ``count``; one that fell is another one's beginning."""
        now = time.monotonic()
        if self._seen and count < self._seen[-1][1]:
            self._seen.clear()
        self._seen.append((now, count))
        while len(self._seen) > 1 and self._seen[1][0] <= now - PACE_SECONDS:
            self._seen.popleft()

    @property
    def rate(self) -> float:
        """How much a second; 0 where that is not known yet."""
        if not self._seen:
            return 0.0
        (began, first), (now, last) = self._seen[0], self._seen[-1]
        return (last - first) / (now - began) if now - began >= PACE_SECONDS else 0.0

    def left(self, total: float) -> str:
        """The time left in words; empty where it is not known."""
        return f"about {_duration((total - self._seen[-1][1]) / self.rate)} left" if self.rate > 0 else ""


class Progress:
    """Counts ``unit`` (a plural, such as documents) up to ``total``. Use as a context manager.

    ``begun`` is where the count stands already; it does not count into the rate.
    """

    def __init__(self, verb: str, unit: str, total: int, begun: int = 0) -> None:
        self._unit = unit
        self._total = total
        self._bar = _bar(unit) if err().is_terminal else None
        self._task = self._bar.add_task(verb, total=total, completed=begun, remark="") if self._bar else None
        self._told = time.monotonic()
        self._pace, self._passages = Pace(), Pace()
        self._pace.add(begun)

    def __enter__(self) -> Progress:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()

    def show(self, done: int, remark: str = "", embedded: int = 0, passages: int = 0) -> None:
        """Draws the state; ``remark`` follows the figures. ``embedded`` of the ``passages`` of the documents that
        are at work are done."""
        self._pace.add(done)
        large = ""
        if passages:
            self._passages.add(embedded)
            rate = f"{self._passages.rate:.1f} a second" if self._passages.rate else ""
            told = (f"{embedded} of {passages} passages of those at work", rate, self._passages.left(passages))
            large = ", ".join(part for part in told if part)
        if self._bar and self._task is not None:
            shown = f"{remark} {large}".strip()
            self._bar.update(self._task, completed=done, total=max(self._total, done), remark=shown, large=bool(large))
        elif time.monotonic() - self._told >= SECONDS_BETWEEN_LINES and done < self._total:
            pace = f"{self._pace.rate:.1f} a second, {self._pace.left(self._total)}" if self._pace.rate else ""
            if figures := large or pace or remark:
                self._told = time.monotonic()
                note(f"{done} of {self._total} {self._unit}, {figures}")


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes / 60:.1f} h"


def _bar(unit: str) -> Any:
    from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    class Rate(ProgressColumn):
        def render(self, task: Any) -> Text:
            speed = task.finished_speed or task.speed
            return Text(f"{speed:.1f} {unit}/s" if speed and not task.fields.get("large") else "", "cyan")

    class TimeLeft(TimeRemainingColumn):
        """Not while a large document is under way: its own figures tell more than those of the documents before."""

        def render(self, task: Any) -> Text:
            return Text("") if task.fields.get("large") else super().render(task)

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeLeft(),
        TextColumn("{task.fields[remark]}"),
    )
    return RichProgress(*columns, console=err(), transient=True)
