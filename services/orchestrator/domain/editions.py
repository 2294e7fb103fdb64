"""Tells the codes of a question that name an edition ("v4.0.3") from those that name a place in it ("2.1.1")."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# "v4.0.3", "V4.0.3", "version 4.0.3", "Rev. 4.0.3" and "4.0.3" are one edition.
EDITION_MARK = re.compile(r"^(?:v|ver|version|rev|revision|ed|edition|版本|版)[.\s]*(?=\d+\.\d)", re.IGNORECASE)
# What stands around a number is no part of it (第4.1.3条, Section 4.1.3, §4.1.3): a table may have it bare.
DOTTED = re.compile(r"(?<![A-Za-z0-9.])\d+(?:\.\d+)+(?![A-Za-z0-9]|\.\d)")
# 2.1.1 is neither 2.1.12 nor 12.1.1.
_WHOLE = r"(?<![A-Za-z0-9])(?<!\d\.)(?:{})(?![A-Za-z0-9])(?!\.\d)"


@dataclass(frozen=True, slots=True)
class Codes:
    """Codes of a question: ``places`` stand in a text, ``editions`` are versions of its document, bare."""

    places: tuple[str, ...]
    editions: frozenset[str] = frozenset()

    def of_edition(self, version: str) -> bool:
        """True for a document of an edition that is named, and for all where none is."""
        return not self.editions or _bare(version) in self.editions


def sorted_out(codes: Sequence[str], versions: Iterable[str]) -> Codes:
    """A code that is marked as a version, or is that of a document at hand, is an edition; if all are, none is."""
    known = {_bare(version) for version in versions if version}
    editions = [code for code in codes if EDITION_MARK.match(code) or _bare(code) in known]
    if len(editions) == len(codes):
        return Codes(tuple(codes))
    return Codes(tuple(c for c in codes if c not in editions), frozenset(_bare(e) for e in editions))


def _bare(code: str) -> str:
    return EDITION_MARK.sub("", code.strip()).lower()


def pattern_of(code: str) -> re.Pattern[str]:
    """Finds a code where it stands whole, a numbered place also by its dotted number alone."""
    number = DOTTED.search(code)
    forms = dict.fromkeys([code, number.group()] if number else [code])
    return re.compile(_WHOLE.format("|".join(re.escape(f) for f in forms)), re.IGNORECASE)
