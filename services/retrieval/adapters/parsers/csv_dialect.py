"""How a text of separated values is written, and its records, quotation marks gone wrong included."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

_SEPARATORS = ",;\t|"
_SAMPLE_CHARACTERS = 16_384
_SAMPLE_RECORDS = 100
# A quotation mark that is escaped by a backslash, as some databases do; before a separator it may end a path.
_ESCAPED = re.compile(r'\\"(?![,;\t|\n])')
# Quotation marks that are never closed, each mended; further ones are read as characters like others.
_MOST_UNCLOSED = 20


@dataclass(frozen=True, slots=True)
class Form:
    """``separator`` of fields; ``escaped``: quotation marks within fields stand behind a backslash."""

    separator: str
    escaped: bool = False

    def reader(self, lines: Iterator[str], *, quoted: bool = True, strict: bool = False) -> Any:
        """The records of ``lines``; without ``quoted`` quotation marks mean nothing."""
        return csv.reader(
            lines,
            delimiter=self.separator,
            quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
            doublequote=not self.escaped,
            escapechar="\\" if self.escaped else None,
            skipinitialspace=True,
            strict=strict,
        )


def form_of(text: str, path: str) -> Form:
    """The form of a text: of the separators the one by which most records have the same number of fields."""
    sample = text[:_SAMPLE_CHARACTERS]
    escaped = '""' not in sample and bool(_ESCAPED.search(sample))
    if path.lower().endswith(".tsv"):
        return Form("\t", escaped)
    lines = sample.split("\n")
    # The last line may be cut off.
    lines = lines[:-1] if len(text) > len(sample) and len(lines) > 1 else lines
    return max((Form(separator, escaped) for separator in _SEPARATORS), key=lambda form: _evenness(lines, form))


def _evenness(lines: list[str], form: Form) -> tuple[float, int]:
    """Share of the records that have the most frequent number of fields, and that number; nothing if it is one."""
    found = islice(form.reader(line + "\n" for line in lines), _SAMPLE_RECORDS)
    counts = Counter(len(record) for record in found if any(map(str.strip, record)))
    several = {width: count for width, count in counts.items() if width > 1}
    if not several:
        return 0.0, 0
    width = max(several, key=lambda key: (several[key], key))
    return several[width] / counts.total(), width


def records(text: str, form: Form) -> Iterator[list[str]]:
    """The records of a text with lines that end in line feeds.

    A quotation mark that opens a field and is never closed is a character like others: it would swallow the rest.

    Raises:
        csv.Error: a field is longer than ``csv.field_size_limit``.
    """
    lines = [line + "\n" for line in text.split("\n")]
    start = 0
    for _ in range(_MOST_UNCLOSED):
        reader = form.reader(islice(lines, start, None))
        held: list[str] | None = None  # the last record, which may have swallowed what follows it
        first = end = 0
        closed = True
        try:
            for record in reader:
                if held is not None:
                    yield held
                held, first, end = record, end, reader.line_num
            closed = held is None or not _is_unclosed(lines[start + first :], form)
        except csv.Error:  # a field beyond the limit, mostly for the same reason
            if held is not None:
                yield held
            first, closed = end, False
        if closed:
            yield from [] if held is None else [held]
            return
        yield from form.reader(iter(lines[start + first : start + first + 1]), quoted=False)
        start += first + 1
    yield from form.reader(islice(lines, start, None), quoted=False)


def _is_unclosed(lines: list[str], form: Form) -> bool:
    """True if the record of these lines would go on with whatever followed them."""
    return sum(1 for _ in form.reader(chain(lines, ("-\n",)))) == 1
