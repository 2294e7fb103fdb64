"""A bound on the work that one pattern can cause, computed from the pattern alone.

Python's ``re`` backtracks. It is kept because every pack pattern passes this check before it is used: the check
counts, for one start position, the most paths a backtracking matcher can try, and refuses a pattern whose count
exceeds ``MAX_PATHS``. With it a text of n characters costs at most n x MAX_PATHS paths a pattern, whatever the text
says, so no time limit (which would make parses depend on the machine's load) is needed. The third-party ``regex``
module backtracks just as well, and the guard it offers is exactly such a time limit.

For every part of a pattern two numbers are computed: in how many ``ways`` it can match from one place (each is a
path on which the rest is tried), and the ``work`` of trying it once.

- A sequence multiplies ways; the work of a later item is done once for each way of the earlier ones.
- Branches add up, but only those that can begin with the same character.
- A repeat of one character class has one way if what follows cannot begin with a character it eats: giving
  characters back never helps then. Otherwise each length is a way. A repeat without bound counts ``UNBOUNDED``
  lengths, and is refused inside another repeat (``(a+)+``), where ways grow exponentially.
- Look-arounds, atomic groups and possessive repeats have one way.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from re import _constants as c  # type: ignore[attr-defined]
from re import _parser as sre  # type: ignore[attr-defined]
from typing import Any, NamedTuple

MAX_PATHS = 300_000
# A pattern that begins with ^ is tried at one place only, not at every character of the text.
ANCHORED_PATHS = 20 * MAX_PATHS
# Lengths that a repeat without bound is charged with: two in one pattern stay affordable, three do not.
UNBOUNDED = 250

_Item = tuple[Any, Any]
_REPEATS = (c.MAX_REPEAT, c.MIN_REPEAT)
# These match in one way, tried at once.
_SINGLE = frozenset((c.LITERAL, c.NOT_LITERAL, c.IN, c.ANY, c.AT))
_CATEGORIES = {
    c.CATEGORY_DIGIT: r"\d", c.CATEGORY_NOT_DIGIT: r"\D", c.CATEGORY_SPACE: r"\s",
    c.CATEGORY_NOT_SPACE: r"\S", c.CATEGORY_WORD: r"\w", c.CATEGORY_NOT_WORD: r"\W",
}  # fmt: skip
# Stand-ins for the characters a class may hold; the literals of the pattern are added to them.
_PROBE = frozenset(map(chr, range(32, 127))) | frozenset("中的,。?\u00e9\u00a0\ue000\n")
_PROBES = "".join(sorted(_PROBE))
# Escapes that stand for a character which the pattern does not show.
_CODE_POINT = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|[UN0-7afnrtv])")


class Cost(NamedTuple):
    """``ways`` to match from one place, ``work`` to try them all."""

    ways: int
    work: int


def paths(pattern: str, flags: int = 0) -> int:
    """The most paths a matcher can try from one start position.

    Raises:
        ValueError: for a pattern that does not compile or nests repeats without bound.
    """
    items = _items(parsed(pattern, flags))
    return _Counter(flags, pattern, items).sequence(items, inside_repeat=False).work


@lru_cache(maxsize=4)
def parsed(pattern: str, flags: int) -> sre.SubPattern:
    """The parse tree of ``pattern``.

    Raises:
        ValueError: for a pattern that is no regular expression.
    """
    try:
        return sre.parse(pattern, flags)
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from None


def check(pattern: str, flags: int = 0) -> str | None:
    """Why ``pattern`` is refused, None if it is safe."""
    try:
        count = paths(pattern, flags)
    except ValueError as error:
        return str(error)
    limit = ANCHORED_PATHS if _anchored(_items(parsed(pattern, flags))) else MAX_PATHS
    if count > limit:
        return (
            f"up to {count} ways to try the pattern at one place, more than {limit}; "
            "bound the repeats ({0,20} for *), or split the rule"
        )
    return None


def _items(part: Any) -> list[_Item]:
    """What a parsed part consists of; its own iteration takes several times as long as its list's."""
    items: list[_Item] = part if isinstance(part, list) else part.data
    return items


def _anchored(items: list[_Item]) -> bool:
    """True if every way to match begins at the start of the text."""
    if not items:
        return False
    op, arg = items[0]
    if op is c.AT:
        return arg is c.AT_BEGINNING
    if op is c.SUBPATTERN:
        return _anchored(_items(arg[3]))
    return op is c.BRANCH and all(_anchored(_items(branch)) for branch in arg[1])


