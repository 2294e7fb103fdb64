"""Strings of which every match of a regular expression holds one.

Hundreds of expressions look at every text, and nearly all find nothing; whether one of a few strings stands in a text
is told some ten times sooner. (The same idea lets code search engines answer regular expressions from an index of
trigrams.) From the parse tree of an expression follow sets of strings: a match holds at least one string of each set.
How a text is looked at, as a whole, in lower case or by the characters that stand side by side, is the caller's.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from re import _constants as op  # type: ignore[attr-defined]
from typing import Any, NamedTuple

Item = tuple[Any, Any]
Strings = frozenset[str]
# A class of more characters says little: as many as an alphabet has.
_WIDEST_CLASS = 26
_LITERAL, _AT = op.LITERAL, op.AT
_NOTHING: Strings = frozenset(("",))
_DIGITS = frozenset("0123456789")
# Rough shares of the characters of English text; a Chinese character and a mark are rarer than most letters.
_SHARES = {" ": 0.18} | dict(zip("etaoinshrdlcumwfgypbvkjxqz", (
    0.1, 0.075, 0.065, 0.062, 0.057, 0.057, 0.053, 0.05, 0.05, 0.035, 0.033, 0.023, 0.023, 0.02, 0.02, 0.018, 0.017,
    0.016, 0.016, 0.012, 0.008, 0.006, 0.002, 0.002, 0.001, 0.001,
), strict=True)) | dict.fromkeys("0123456789", 0.01)  # fmt: skip
_RARE = 0.002


class Looking(NamedTuple):
    """How texts are looked at.

    ``form`` gives a character of an expression as it stands in those texts, given the flags that hold for it; None if
    that cannot be told, as for a letter whose case does not count where the text keeps its own. ``joined``: so many
    strings a stretch of characters and choices (``Q[1-4]``) may stand for and still be known as a whole.
    """

    form: Callable[[str, int], str | None]
    joined: int


def needed_strings(tree: Iterable[Item], flags: int, looking: Looking) -> list[Strings]:
    """The sets of strings that an expression needs, in no order; none if nothing is certain.

    ``tree`` is what ``re._parser.parse`` makes of it, ``flags`` hold for all of it.
    """
    return _sequence(tree, int(flags), looking).needs


def share(strings: Iterable[str]) -> float:
    """Roughly at which share of the places of a text one of ``strings`` begins."""
    return sum(map(share_of, strings))


@lru_cache(maxsize=16384)
def share_of(string: str) -> float:
    """Roughly at which share of the places of a text ``string`` begins. Words of a list occur in many expressions."""
    return math.prod([_SHARES.get(character, _RARE) for character in string.lower()])


class _Found(NamedTuple):
    """``exact``: all that a part can match, None if that is much or not known; ``needs``: what its matches need."""

    exact: Strings | None
    needs: list[Strings]


_UNKNOWN = _Found(None, [])


def _sequence(items: Iterable[Item], flags: int, looking: Looking) -> _Found:
    """Strings of parts that stand side by side are joined; each of the parts stands in every match."""
    needs: list[Strings] = []
    whole, run, tail = True, _NOTHING, ""  # ``whole``: nothing stands before the strings run + tail
    form, joined = looking
    for code, value in getattr(items, "data", items):  # a SubPattern's own iteration takes several times as long
        if code is _LITERAL:
            character = form(chr(value), flags)
            if character is not None:
                tail += character
                continue
            found = _UNKNOWN
        elif code is _AT or code is op.ASSERT_NOT:  # these take no room
            continue
        else:
            found = _item(code, value, flags, looking)
        needs += found.needs
        run, tail = _after(run, tail), ""
        exact = found.exact
        if exact is None or len(run) * len(exact) > joined:
            _add(needs, run)
            whole, run = False, exact or _NOTHING
        else:
            run = frozenset([a + b for a in run for b in exact])
    if whole and run is _NOTHING and not needs:
        return _word(tail)
    run = _after(run, tail)
    _add(needs, run)
    return _Found(run if whole else None, needs)


@lru_cache(maxsize=4096)
def _word(word: str) -> _Found:
    """A sequence of characters alone. Words of a list occur in many expressions."""
    if not word:
        return _Found(_NOTHING, [])
    alone = frozenset((word,))
    return _Found(alone, [alone])


def _after(run: Strings, tail: str) -> Strings:
    if run is _NOTHING:
        return frozenset((tail,)) if tail else run
    return frozenset([string + tail for string in run]) if tail else run


def _add(needs: list[Strings], strings: Strings) -> None:
    if "" not in strings:
        needs.append(strings)


def _item(code: Any, value: Any, flags: int, looking: Looking) -> _Found:
    """One part of a sequence."""
    if code is op.IN:
        return _Found(_characters(value, flags, looking), [])
    if code is op.BRANCH:
        return _branch([_sequence(way, flags, looking) for way in value[1]], looking)
    if code is op.SUBPATTERN:
        _, added, removed, inner = value
        if added & re.UNICODE:
            removed |= re.ASCII
        return _known(_sequence(inner, (flags | added) & ~removed, looking))
    if code is op.ATOMIC_GROUP:
        return _known(_sequence(value, flags, looking))
    if code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        least, most, inner = value
        return _repeat(least, most, _sequence(inner, flags, looking))
    if code is op.ASSERT:  # what must stand before or behind takes no room, but stands in the text, too
        return _Found(_NOTHING, _sequence(value[1], flags, looking).needs)
    return _UNKNOWN  # negations, any character, references to groups, conditions


def _known(found: _Found) -> _Found:
    """A part that is known as a whole needs nothing else: it is joined with what stands around it."""
    return found if found.exact is None else _Found(found.exact, [])


def _repeat(least: int, most: int, found: _Found) -> _Found:
    if most == 1 and found.exact is not None:
        return _Found(found.exact if least else found.exact | _NOTHING, [])
    return _Found(None, found.needs) if least else _UNKNOWN


def _branch(ways: list[_Found], looking: Looking) -> _Found:
    """One of the ways matches, so a string of its rarest set is there."""
    exact = [way.exact for way in ways if way.exact]
    if len(exact) == len(ways):
        union = frozenset().union(*exact)
        if len(union) <= looking.joined:
            return _Found(union, [])
        return _UNKNOWN if "" in union else _Found(None, [union])
    if not all(way.needs for way in ways):
        return _UNKNOWN
    rarest = [way.needs[0] if len(way.needs) == 1 else min(way.needs, key=share) for way in ways]
    return _Found(None, [frozenset().union(*rarest)])


def _characters(items: Iterable[Item], flags: int, looking: Looking) -> Strings | None:
    """The characters of a class, None if there are many or all but some."""
    found: set[str] = set()
    for code, value in items:
        if code is op.LITERAL:
            codes = range(value, value + 1)
        elif code is op.RANGE:
            codes = range(value[0], value[1] + 1)
        elif code is op.CATEGORY and value is op.CATEGORY_DIGIT and flags & re.ASCII:
            found |= _DIGITS
            continue
        else:
            return None
        if len(codes) > _WIDEST_CLASS:
            return None
        for number in codes:
            character = looking.form(chr(number), flags)
            if character is None:
                return None
            found.add(character)
    return frozenset(found) if len(found) <= _WIDEST_CLASS else None
