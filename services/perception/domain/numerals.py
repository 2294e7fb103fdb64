"""Numbers as people write them in English and Chinese."""

from __future__ import annotations

from services.common.domain.numerals import chinese_number

_ENGLISH = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "eighteen": 18, "twenty": 20,
    "twenty-four": 24, "thirty": 30, "sixty": 60, "ninety": 90, "hundred": 100,
    "couple": 2, "a couple of": 2, "several": 3, "few": 3, "a few": 3,
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "final": 4,
}  # fmt: skip
_VAGUE = frozenset({"several", "few", "a few", "couple", "a couple of", "几", "数"})


def number(text: str) -> int | None:
    """The whole number that ``text`` spells, None if it spells none. 几 and "a few" count as three."""
    word = text.strip().casefold()
    if word.isascii() and word.isdigit():
        return int(word)
    if word in _ENGLISH:
        return _ENGLISH[word]
    if word in ("几", "数"):
        return 3
    return chinese_number(word)


def is_vague(text: str) -> bool:
    """True for words that count without saying how many."""
    return text.strip().casefold() in _VAGUE
