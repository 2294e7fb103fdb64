"""Rows of a table as sentences: what each cell states, with the names of its row and of its column."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.retrieval.domain.passages.structure import sentence_spans
from services.retrieval.domain.values.stated_values import read_values

_WORD = re.compile(r"[A-Za-z][A-Za-z']*|[\u3400-\u9fff]")
_HAN = re.compile(r"[\u3400-\u9fff]")
# A cell with so many words is a sentence.
_SENTENCE_WORDS, _SENTENCE_HAN = 6, 10
# One with fewer says nothing without the name of its column.
_BARE_WORDS = 4


def row_sentences(line: str, header: str, has_value: re.Pattern[str]) -> Iterator[str]:
    """A sentence for each value of the row, with the names of the row and of its column, and a sentence that stands in
    one of its cells beside numbers of its own.

    A row that names nothing is one sentence, without its number and without cells that hold only a mark.
    """
    cells, names = _cells(line), _cells(header)
    if cells and re.fullmatch(r"[*_]*\d+(?:\.\d+)*[*_.]*", cells[0]):
        cells[0] = ""
    valued = [bool(has_value.search(cell)) and bool(read_values(cell).values) for cell in cells]
    told = [index for index, cell in enumerate(cells) if re.search(r"\d|[^\W_]{2}", cell)]
    parts = {index: _named(cells[index], names[index] if index < len(names) else "", valued[index]) for index in told}
    labels = [index for index in told if not valued[index]]
    values = [index for index in told if valued[index]]
    if labels and len(values) > 1:
        for index in values:
            yield " ".join(parts[i] for i in sorted((*labels, index)))
    else:
        yield " ".join(parts.values())
    telling = [
        cell
        for cell in cells
        if len(re.findall(r"[A-Za-z]+(?:'[A-Za-z]+)?|[\u3400-\u9fff]+", cell)) >= _SENTENCE_WORDS
        or len(_HAN.findall(cell)) >= _SENTENCE_HAN
    ]
    if len(telling) == 1:
        yield from (telling[0][start:end] for start, end in sentence_spans(telling[0], 0, len(telling[0])))


def _named(cell: str, name: str, valued: bool) -> str:
    """A cell, one that is hardly more than a value with the name of its column."""
    return f"{name} {cell}" if valued and len(_WORD.findall(cell)) < _BARE_WORDS else cell


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
