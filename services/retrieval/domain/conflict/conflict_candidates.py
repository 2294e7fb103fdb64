"""Which statements are worth comparing: of other documents, with values of the same kinds, and a rare word shared."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice

from services.retrieval.domain.conflict.meanings import Meanings
from services.retrieval.domain.conflict.statements import Statement

# Of the documents that say the same sentence with other values, as many are compared with each other.
_GROUP = 24
# The rarest words of a statement that lead to others, how many of those are looked at, and how many compared.
_RAREST = 3
_LOOKED_AT = 4_000
_MOST = 200


class Candidates:
    """An index of statements by the words that they speak of, in either language, for one comparison.

    Two statements are a pair if one of the rarest words of either, among those that other documents share, leads to the
    other: so it is the same whichever document comes first. The statements of a document stand beside each other, so
    that what other documents hold of a word is found without a look at the document's own thousands of rows.
    """

    def __init__(
        self, statements: Sequence[Statement], meanings: Meanings, changed: Collection[str] | None = None
    ) -> None:
        """With ``changed``, only pairs with a statement of those documents."""
        self._meanings = meanings
        self._ways = lru_cache(maxsize=65_536)(self._ways_to)
        self._statements = sorted(_distinct(statements, changed), key=lambda s: (_unchanged(s, changed), s.document_id))
        self._first_unchanged = sum(not _unchanged(statement, changed) for statement in self._statements)
        self._spans: dict[str, tuple[int, int]] = {}
        self._index: dict[tuple[tuple[str, ...], str], list[int]] = defaultdict(list)
        for number, statement in enumerate(self._statements):
            self._spans[statement.document_id] = (self._spans.get(statement.document_id, (number,))[0], number + 1)
            kinds = _kinds(statement)
            for word in statement.words:
                for way in self._ways(word):
                    self._index[kinds, way].append(number)
        self._met: dict[tuple[tuple[str, ...], str], tuple[list[int], ...]] = {}

    def pairs(self) -> Iterator[tuple[Statement, Statement]]:
        """Each pair once."""
        told: dict[int, array[int]] = {}
        for number, statement in enumerate(self._statements):
            found = sorted(self._of(number, statement))
            if number < self._first_unchanged:
                told[number] = array("L", found[bisect_left(found, number) :])
            for other in found:
                if other > number or not _holds(told[other], number):
                    yield statement, self._statements[other]

    def _of(self, number: int, statement: Statement) -> list[int]:
        """The statements that the rarest words of this one lead to; for an unchanged one only changed ones."""
        start, end = self._spans[statement.document_id]
        changed_only = number >= self._first_unchanged
        met = self._met_by(_kinds(statement), statement.words)
        if changed_only and not any(posting[0] < self._first_unchanged for postings in met for posting in postings):
            return []
        others = [(sum(_count_without(posting, start, end) for posting in postings), postings) for postings in met]
        found: Counter[int] = Counter()
        left = _LOOKED_AT
        for size, postings in sorted((one for one in others if one[0]), key=lambda one: one[0])[:_RAREST]:
            if size > left and found:
                break
            parts = (part for posting in postings for part in _without(posting, start, end))
            found.update(set(islice(chain.from_iterable(parts), left)))
            left -= size
        wanted = [other for other in found if not changed_only or other < self._first_unchanged]
        return sorted(wanted, key=lambda n: -found[n])[:_MOST] if len(wanted) > _MOST else wanted

    def _met_by(self, kinds: tuple[str, ...], words: Sequence[str]) -> list[tuple[list[int], ...]]:
        """For each word the numbers, ascending, of the statements that have it or a near-synonym, by that."""
        found = []
        for word in words:
            postings = self._met.get((kinds, word))
            if postings is None:
                ways = {*self._ways(word), *self._meanings.near(word)} if word.isascii() else self._ways(word)
                met = (self._index.get((kinds, way)) for way in sorted(ways))
                postings = self._met[kinds, word] = tuple(posting for posting in met if posting)
            if len(postings) > 1 or len(postings[0]) > 1:
                found.append(postings)
        return found

    def _ways_to(self, word: str) -> tuple[str, ...]:
        """The word, and what it is in English."""
        return (word,) if word.isascii() else (word, *self._meanings.senses(word))


def _count_without(numbers: list[int], start: int, end: int) -> int:
    """How many of ascending ``numbers`` are not from ``start`` up to ``end``."""
    return len(numbers) - bisect_left(numbers, end) + bisect_left(numbers, start)


def _without(numbers: list[int], start: int, end: int) -> tuple[list[int], list[int]]:
    """Those numbers."""
    return numbers[: bisect_left(numbers, start)], numbers[bisect_left(numbers, end) :]


def _holds(numbers: Sequence[int], number: int) -> bool:
    """Whether ``number`` is among ascending ``numbers``."""
    at = bisect_left(numbers, number)
    return at < len(numbers) and numbers[at] == number


def _unchanged(statement: Statement, changed: Collection[str] | None) -> bool:
    return changed is not None and statement.document_id not in changed


def _kinds(statement: Statement) -> tuple[str, ...]:
    return tuple(sorted(value.compared for value in statement.stated))


def _wording_of(statement: Statement) -> tuple[str, str, str, tuple[str, ...]]:
    return statement.document_id, statement.subject, statement.keys, _kinds(statement)


def _distinct(statements: Sequence[Statement], changed: Collection[str] | None) -> list[Statement]:
    """Those of ``changed`` first; one of a document, wording and values is enough, and 24 of a wording, so that a
    template with thousands of copies stays cheap.

    What a document tells with several values in the same words depends on what stands around it, and is left out.
    """
    told: dict[tuple[str, str, str, tuple[str, ...]], set[tuple[str, ...]]] = defaultdict(set)
    for statement in statements:
        told[_wording_of(statement)].add(statement.values)
    seen: set[tuple[str, str, str, tuple[str, ...]]] = set()
    taken: Counter[tuple[str, str, tuple[str, ...]]] = Counter()
    kept = []
    for statement in sorted(statements, key=lambda s: _unchanged(s, changed)):
        key = (statement.document_id, statement.subject, statement.keys, statement.values)
        wording = _wording_of(statement)
        if key in seen or taken[wording[1:]] >= _GROUP or len(told[wording]) > 1:
            continue
        seen.add(key)
        taken[wording[1:]] += 1
        kept.append(statement)
    return kept