class _Counter:
    def __init__(self, flags: int, pattern: str, items: list[_Item]) -> None:
        self._flags = flags & re.IGNORECASE
        literals = set(pattern)
        escaped = _CODE_POINT.findall(pattern)
        literals.update(chr(int(four or two, 16)) for four, two in escaped if four or two)
        if not all(map(any, escaped)):
            _literals(items, literals)
        self._probe = _PROBE | literals
        self._literals = literals - _PROBE
        self._classes: dict[str, frozenset[str]] = {}

    def sequence(self, items: list[_Item], inside_repeat: bool, after: list[_Item] | None = None) -> Cost:
        """``after`` is what follows ``items``, None if that is not known."""
        ways, work = 1, 1
        for index, (op, arg) in enumerate(items):
            if op in _SINGLE:
                work += ways
                continue
            cost = self._item(op, arg, items[index + 1 :] + (after or []), inside_repeat)
            work += ways * cost.work
            ways *= cost.ways
        return Cost(ways, work)

    def _item(self, op: Any, arg: Any, rest: list[_Item], inside_repeat: bool) -> Cost:
        if op in _REPEATS:
            return self._repeat(arg, rest, inside_repeat)
        if op is c.POSSESSIVE_REPEAT:
            return Cost(1, self.sequence(_items(arg[2]), inside_repeat).work)
        if op is c.ATOMIC_GROUP:
            return Cost(1, self.sequence(_items(arg), inside_repeat).work)
        if op in (c.ASSERT, c.ASSERT_NOT):
            _require_width(arg)
            return Cost(1, self.sequence(_items(arg[1]), inside_repeat).work)
        if op is c.BRANCH:
            return self._branch([_items(branch) for branch in arg[1]], rest, inside_repeat)
        if op is c.SUBPATTERN:
            return self.sequence(_items(arg[3]), inside_repeat, rest)
        if op is c.GROUPREF_EXISTS:
            return self._branch([_items(branch) for branch in arg[1:] if branch], rest, inside_repeat)
        return Cost(1, 1)

    def _branch(self, branches: list[list[_Item]], rest: list[_Item], inside_repeat: bool) -> Cost:
        words: list[str] = []
        open_ended = []
        for branch in branches:
            spelled = _words(branch)
            if spelled is None:
                open_ended.append(branch)
            else:
                words.extend(spelled)
        costs = [self.sequence(branch, inside_repeat, rest) for branch in open_ended]
        firsts = [self._first(branch) for branch in open_ended]
        if words:
            listed = _prefix_chain(words)
            costs.append(Cost(listed, listed + 1))
            firsts.append(None if "" in words else frozenset(self._cased({word[0] for word in words})))
        # What any character may begin is charged to all; the rest only to the characters that it can begin with.
        any_ways = sum(cost.ways for cost, first in zip(costs, firsts, strict=True) if first is None)
        any_work = sum(cost.work for cost, first in zip(costs, firsts, strict=True) if first is None)
        ways, work = Counter[str](), Counter[str]()
        for cost, first in zip(costs, firsts, strict=True):
            for char in first or ():
                ways[char] += cost.ways
                work[char] += cost.work
        most_ways, most_work = max(ways.values(), default=0), max(work.values(), default=0)
        return Cost(max(1, any_ways + most_ways), max(1, any_work + most_work))

    def _repeat(self, arg: Any, rest: list[_Item], inside_repeat: bool) -> Cost:
        low, high, body = int(arg[0]), arg[1], _items(arg[2])
        bounded = high is not c.MAXREPEAT
        if self._keeps_all(body, rest):
            return Cost(1, 1)
        if not bounded and inside_repeat:
            raise ValueError("a repeat without upper bound inside another repeat: bound one of them, e.g. {1,20}")
        once = bounded and int(high) <= 1
        after = rest if once else [(c.BRANCH, (None, [body, rest]))]
        inner = self.sequence(body, inside_repeat or not once, after)
        if not bounded:
            if inner.ways > 1:
                raise ValueError("a repeat without upper bound around a part that matches in several ways")
            return Cost(UNBOUNDED, UNBOUNDED * inner.work)
        ways = work = 0
        for times in range(int(high) + 1):
            branches = inner.ways**times
            work += branches * inner.work
            ways += branches if times >= low else 0
            if work > ANCHORED_PATHS:
                break
        return Cost(max(1, ways), max(1, work))

    def _keeps_all(self, body: list[_Item], rest: list[_Item]) -> bool:
        """True for a repeated character that the next item can never begin with."""
        if len(body) != 1 or body[0][0] not in (c.LITERAL, c.IN, c.NOT_LITERAL):
            return False
        eaten, following = self._first(body), self._first(rest)
        return eaten is not None and following is not None and not (eaten & following)

    def _first(self, items: list[_Item]) -> frozenset[str] | None:
        """Which probe characters can begin ``items``; None where that cannot be told."""
        if not items:
            return None
        op, arg = items[0]
        if op is c.AT and arg in (c.AT_BOUNDARY, c.AT_BEGINNING):
            return self._first(items[1:])
        if op is c.ASSERT and arg[0] == 1:
            return self._first(_items(arg[1]))
        if op is c.ASSERT_NOT and arg[0] == 1:
            allowed, after = self._probe - self._single(_items(arg[1])), self._first(items[1:])
            return allowed if after is None else allowed & after
        if op is c.SUBPATTERN:
            return self._first(_items(arg[3]))
        if op is c.BRANCH:
            firsts = [self._first(_items(branch)) for branch in arg[1]]
            known = [first for first in firsts if first is not None]
            return frozenset().union(*known) if len(known) == len(firsts) else None
        if op in _REPEATS or op is c.POSSESSIVE_REPEAT:
            inside, after = self._first(_items(arg[2])), self._first(items[1:])
            if int(arg[0]) > 0 or inside is None:
                return inside
            return None if after is None else inside | after
        if op in (c.LITERAL, c.NOT_LITERAL, c.IN):
            return self._class(op, arg)
        return None

    def _single(self, items: list[_Item]) -> frozenset[str]:
        """The characters that ``items`` match by themselves, whatever follows."""
        if len(items) != 1:
            return frozenset()
        op, arg = items[0]
        if op is c.BRANCH:
            return frozenset().union(*(self._single(_items(branch)) for branch in arg[1]))
        if op is c.SUBPATTERN:
            return self._single(_items(arg[3]))
        return self._class(op, arg) if op in (c.LITERAL, c.NOT_LITERAL, c.IN) else frozenset()

    def _cased(self, chars: set[str]) -> set[str]:
        return chars | {c.lower() for c in chars} | {c.upper() for c in chars} if self._flags else chars

    def _class(self, op: Any, arg: Any) -> frozenset[str]:
        if op is c.LITERAL:
            # Most items are literals: thousands of small patterns would be compiled for them.
            char = chr(arg)
            found = {char, char.lower(), char.upper()} if self._flags else {char}
            return frozenset(found & self._probe)
        source = f"[^{re.escape(chr(arg))}]" if op is c.NOT_LITERAL else _class_source(arg)
        known = self._classes.get(source)
        if known is None:
            further = _matcher(source, self._flags).findall("".join(self._literals))
            known = self._classes[source] = _in_class(source, self._flags) | frozenset(further)
        return known


