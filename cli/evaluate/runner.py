"""Runs an evaluation's rows: some at a time, in order, patient with a busy server and not with an absent one."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from cli.errors import CliError, RequestFailed
from cli.evaluate.rows import Row
from cli.render.console import note, shorten
from cli.render.progress import Progress

Predict = Callable[[Row], dict[str, Any]]
RETRIES = 3
RETRY_SECONDS = 0.5
BUSY = ("UNAVAILABLE", "RESOURCE_EXHAUSTED")
# With these the next row cannot fare better.
HOPELESS = ("UNAVAILABLE", "UNAUTHENTICATED", "PERMISSION_DENIED", "UNIMPLEMENTED", "NOT_FOUND")
FAILURES_SHOWN = 5
# So many in a row, and the rest is not asked any more.
GIVE_UP_AFTER = 10


@dataclass(slots=True)
class Run:
    """Predictions by id in the order of the rows, and what failed as (id, why)."""

    predictions: dict[str, dict[str, Any]] = field(default_factory=dict)
    failures: list[tuple[str, str]] = field(default_factory=list)
    hopeless_in_a_row: int = 0


def run_rows(rows: Sequence[Row], id_key: str, predict: Predict, concurrency: int) -> Run:
    """Predicts every row.

    Raises:
        RequestFailed: the first row fails in a way that no other row can escape.
    """
    run = Run()
    with Progress("evaluating", "rows", len(rows)) as progress:
        first = _attempt(run, predict, rows[0])
        if isinstance(first, RequestFailed) and first.code in HOPELESS:
            raise first
        _keep(run, str(rows[0][id_key]), first)
        with ThreadPoolExecutor(max_workers=concurrency) as pool:
            results = pool.map(lambda row: _attempt(run, predict, row), rows[1:])
            for done, (row, result) in enumerate(zip(rows[1:], results, strict=True), start=2):
                _keep(run, str(row[id_key]), result)
                progress.show(done, f"{len(run.failures)} failed" if run.failures else "")
    for row_id, why in run.failures[:FAILURES_SHOWN]:
        note(f"{row_id}: {why}")
    if run.failures:
        note(f"{len(run.failures)} of {len(rows)} rows failed and count as without a prediction")
    return run


def _attempt(run: Run, predict: Predict, row: Row) -> dict[str, Any] | CliError:
    if run.hopeless_in_a_row >= GIVE_UP_AFTER:
        return CliError(f"not asked: {GIVE_UP_AFTER} rows before it failed")
    for attempt in range(RETRIES):
        try:
            return predict(row)
        except RequestFailed as error:
            if error.code not in BUSY or attempt == RETRIES - 1:
                return error
            time.sleep(error.retry_after or RETRY_SECONDS * 2**attempt)
        except CliError as error:
            return error
    raise AssertionError("the last attempt returns")


def _keep(run: Run, row_id: str, result: dict[str, Any] | CliError) -> None:
    if isinstance(result, CliError):
        run.failures.append((row_id, shorten(result.message, 300)))
        if isinstance(result, RequestFailed) and result.code in HOPELESS:
            run.hopeless_in_a_row += 1
    else:
        run.predictions[row_id] = result
        run.hopeless_in_a_row = 0
