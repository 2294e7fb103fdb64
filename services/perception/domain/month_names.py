"""The months' names in the languages whose dates are read."""

from __future__ import annotations

# English names are known by their first letters, slips of the pen and abbreviations included.
_ENGLISH = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

# German, French, Spanish, Italian, Portuguese, Dutch, Russian: what English beginnings do not give.
_ABROAD = (
    ("jänner", "enero", "gennaio", "января"),
    ("février", "fevrier", "fevereiro", "февраля"),
    ("märz", "maart", "марта"),
    ("avril", "abril", "апреля"),
    ("mai", "maggio", "maio", "mei", "мая"),
    ("juin", "giugno", "июня"),
    ("juillet", "luglio", "июля"),
    ("août", "aout", "agosto", "августа"),
    ("settembre", "setiembre", "setembro", "сентября"),
    ("oktober", "ottobre", "outubro", "октября"),
    ("ноября",),
    ("dezember", "décembre", "diciembre", "dicembre", "dezembro", "декабря"),
)
_NUMBERS = {name: number for number, names in enumerate(_ABROAD, 1) for name in names}


def month_named(word: str) -> int | None:
    """The month (1 to 12) that a lower-case name stands for; None if it is no name of one."""
    known = _NUMBERS.get(word)
    if known is not None:
        return known
    return next((number for number, prefix in enumerate(_ENGLISH, 1) if word.startswith(prefix)), None)
