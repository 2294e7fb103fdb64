"""The report of an evaluation: figures as Markdown and JSON, what went wrong, and a risk-coverage curve."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cli.errors import UsageProblem

WIDTH, HEIGHT, MARGIN = 640, 400, 56


def write_predictions(path: Path, predictions: Mapping[str, Mapping[str, Any]]) -> None:
    """One prediction a line. Raises UsageProblem where the file cannot be written."""
    lines = (json.dumps(said, ensure_ascii=False) for said in predictions.values())
    _write(path, "".join(f"{line}\n" for line in lines))


def write_report(
    folder: Path,
    title: str,
    figures: Mapping[str, Any],
    failing: Sequence[Mapping[str, Any]],
    curve: Sequence[tuple[float, float]] = (),
    risk: str = "risk: share of those that do not suffice",
) -> None:
    """Fills ``folder`` with figures.json, failing.jsonl, report.md and, for a curve, risk-coverage.svg."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageProblem(f"--report {folder}: {error.strerror or error}; name a folder") from None
    _write(folder / "figures.json", json.dumps(figures, ensure_ascii=False, indent=2) + "\n")
    _write(folder / "failing.jsonl", "".join(json.dumps(f, ensure_ascii=False) + "\n" for f in failing))
    lines = [
        f"# {title}",
        "",
        *_tables(figures),
        f"Wrong in part or whole: {len(failing)} rows, in `failing.jsonl`.",
        "",
    ]
    if curve:
        _write(folder / "risk-coverage.svg", risk_coverage_svg(curve, risk))
        lines += ["![Risk over coverage](risk-coverage.svg)", ""]
    _write(folder / "report.md", "\n".join(lines))


def risk_coverage_svg(
    curve: Sequence[tuple[float, float]], risk: str = "risk: share of those that do not suffice"
) -> str:
    """The share of wrong answers over the share of questions answered, the most certain ones first."""
    top = max((share for _, share in curve), default=0.0) or 1.0
    points = " ".join(f"{_x(coverage):.1f},{_y(share / top):.1f}" for coverage, share in curve)
    grid = "".join(_grid_line(step / 4, top) for step in range(5))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        f'font-size="12">\n<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n{grid}'
        f'<polyline points="{points}" fill="none" stroke="#1f5fa8" stroke-width="2"/>\n'
        f'<text x="{WIDTH / 2}" y="{HEIGHT - 12}" text-anchor="middle">coverage: share of rows answered</text>\n'
        f'<text x="14" y="{HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 14 {HEIGHT / 2})">'
        f"{risk}</text>\n</svg>\n"
    )


def _grid_line(share: float, top: float) -> str:
    x, y = _x(share), _y(share)
    style = 'stroke="#ccc" stroke-width="1"'
    return (
        f'<line x1="{_x(0)}" y1="{y}" x2="{_x(1)}" y2="{y}" {style}/>'
        f'<line x1="{x}" y1="{_y(0)}" x2="{x}" y2="{_y(1)}" {style}/>'
        f'<text x="{_x(0) - 6}" y="{y + 4}" text-anchor="end">{share * top:.2f}</text>'
        f'<text x="{x}" y="{_y(0) + 16}" text-anchor="middle">{share:.2f}</text>\n'
    )


def _x(share: float) -> float:
    return MARGIN + share * (WIDTH - MARGIN - 16)


def _y(share: float) -> float:
    return HEIGHT - MARGIN - share * (HEIGHT - MARGIN - 16)


def _tables(figures: Mapping[str, Any], heading: str = "") -> Iterator[str]:
    """Plain figures as one table; groups of like figures as one table with a row each; the rest below headings."""
    nested = {name: value for name, value in figures.items() if isinstance(value, Mapping) and not _small(value)}
    plain = {name: value for name, value in figures.items() if name not in nested}
    if heading:
        yield f"## {heading}"
        yield ""
    if plain:
        yield from ["| figure | value |", "| --- | --- |", *(f"| {k} | {_cell(v)} |" for k, v in plain.items()), ""]
    for name, value in nested.items():
        title = f"{heading}: {name}" if heading else name
        if all(isinstance(inner, Mapping) for inner in value.values()):
            yield from _grouped_table(title, value)
        else:
            yield from _tables(value, title)


def _small(value: Mapping[str, Any]) -> bool:
    """Fits into a cell: empty, or a pair such as the percentiles of a latency."""
    return len(value) <= 2 and not any(isinstance(inner, Mapping) for inner in value.values())


def _grouped_table(title: str, groups: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    cells = [(column, value) for group in groups.values() for column, value in group.items()]
    # What is nested deeper does not fit a cell; figures.json has it.
    columns = list(dict.fromkeys(c for c, v in cells if not isinstance(v, Mapping) or _small(v)))
    yield from [f"## {title}", "", f"| | {' | '.join(columns)} |", "| --- |" + " --- |" * len(columns)]
    for name, group in groups.items():
        yield f"| {name} | {' | '.join(_cell(group.get(column)) for column in columns)} |"
    yield ""


def _cell(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_cell(inner)}" for name, inner in value.items())
    return "–" if value is None else str(value)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageProblem(f"{path}: {error.strerror or error}; name a file that can be written") from None
