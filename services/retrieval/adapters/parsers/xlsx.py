"""XLSX by openpyxl: a heading and its tables for each sheet that is shown; formulas by their last computed values."""

from __future__ import annotations

import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from services.retrieval.adapters.parsers.archive import check_archive
from services.retrieval.adapters.parsers.cell_values import shown_value
from services.retrieval.adapters.parsers.office_parts import transitional
from services.retrieval.adapters.parsers.sheet_blocks import sheet_markdown
from services.retrieval.adapters.parsers.xlsx_book import open_book
from services.retrieval.adapters.parsers.xlsx_boxes import boxes
from services.retrieval.adapters.parsers.xlsx_cells import SheetCells, is_empty_text
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.quality.rejection import DocumentRejected, Reason

_PART = 1 << 20
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell\s[^>]*?ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"')
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s>/]")
_FILTER = re.compile(rb"<(?:\w+:)?filterColumn[\s>/]")
_MOST_MERGED = 10_000
_WORKBOOK = "xl/workbook.xml"
_TABLES = "xl/tables/"
# What is told of cells, by the names of their counts.
_TOLD = {
    "uncomputed": "formulas have no computed value and stand as they are written; open the workbook in a spreadsheet "
    "program and save it",
    "unreadable": "cells hold no number or day of a spreadsheet where they say they do, and stand as they are written; "
    "correct them in the workbook",
    "errors": "cells hold errors such as #DIV/0! and stand as the workbook shows them; correct their formulas",
    "struck": "cells are struck out and were left out; clear their format if they count",
    "hidden_rows": "hidden rows were left out; show them and ingest the file again if they count",
    "hidden_columns": "hidden columns were left out; show them and ingest the file again if they count",
}


@dataclass(slots=True)
class _Facts:
    """Of a sheet: are rows hidden by a filter; cells (row, column, from 1) that show what one above them holds, how
    many; has it formulas."""

    filtered: bool = False
    shown_from: dict[int, dict[int, tuple[int, int]]] = field(default_factory=dict)
    merged: int = 0
    formulas: bool = False


def parse(content: bytes, path: str, config: IngestConfig) -> ParsedFile:
    """See ``registry.Parser``."""
    check_archive(content, "XLSX", config, _WORKBOOK)
    content = transitional(content, _WORKBOOK)
    values, written = open_book(content, computed=True), open_book(content, computed=False)
    parts: list[str] = []
    total = 0
    counts: Counter[str] = Counter()
    hidden = [sheet.title for sheet in values.worksheets if sheet.sheet_state != "visible"]
    try:
        for sheet, source in zip(values.worksheets, written.worksheets, strict=True):
            if sheet.title in hidden:
                continue
            rows = _Rows(sheet, source, _facts(content, sheet))
            text, cells = sheet_markdown(rows)
            counts.update(rows.counts())
            blocks = [block for block in (text, *boxes(content, sheet._worksheet_path)) if block]
            if blocks:
                parts.append("\n\n".join([f"## {sheet.title}", *blocks]))
                total += cells
    finally:
        values.close()
        written.close()
    if not parts:
        raise DocumentRejected(
            Reason.EMPTY_TEXT, "the workbook has no cells with values; check that it was saved whole"
        )
    figures = {"table_cells": float(total), "table_cells_lost": 0.0}
    return ParsedFile("\n\n".join(parts) + "\n", "", (), tuple(_warnings(hidden, counts)), figures)


def _warnings(hidden: list[str], counts: Mapping[str, int]) -> Iterator[str]:
    if hidden:
        named = ", ".join(repr(name) for name in hidden[:5]) + (", …" if len(hidden) > 5 else "")
        yield f"hidden sheets were left out: {named}; show them and ingest the file again if they count"
    for name, told in _TOLD.items():
        if counts.get(name):
            yield f"{counts[name]} {told}"


class _Rows:
    """The texts of a sheet's rows; counts formulas without a value."""

    def __init__(self, values: Any, written: Any, facts: _Facts) -> None:
        self._values = SheetCells(values, filtered=facts.filtered)
        self._written = SheetCells(written, filtered=facts.filtered)
        self._facts = facts
        self._kept: dict[tuple[int, int], str] = {}
        self._origins = {origin for columns in facts.shown_from.values() for origin in columns.values()}
        self._uncomputed = 0

    def counts(self) -> dict[str, int]:
        """What is told to the owner, by the names of ``_TOLD``."""
        return {"uncomputed": self._uncomputed, **self._values.counts}

    def __iter__(self) -> Iterator[list[str]]:
        sources = iter(self._written) if self._facts.formulas else None
        last_merged = max(self._facts.shown_from, default=0)
        before = 0
        for number, cells, hidden in self._values:
            for missing in range(before + 1, min(number, last_merged + 1)):
                yield self._texts(missing, {}, {})
            if number > max(before, last_merged) + 1:
                yield []
            _, source, _ = next(sources, (0, {}, False)) if sources is not None else (0, {}, False)
            if not hidden:
                yield self._texts(number, cells, source)
            elif held := {column: cells[column] for column in cells if (number, column) in self._origins}:
                self._texts(number, held, source)  # shown in those of its rows that are not hidden
            before = max(before, number)

    def _texts(self, number: int, cells: Mapping[int, Any], source: Mapping[int, Any]) -> list[str]:
        shown_from = self._facts.shown_from.get(number, {})
        texts = [""] * max((*cells, *shown_from), default=0)
        for column, cell in cells.items():
            text = "" if cell.value is None else shown_value(cell.value, cell.number_format)
            formula = source[column].value if not text and not is_empty_text(cell) and column in source else None
            if formula is not None:
                text = _formula(formula)
                self._uncomputed += 1
            texts[column - 1] = text
            if (number, column) in self._origins:
                self._kept[(number, column)] = text
        for column, origin in shown_from.items():
            texts[column - 1] = texts[column - 1] or self._kept.get(origin, "")
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
        tables = [name for name in archive.namelist() if name.startswith(_TABLES)]
        facts.filtered = any(_FILTER.search(archive.read(name)) for name in tables)
        rest = b""
        while part := stream.read(_PART):
            text = rest + part
            facts.formulas = facts.formulas or bool(_FORMULA.search(text))
            facts.filtered = facts.filtered or bool(_FILTER.search(text))
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
        if facts.merged < _MOST_MERGED:
            facts.shown_from.setdefault(number, {})[left] = (top, left)
            facts.merged += 1


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number
