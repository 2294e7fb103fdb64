"""Labelled rows, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cli.errors import UsageProblem
from cli.text_files import read_text

Row = dict[str, Any]


def read_rows(path: Path, id_key: str, required: Sequence[str]) -> list[Row]:
    """The rows of a file in order.

    Raises:
        UsageProblem: naming the file, the line and what is wrong with it.
    """
    rows: list[Row] = []
    seen: set[str] = set()
    for number, line in enumerate(read_text(path, "a readable JSONL file").split("\n"), start=1):
        if line.strip():
            row = _row(line, f"{path}:{number}", id_key, required)
            if row[id_key] in seen:
                raise UsageProblem(f"{path}:{number}: the {id_key} {row[id_key]!r} appears twice")
            seen.add(row[id_key])
            rows.append(row)
    if not rows:
        raise UsageProblem(f"{path}: holds no row")
    return rows


def _row(line: str, where: str, id_key: str, required: Sequence[str]) -> Row:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise UsageProblem(f"{where}: is not JSON: {error.msg} at column {error.colno}") from None
    if not isinstance(row, dict):
        raise UsageProblem(f"{where}: is JSON but no object")
    missing = [key for key in (id_key, *required) if key not in row]
    if missing:
        raise UsageProblem(f"{where}: lacks {', '.join(missing)}; is it a file for another evaluation?")
    if not isinstance(row[id_key], str):
        raise UsageProblem(f"{where}: {id_key}: text is expected")
    return row
