"""What a text must have for a pattern to match at all: a quick look that spares most patterns' search.

A text is reduced to its *grams*: every one, two and three characters that stand side by side, in ASCII lower case,
and a mark if it has a capital. From a pattern's parse tree follow *needs*: sets of grams of which any match
contains at least one each. A pattern whose needs a text does not meet cannot match there or in any stretch of it,
so leaving it out changes no result. (The same idea lets code search engines answer regular expressions from an
index of trigrams.)
"""

from __future__ import annotations

import re
from functools import lru_cache
from re import _constants as c  # type: ignore[attr-defined]
from re import _parser as sre  # type: ignore[attr-defined]
from typing import Any, NamedTuple

Needs = tuple[frozenset[str], ...]

# Stands among a text's grams for "has an ASCII capital"; no text has it, for U+FFFF is no character.
CAPITAL = "\uffff"
_LONGEST_GRAM = 3
# Further sets seldom rule out a text that the best ones let through.
_MOST_NEEDS = 3
# A class of more characters says little, and a set of more grams takes as long to look up as a search.
_WIDEST_CLASS = 24
_MOST_GRAMS = 160
_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
_UPPER = frozenset(range(ord("A"), ord("Z") + 1))
_DIGITS = frozenset(range(ord("0"), ord("9") + 1))
# Rough shares of the characters of English text; others are rarer.
_SHARES = {" ": 0.18} | dict(zip("etaoinshrdlcumwfgypbvkjxqz", (
    0.1, 0.075, 0.065, 0.062, 0.057, 0.057, 0.053, 0.05, 0.05, 0.035, 0.033, 0.023, 0.023, 0.02, 0.02, 0.018, 0.017,
    0.016, 0.016, 0.012, 0.008, 0.006, 0.002, 0.002, 0.001, 0.001,
), strict=True))  # fmt: skip
_RARE = 0.004
_Item = tuple[Any, Any]


def grams(text: str) -> frozenset[str]:
    """The grams of ``text``."""
    low = text.translate(_LOWER)
    found = set(low)
    for size in range(2, _LONGEST_GRAM + 1):
        found.update(low[at : at + size] for at in range(len(low) - size + 1))
    if any("A" <= char <= "Z" for char in text):
        found.add(CAPITAL)
    return frozenset(found)


def met(needs: Needs, text_grams: frozenset[str]) -> bool:
    """False if a pattern with these needs cannot match in a text with these grams."""
    return not any(map(text_grams.isdisjoint, needs))


def needs_of(parsed: sre.SubPattern, flags: int) -> Needs:
    """The needs of a parsed pattern, the most telling first; empty if nothing is certain."""
    flags |= parsed.state.flags  # (?i) at its beginning
    folds, ascii_only = bool(flags & re.IGNORECASE), bool(flags & re.ASCII)
    if folds and not ascii_only:  # other alphabets fold in ways of their own (ſ is an s)
        return ()
    found = _sequence(list(parsed), folds, ascii_only)
    best = sorted({need.grams: need for need in found}.values(), key=_share)
    return tuple(need.grams for need in best[:_MOST_NEEDS])


class _Need(NamedTuple):
    """``share``: roughly how often a place of a text has one of ``grams``."""

    share: float
    grams: frozenset[str]


def _need(grams_: frozenset[str]) -> _Need:
    return _Need(sum(map(_gram_share, grams_)), grams_)


def _share(need: _Need) -> float:
    return need.share


@lru_cache(maxsize=4096)
def _gram_share(gram: str) -> float:
    share = 1.0
    for char in gram:
        share *= _SHARES.get(char, _RARE)
    return 0.5 if gram == CAPITAL else share


def _sequence(items: list[_Item], folds: bool, ascii_only: bool) -> list[_Need]:
    """The needs of items that follow one another. ``folds``: case is ignored."""
    found: list[_Need] = []
    run = ""
    for op, arg in items:
        if op is c.LITERAL:
            run += chr(arg)
            if not folds and arg in _UPPER:
                found.append(_CAPITAL)
            continue
        if op is c.AT:
            continue  # a boundary takes no character: what stands around it is side by side
        found.extend(_of_run(run))
        run = ""
        found.extend(_item(op, arg, folds, ascii_only))
    found.extend(_of_run(run))
    return found


@lru_cache(maxsize=8192)
def _of_run(run: str) -> tuple[_Need, ...]:
    """The rarest gram of characters that stand side by side. Words of a list occur in many patterns."""
    if not run:
        return ()
    low = run.translate(_LOWER)
    size = min(len(low), _LONGEST_GRAM)
    return (_need(frozenset((min((low[at : at + size] for at in range(len(low) - size + 1)), key=_gram_share),))),)


def _item(op: Any, arg: Any, folds: bool, ascii_only: bool) -> list[_Need]:
    if op is c.SUBPATTERN:
        _, added, removed, inner = arg
        if added & re.UNICODE:
            return []
        folds = (folds or bool(added & re.IGNORECASE)) and not removed & re.IGNORECASE
        if folds and not ascii_only:
            return []
        return _sequence(list(inner), folds, ascii_only)
    if op is c.BRANCH:
        return _branch([_sequence(list(branch), folds, ascii_only) for branch in arg[1]])
    if op in (c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT):
        least, _, inner = arg
        return _sequence(list(inner), folds, ascii_only) if least else []
    if op is c.ATOMIC_GROUP:
        return _sequence(list(arg), folds, ascii_only)
    if op is c.ASSERT:  # what must stand before or behind stands in the text, too
        return _sequence(list(arg[1]), folds, ascii_only)
    if op is c.IN:
        return _class(arg, folds, ascii_only)
    return []  # negations, any character, references to groups, conditions


def _branch(alternatives: list[list[_Need]]) -> list[_Need]:
    """One of the alternatives matches, so one gram of their best needs is there."""
    if not all(alternatives):
        return []
    union = frozenset().union(*(min(needs, key=_share).grams for needs in alternatives))
    return [_need(union)] if len(union) <= _MOST_GRAMS else []


def _class(items: list[_Item], folds: bool, ascii_only: bool) -> list[_Need]:
    codes: set[int] = set()
    for op, arg in items:
        if op is c.LITERAL:
            codes.add(arg)
        elif op is c.RANGE and (arg[1] - arg[0] < _WIDEST_CLASS or (arg[0] in _UPPER and arg[1] in _UPPER)):
            codes.update(range(arg[0], arg[1] + 1))
        elif op is c.CATEGORY and arg is c.CATEGORY_DIGIT and ascii_only:
            codes |= _DIGITS
        else:
            return []
    if not folds and codes and codes <= _UPPER:
        return [_CAPITAL] + ([_chars(codes)] if len(codes) <= _WIDEST_CLASS else [])
    return [_chars(codes)] if 0 < len(codes) <= _WIDEST_CLASS else []


def _chars(codes: set[int]) -> _Need:
    return _need(frozenset(chr(code).translate(_LOWER) for code in codes))


_CAPITAL = _need(frozenset((CAPITAL,)))
