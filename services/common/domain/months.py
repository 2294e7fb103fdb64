"""The English names of the months, as dates are written with them."""

from __future__ import annotations

_NAMES = (
    "january jan",
    "february feb",
    "march mar",
    "april apr",
    "may",
    "june jun",
    "july jul",
    "august aug",
    "september sept sep",
    "october oct",
    "november nov",
    "december dec",
)
MONTHS: dict[str, int] = {name: number for number, names in enumerate(_NAMES, 1) for name in names.split()}
"""Names and abbreviations, in lower case and without a full stop, with the months' numbers, 1 to 12."""

MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
"""The same as alternatives of a regular expression, the longest first."""
