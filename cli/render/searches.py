"""The table that compares ways to search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.table import Table

from cli.render.console import note, out

_FIGURES = ("recall@1", "recall@5", "recall@10", "mrr@10", "ndcg@10")


def print_searches(figures: Mapping[str, Any]) -> None:
    """One line a way to search: the figures over all rows, and latency as this client saw it."""
    table = Table(box=None, pad_edge=False)
    table.add_column("search")
    for name in ("queries", *_FIGURES, "p50 ms", "p95 ms"):
        table.add_column(name, justify="right")
    for name, row in figures["searches"].items():
        latency = row["latency_ms"]
        shown = [_figure(row[figure]) for figure in _FIGURES]
        table.add_row(name, str(row["queries"]), *shown, _milliseconds(latency["p50"]), _milliseconds(latency["p95"]))
    out().print(table)
    cached = {name: count for name, count in figures["from_cache"].items() if count}
    if cached:
        told = ", ".join(f"{count} of {name}" for name, count in cached.items())
        note(f"answered from the cache, which makes the latency shorter: {told}")


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _milliseconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
