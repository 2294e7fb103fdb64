"""XLSX by openpyxl: a heading and its tables for each sheet that is shown; formulas by their last computed values."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from services.retrieval.adapters.parsers.archive import check_archive
from services.retrieval.adapters.parsers.cell_values import shown_value
from services.retrieval.adapters.parsers.sheet_blocks import sheet_markdown
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.rejection import DocumentRejected, Reason

_PART = 1 << 20
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell\s[^>]*?ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"')
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s>/]")
_MOST_MERGED = 10_000


@dataclass(slots=True)
class _Facts:
    """Of a sheet: cells (row, column, both from 1) that show what another one above them holds; has it formulas."""

    shown_from: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    formulas: bool = False


def parse(content: bytes, path: str, config: IngestConfig) -> ParsedFile:
    """See ``registry.Parser``."""
    check_archive(content, "xl/workbook.xml", "XLSX", config)
    from openpyxl import load_workbook

    values = load_workbook(io.BytesIO(content), read_only=True, data_only=True)
    written = load_workbook(io.BytesIO(content), read_only=True, data_only=False)
    parts: list[str] = []
    total = uncomputed = 0
    hidden = [sheet.title for sheet in values.worksheets if sheet.sheet_state != "visible"]
    try:
        for sheet, source in zip(values.worksheets, written.worksheets, strict=True):
            if sheet.title in hidden:
                continue
            rows = _Rows(sheet, source, _facts(content, sheet))
            text, cells = sheet_markdown(rows)
            uncomputed += rows.uncomputed
            if text:
                parts.append(f"## {sheet.title}\n\n{text}")
                total += cells
    finally:
        values.close()
        written.close()
    if not parts:
        raise DocumentRejected(Reason.EMPTY_TEXT, "the workbook has no cells with values")
    figures = {"table_cells": float(total), "table_cells_lost": 0.0}
    return ParsedFile("\n\n".join(parts) + "\n", "", (), _warnings(hidden, uncomputed), figures)


def _warnings(hidden: list[str], uncomputed: int) -> tuple[str, ...]:
    told = []
    if hidden:
        named = ", ".join(repr(name) for name in hidden[:5]) + (", …" if len(hidden) > 5 else "")
        told.append(f"hidden sheets were left out: {named}; show them and ingest the file again if they count")
    if uncomputed:
        told.append(
            f"{uncomputed} formulas have no computed value and stand as they are written; open the workbook in a "
            "spreadsheet program and save it"
        )
    return tuple(told)


class _Rows:
    """The texts of a sheet's rows; counts formulas without a value."""

    def __init__(self, values: Any, written: Any, facts: _Facts) -> None:
        self._values = values
        self._written = written
        self._facts = facts
        self._kept: dict[tuple[int, int], str] = {}
        self._origins = set(facts.shown_from.values())
        self.uncomputed = 0

    def __iter__(self) -> Iterator[list[str]]:
        sources = self._written.iter_rows(values_only=True) if self._facts.formulas else None
        for number, row in enumerate(self._values.iter_rows(), start=1):
            source = next(sources, ()) if sources is not None else ()
            yield self._texts(number, row, source)

    def _texts(self, number: int, row: Any, source: Any) -> list[str]:
        texts = []
        for index, cell in enumerate(row):
            text = "" if cell.value is None else shown_value(cell.value, cell.number_format)
            if not text and index < len(source) and source[index] is not None:
                text = _formula(source[index])
                self.uncomputed += 1
            place = (number, index + 1)
            if place in self._origins:
                self._kept[place] = text
            elif not text and place in self._facts.shown_from:
                text = self._kept.get(self._facts.shown_from[place], "")
            texts.append(text)
        while texts and not texts[-1]:
            texts.pop()
        return texts


def _formula(source: Any) -> str:
    """A formula as it is written; one of an array or of a table of what-ifs comes as an object."""
    if hasattr(source, "dt2D"):
        first, second = source.r1 or "", source.r2 or ""
        cells = (first, second) if source.dt2D else (first, "") if source.dtr else ("", first)
        return f"=TABLE({','.join(cells)})"
    return str(getattr(source, "text", source) or "")


def _facts(content: bytes, sheet: Any) -> _Facts:
    """What openpyxl does not tell of a sheet that it reads row by row."""
    facts = _Facts()
    with zipfile.ZipFile(io.BytesIO(content)) as archive, archive.open(sheet._worksheet_path) as stream:
        rest = b""
        while part := stream.read(_PART):
            text = rest + part
            facts.formulas = facts.formulas or bool(_FORMULA.search(text))
            last = 0
            for match in _MERGED.finditer(text):
                _merge(facts, match)
                last = match.end()
            rest = text[max(last, len(text) - 200) :]
    return facts


def _merge(facts: _Facts, match: re.Match[bytes]) -> None:
    """Cells merged downwards: each row tells what it is of. Those merged sideways are told in the first."""
    left, top, bottom = _column(match.group(1)), int(match.group(2)), int(match.group(4))
    for number in range(top + 1, min(bottom, top + _MOST_MERGED) + 1):
        if len(facts.shown_from) < _MOST_MERGED:
            facts.shown_from[(number, left)] = (top, left)


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number
