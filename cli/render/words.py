"""Small things that several pictures say the same way: days, enums, bars, tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

BAR_CELLS = 10


def day(message: Any) -> str:
    """google.type.Date as YYYY-MM-DD; empty where it is not set."""
    return f"{message.year:04d}-{message.month:02d}-{message.day:02d}" if message.year else ""


def days(interval: Any) -> str:
    """A DayInterval in words; both ends are days in it."""
    start, end = day(interval.start), day(interval.end)
    if start and end:
        return start if start == end else f"{start} to {end}"
    return f"from {start} on" if start else f"up to {end}" if end else ""


def when(timestamp: Any) -> str:
    """A Timestamp in the reader's time zone, to the second; empty where it is not set."""
    if not timestamp.seconds:
        return ""
    from datetime import UTC

    return str(timestamp.ToDatetime(tzinfo=UTC).astimezone().strftime("%Y-%m-%d %H:%M:%S"))


def enum_word(kind: Any, number: int) -> str:
    """``how_to`` for ACTION_HOW_TO of the enum Action; the number where this version does not know it."""
    prefix = "".join(f"_{c}" if c.isupper() else c for c in kind.DESCRIPTOR.name).strip("_").upper() + "_"
    try:
        return str(kind.Name(number)).removeprefix(prefix).lower()
    except ValueError:
        return str(number)


def bar(share: float) -> Text:
    """A share in [0, 1] as a bar and a figure."""
    from rich.text import Text

    bounded = min(max(share, 0.0), 1.0)
    full = round(bounded * BAR_CELLS)
    style = "green" if bounded >= 0.75 else "yellow" if bounded >= 0.5 else "red"
    return Text.assemble(("█" * full, style), ("░" * (BAR_CELLS - full), "dim"), f" {share:.2f}")


def milliseconds(value: float) -> str:
    """``812 ms`` or ``4.2 s``."""
    return f"{value:.0f} ms" if value < 10_000 else f"{value / 1000:.1f} s"


def table(*columns: str, right: Iterable[str] = ()) -> Table:
    """A table without lines; ``right`` names the columns of figures."""
    from rich.table import Table

    made = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column in columns:
        figures = column in set(right)
        made.add_column(column, justify="right" if figures else "left", no_wrap=figures, overflow="fold")
    return made


def validity(document: Any) -> str:
    """``version 2025, in force from 2025-07-01 on``, as far as the document states it."""
    said = []
    if document.version:
        said.append(f"version {document.version}")
    start, end = day(document.effective_from), day(document.effective_to)
    if start or end:
        span = f"{start} to {end}" if start and end else f"from {start} on" if start else f"up to {end}"
        said.append(f"in force {span}")
    elif day(document.published_at):
        said.append(f"published {day(document.published_at)}")
    return ", ".join(said)
