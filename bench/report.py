"""Percentiles and tables."""

from __future__ import annotations

from collections.abc import Sequence


def percentile(values: Sequence[float], share: float) -> float:
    """Linear interpolation between closest ranks; ``share`` in [0, 1]. NaN for no values."""
    if not values:
        return float("nan")
    ordered = sorted(values)
    position = share * (len(ordered) - 1)
    low = int(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)


def summary(values: Sequence[float]) -> dict[str, float]:
    """n, p50, p95, p99, max, rounded to hundredths."""
    return {
        "n": len(values),
        "p50": round(percentile(values, 0.5), 2),
        "p95": round(percentile(values, 0.95), 2),
        "p99": round(percentile(values, 0.99), 2),
        "max": round(max(values, default=float("nan")), 2),
    }


def table(title: str, rows: Sequence[dict[str, object]]) -> str:
    """A Markdown table; columns from the first row."""
    if not rows:
        return f"## {title}\n\n(no rows)\n"
    columns = list(rows[0])
    lines = [f"## {title}", "", "| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    lines += ["| " + " | ".join(str(r.get(c, "")) for c in columns) + " |" for r in rows]
    return "\n".join(lines) + "\n"
