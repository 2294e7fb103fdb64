"""Regular expressions that are not tried on texts that cannot hold a match.

Hundreds of expressions look at every sentence, and nearly all find nothing: an alternation of words is tried at each
place of the text. Whether one of a few strings stands in a text is told some ten times sooner. ``Pattern`` works out
from an expression strings of which every match holds one ("until 5 May" has a month in it) and looks for them first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, TypeVar

T = TypeVar("T")

# Looking for more strings than this takes about as long as the expression itself.
_MOST_STRINGS = 128
# So many strings a stretch of characters and choices (``Q[1-4]``) may stand for and still be looked for as a whole.
_MOST_JOINED = 24
# One letter or digit stands in nearly every text; a Chinese character tells as much as a short word.
_LETTER, _MARK, _HAN, _LONG = 1, 2, 4, 6


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
        self.needs = needed_strings(source, compiled.flags)
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


Item = tuple[Any, Any]
Strings = frozenset[str]


def needed_strings(source: str, flags: int = 0) -> Strings:
    """Strings of which every match of an expression holds one; empty where none are known or they are too many."""
    tree = parser.parse(source, flags & ~re.UNICODE & ~re.DEBUG)
    found = _needs(tree, bool(flags & re.IGNORECASE))
    return found if len(found) <= _MOST_STRINGS and _telling(found) > _LETTER else frozenset()


def _needs(items: Iterable[Item], folded: bool) -> Strings:
    """The most telling of the sets that a sequence gives: each of its parts stands in every match."""
    sets = [_shortest(s) for s in _sets(items, folded)]
    return max(sets, key=lambda s: (_telling(s), -len(s)), default=frozenset())


def _sets(items: Iterable[Item], folded: bool) -> Iterator[Strings]:
    """What each stretch of known strings may be, and what the parts between such stretches need."""
    run: Strings | None = None
    for item in items:
        strings = _exact(item, folded)
        joined = _joined(run, strings) if run and strings else strings
        if joined is None:
            yield from filter(None, (run, _part(item, folded)))
        elif run and strings and joined is strings:
            yield run
        run = joined
    if run:
        yield run


def _joined(first: Strings, second: Strings) -> Strings:
    """One string after the other; the second ones alone if that gives too many."""
    if len(first) * len(second) > _MOST_JOINED:
        return second
    return frozenset(a + b for a in first for b in second)


def _exact(item: Item, folded: bool) -> Strings | None:
    """All that a part of a sequence can match, None if that is much or not known."""
    code, value = item
    if code is op.LITERAL or code is op.IN:
        return _characters(value if code is op.IN else [item], folded)
    if code is op.AT or code is op.ASSERT_NOT:  # these take no room
        return frozenset(("",))
    ways: Iterable[Iterable[Item]] = ()
    if code is op.BRANCH:
        ways = value[1]
    elif code is op.SUBPATTERN and not value[1] and not value[2]:
        ways = (value[3],)
    elif code is op.MAX_REPEAT and value[1] == 1:
        ways = (value[2],) if value[0] else (value[2], ())
    found: set[str] = set()
    for way in ways:
        strings = frozenset(("",))
        for inner in way:
            more = _exact(inner, folded)
            if more is None or len(strings) * len(more) > _MOST_JOINED:
                return None
            strings = _joined(strings, more)
        found |= strings
    return frozenset(found) if 0 < len(found) <= _MOST_JOINED else None


def _part(item: Item, folded: bool) -> Strings:
    """What a part of a sequence needs that may match too much to tell."""
    code, value = item
    if code is op.BRANCH:
        ways = [_needs(way, folded) for way in value[1]]
        return frozenset().union(*ways) if all(ways) else frozenset()
    if code is op.SUBPATTERN:
        _, added, removed, inner = value
        return frozenset() if added or removed else _needs(inner, folded)
    if code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        least, _, inner = value
        return _needs(inner, folded) if least else frozenset()
    if code is op.ASSERT:
        return _needs(value[1], folded)
    return _needs(value, folded) if code is op.ATOMIC_GROUP else frozenset()


def _characters(items: Iterable[Item], folded: bool) -> Strings | None:
    """The characters of a class, None if there are many or all but some."""
    found: set[str] = set()
    for code, value in items:
        if code is op.LITERAL:
            codes = range(value, value + 1)
        elif code is op.RANGE:
            codes = range(value[0], value[1] + 1)
        else:
            return None
        for number in codes[: _MOST_JOINED + 1]:
            letter = _letter(chr(number), folded)
            if letter is None:
                return None
            found.add(letter)
    return frozenset(found) if len(found) <= _MOST_JOINED else None


def _letter(character: str, folded: bool) -> str | None:
    """As it stands in a folded text; None for a letter of another alphabet with two cases, whose variants are many."""
    if not folded:
        return character
    low = character.lower()
    return low if low.isascii() or low == character.upper() else None


def _shortest(strings: Strings) -> Strings:
    """Without the strings that hold another one."""
    return frozenset(s for s in strings if not any(other in s for other in strings if other != s))


def _telling(strings: Strings) -> int:
    """How seldom a text holds one of the strings by chance: that of the least telling one."""
    return min((min(sum(_weight(c) for c in s), _LONG) for s in strings), default=0)


def _weight(character: str) -> int:
    if not character.isascii():
        return _HAN
    return _LETTER if character.isalnum() or character == " " else _MARK


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