def _require_width(arg: Any) -> None:
    """Refuses what the parser lets pass and only the compiler would see, perhaps long after the pack was loaded."""
    direction, inside = arg
    least, most = inside.getwidth()
    if direction < 0 and least != most:
        raise ValueError("not a regular expression: look-behind requires fixed-width pattern")


@lru_cache(maxsize=1024)
def _matcher(source: str, flags: int) -> re.Pattern[str]:
    """Of one class. Most classes occur in many patterns, more of them than ``re`` itself remembers."""
    return re.compile(source, flags)


@lru_cache(maxsize=256)
def _in_class(source: str, flags: int) -> frozenset[str]:
    """Which of the stand-ins every pattern is tried with a class holds."""
    return frozenset(_matcher(source, flags).findall(_PROBES))


def _class_source(members: Any) -> str:
    out = []
    for op, arg in members:
        if op is c.NEGATE:
            out.append("^")
        elif op is c.LITERAL:
            out.append(re.escape(chr(arg)))
        elif op is c.RANGE:
            out.append(f"{re.escape(chr(arg[0]))}-{re.escape(chr(arg[1]))}")
        else:
            out.append(_CATEGORIES[arg])
    return f"[{''.join(out)}]"


_MOST_WORDS = 64


def _words(items: list[_Item]) -> list[str] | None:
    """Every string that ``items`` can match, None if those are not few plain strings."""
    plain = [arg for op, arg in items if op is c.LITERAL]
    if len(plain) == len(items):  # a word of a list, as most branches are
        return ["".join(map(chr, plain))]
    spelled = [""]
    for op, arg in items:
        if op is c.LITERAL:
            options: list[str] | None = [chr(arg)]
        elif op is c.SUBPATTERN:
            options = _words(_items(arg[3]))
        elif op is c.BRANCH:
            members = [_words(_items(branch)) for branch in arg[1]]
            options = None if None in members else [word for member in members for word in member or ()]
        elif op in _REPEATS and arg[1] == 1:
            inner = _words(_items(arg[2]))
            options = None if inner is None else [*inner, *([""] if arg[0] == 0 else [])]
        elif op is c.IN and all(kind is c.LITERAL for kind, _ in arg):
            options = [chr(value) for _, value in arg]
        else:
            options = None
        if options is None or len(spelled) * len(options) > _MOST_WORDS:
            return None
        spelled = [before + after for before in spelled for after in options]
    return spelled


def _prefix_chain(words: list[str]) -> int:
    """Of the words that a place can match at once (each begins the next), the most there can be."""
    counts = Counter(words)
    most, chain = 0, list[tuple[str, int]]()
    for word in sorted(counts):  # what begins a word stands before it
        while chain and not word.startswith(chain[-1][0]):
            chain.pop()
        chain.append((word, counts[word] + (chain[-1][1] if chain else 0)))
        most = max(most, chain[-1][1])
    return most


def _literals(value: Any, found: set[str]) -> None:
    """Every literal character of a parsed pattern."""
    if isinstance(value, tuple) and len(value) == 2:
        op, arg = value
        if op in (c.LITERAL, c.NOT_LITERAL):
            found.add(chr(arg))
            return
        if op is c.RANGE:
            found.update((chr(arg[0]), chr(arg[1])))
            return
    if isinstance(value, list | tuple | sre.SubPattern):
        for member in value:
            _literals(member, found)
