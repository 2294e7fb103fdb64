"""Regular expressions that are not tried on texts that cannot hold a match.

Hundreds of expressions look at every sentence, and nearly all find nothing: an alternation of words is tried at each
place of the text. Whether one of a few strings stands in a text is told some ten times sooner. ``Pattern`` works out
from an expression strings of which every match holds one ("until 5 May" has a month in it) and looks for them first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, TypeVar

from services.common.domain.regex_needs import Looking, Strings, needed_strings, share, share_of

T = TypeVar("T")

# Looking for more strings than this takes about as long as the expression itself.
_MOST_STRINGS = 128
_MOST_JOINED = 24
# A single letter or digit stands in nearly every text, two of the most frequent letters together already in few.
_TOO_FREQUENT = 0.008


class Pattern:
    """A compiled expression with the methods of ``re.Pattern``; the results are the same.

    ``needs``: every match holds one of these strings, in lower case if the expression ignores case; empty if no strings
    are worth looking for. ``compiled`` is what the ``re`` of a match is.
    """

    __slots__ = (
        "compiled", "findall", "finditer", "flags", "fullmatch", "match", "needs", "pattern", "search", "split", "sub",
    )  # fmt: skip

    def __init__(self, source: str, flags: int = 0) -> None:
        """Raises re.error for a source that is no regular expression."""
        compiled = self.compiled = re.compile(source, flags)
        self.pattern = compiled.pattern
        self.flags = compiled.flags
        self.needs = strings_to_look_for(source, compiled.flags)
        self.match, self.fullmatch = compiled.match, compiled.fullmatch
        self.sub, self.split = compiled.sub, compiled.split
        self.search: Callable[..., re.Match[str] | None] = compiled.search
        self.finditer: Callable[..., Iterable[re.Match[str]]] = compiled.finditer
        self.findall: Callable[..., list[Any]] = compiled.findall
        if self.needs:
            folded = bool(self.flags & re.IGNORECASE)
            self.search = _guarded(compiled.search, self.needs, folded, lambda: None)
            self.finditer = _guarded(compiled.finditer, self.needs, folded, tuple)
            self.findall = _guarded(compiled.findall, self.needs, folded, list)


def _guarded(find: Callable[..., T], needs: frozenset[str], folded: bool, nothing: Callable[[], T]) -> Callable[..., T]:
    """``find`` where a text holds one of the strings, else ``nothing``. A text in ASCII is asked for ASCII only."""
    strings = tuple(sorted(needs, key=lambda s: (len(s), s)))
    latin = tuple(s for s in strings if s.isascii())

    def guarded(text: str, *bounds: int) -> T:
        low = text
        if folded:
            known, low = _last
            if known is not text:
                low = _fold(text)
        for string in latin if low.isascii() else strings:
            if string in low:
                return find(text, *bounds)
        return nothing()

    return guarded


# The text that was folded last: many patterns look at one text after another.
_last: tuple[str, str] = ("", "")


def _fold(text: str) -> str:
    """In lower case, with the letters that ``re.IGNORECASE`` takes for "i" and "s" besides those of ASCII."""
    global _last
    low = text.lower()
    if not low.isascii():
        low = low.replace("i\u0307", "i").replace("\u0131", "i").replace("\u017f", "s")
    _last = (text, low)
    return low


def strings_to_look_for(source: str, flags: int = 0) -> Strings:
    """Strings of which every match of an expression holds one; empty where none are known or they are too many."""
    tree = parser.parse(source, flags & ~re.UNICODE & ~re.DEBUG)
    found = needed_strings(tree, flags, _FOLDED if flags & re.IGNORECASE else _AS_IT_IS)
    best = _shortest(min(found, key=share, default=frozenset()))
    worth = len(best) <= _MOST_STRINGS and all(share_of(string) < _TOO_FREQUENT for string in best)
    return best if worth else frozenset()


def _folded(character: str, flags: int) -> str | None:
    """As it stands in a folded text; None for a letter of another alphabet with two cases, whose variants are many."""
    low = character.lower()
    return low if low.isascii() or low == character.upper() else None


def _as_it_is(character: str, flags: int) -> str | None:
    """As it stands in a text that keeps its case."""
    return character if not flags & re.IGNORECASE or character.lower() == character.upper() else None


_FOLDED = Looking(_folded, _MOST_JOINED)
_AS_IT_IS = Looking(_as_it_is, _MOST_JOINED)


def _shortest(strings: Strings) -> Strings:
    """Without the strings that hold another one."""
    return frozenset(s for s in strings if not any(other in s for other in strings if other != s))


def any_of(words: Iterable[str]) -> str:
    """The source of an expression for the longest of some words; what they begin with in common is tried once."""
    tree: dict[str, Any] = {}
    for word in words:
        node = tree
        for character in word:
            node = node.setdefault(character, {})
        node[""] = {}
    return _branches(tree)


def _branches(tree: dict[str, Any]) -> str:
    ways = [re.escape(character) + _branches(rest) for character, rest in tree.items() if character]
    if not ways:
        return ""
    whole = ways[0] if len(ways) == 1 else f"(?:{'|'.join(ways)})"
    return f"(?:{whole})?" if "" in tree else whole
