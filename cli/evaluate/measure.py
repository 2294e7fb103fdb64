"""An evaluation from rows to figures: run, scored, written and printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cli.evaluate import calibrate, retrieval, searches
from cli.evaluate.report import write_predictions, write_report
from cli.evaluate.rows import Row
from cli.evaluate.runner import Predict, run_rows
from cli.render.console import print_json
from cli.render.searches import print_searches


@dataclass(frozen=True, slots=True)
class Output:
    """Where the results go beside standard output, and whether that gets JSON where it may get something else."""

    predictions: Path | None
    report: Path | None
    as_json: bool = False


def evaluated(
    kind: Any,
    rows: Sequence[Row],
    predict: Predict,
    concurrency: int,
    output: Output,
    curve: Callable[[dict[str, dict[str, Any]]], list[tuple[float, float]]] | None = None,
) -> bool:
    """Runs, scores, writes and prints; whether no row failed. ``kind`` is a module such as cli.evaluate.perception."""
    run = run_rows(rows, kind.ID, predict, concurrency)
    figures = kind.score(rows, run.predictions)
    if output.predictions:
        write_predictions(output.predictions, run.predictions)
    if output.report:
        name = kind.__name__.rsplit(".", 1)[-1]
        drawn = curve(run.predictions) if curve else []
        failing = kind.failing(rows, run.predictions)
        write_report(output.report, f"Evaluation of {name}", figures, failing, drawn)
    print_json(figures)
    return not run.failures


def compared(
    rows: Sequence[Row],
    predictors: dict[searches.Way, Predict],
    concurrency: int,
    output: Output,
) -> bool:
    """The same rows by several ways to search; whether no row failed."""
    results, failed = [], False
    for way, predict in predictors.items():
        run = run_rows(rows, retrieval.ID, predict, concurrency)
        failed = failed or bool(run.failures)
        results.append(searches.Result(way, run.predictions))
    figures = searches.score(rows, results)
    if output.predictions:
        said = {f"{r.way}/{key}": {"search": r.way.value, **row} for r in results for key, row in r.predictions.items()}
        write_predictions(output.predictions, said)
    if output.report:
        write_report(output.report, "Evaluation of retrieval", figures, searches.failing(rows, results))
    if output.as_json:
        print_json(figures)
    else:
        print_searches(figures)
    return not failed


def calibrated(
    kind: calibrate.Kind,
    rows: Sequence[Row],
    said: Mapping[str, Mapping[str, Any]],
    target: float,
    output: Output,
) -> bool:
    """How far confidences can be trusted; whether a threshold reaches the accuracy ``target``."""
    if output.predictions:
        write_predictions(output.predictions, said)
    figures = calibrate.score(kind, rows, said, target)
    if output.report:
        curve = [(point["coverage"], 1 - point["accuracy"]) for point in figures["curve"]]
        table = {name: value for name, value in figures.items() if name not in ("curve", "reliability", "policy")}
        write_report(output.report, f"Calibration of {kind.name}", table, [], curve, kind.risk)
    if output.as_json:
        print_json(figures)
    else:
        print("\n".join(calibrate.text_lines(figures)))
    return figures["point"] is not None
