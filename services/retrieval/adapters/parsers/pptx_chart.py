"""The figures of a chart on a slide, whatever kind of plot shows them: bars, lines, stocks, surfaces, points."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from services.retrieval.adapters.parsers.cell_values import shown_value

_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"


def chart_rows(space: Any) -> list[list[str]]:
    """Rows of all plots below a ``c:chartSpace``: names of the series, then a row for each category.

    Series of points whose places differ stand below each other.
    """
    rows: list[list[str]] = []
    for plot in space.iterfind(f".//{_C}plotArea/*"):
        for names, series in _groups(plot):
            rows.append(["", *(name for name, _ in series)])
            used = sorted({*names, *(index for _, values in series for index in values)})
            rows += [[names.get(index, ""), *(values.get(index, "") for _, values in series)] for index in used]
    return rows


def _groups(plot: Any) -> Iterator[tuple[dict[int, str], list[tuple[str, dict[int, str]]]]]:
    """Names of categories, and the series (name, values) that share them."""
    shared: dict[int, str] = {}
    series: list[tuple[str, dict[int, str]]] = []
    for element in plot.iterfind(f"{_C}ser"):
        names = _points(element, "cat", "xVal")
        if series and names and names != shared:
            yield shared, series
            series = []
        shared = names or shared
        name = next((text.text for text in element.iterfind(f"{_C}tx//{_C}v") if text.text), "")
        values = {index: _figure(text) for index, text in _points(element, "val", "yVal").items()}
        series.append((name, values))
    if series:
        yield shared, series


def _points(series: Any, *tags: str) -> dict[int, str]:
    """Texts of points by their index; of categories on several levels the innermost."""
    for source in (found for tag in tags for found in series.iterfind(f"{_C}{tag}")):
        inner = source.find(f".//{_C}lvl")
        points = (source if inner is None else inner).iter(f"{_C}pt")
        texts = ((point.get("idx", ""), point.findtext(f"{_C}v") or "") for point in points)
        return {int(index): text for index, text in texts if index.isdecimal() and len(index) < 10}
    return {}


def _figure(text: str) -> str:
    try:
        return shown_value(float(text), "")
    except ValueError:
        return text
