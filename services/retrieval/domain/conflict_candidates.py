"""Which statements are worth comparing: of other documents, with values of the same kinds, and a rare word shared."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from services.retrieval.domain.meanings import Meanings
from services.retrieval.domain.statements import Statement

# Of the documents that say the same sentence with other values, as many are compared with each other.
_GROUP = 24
# The rarest words of a statement that lead to others, and how many of those are compared.
_RAREST = 3
_MOST = 200


class Candidates:
    """An index of statements by the words that they speak of, in either language, for one comparison."""

    def __init__(
        self, statements: Sequence[Statement], meanings: Meanings, changed: Collection[str] | None = None
    ) -> None:
        """With ``changed``, only pairs with a statement of those documents."""
        self._meanings = meanings
        self._changed = changed
        self._ways = lru_cache(maxsize=65_536)(self._ways_to)
        self._statements = _distinct(statements, changed)
        self._index: dict[tuple[tuple[str, ...], str], list[int]] = defaultdict(list)
        for number, statement in enumerate(self._statements):
            kinds = _kinds(statement)
            for word in statement.words:
                for way in self._ways(word):
                    self._index[kinds, way].append(number)

    def pairs(self) -> Iterator[tuple[Statement, Statement]]:
        """Each pair once."""
        for number, statement in enumerate(self._statements):
            if self._changed is not None and statement.document_id not in self._changed:
                break  # the changed ones come first
            for other in self._of(number, statement):
                yield statement, self._statements[other]

    def _of(self, number: int, statement: Statement) -> list[int]:
        kinds = _kinds(statement)
        met = [self._met(kinds, word) for word in statement.words]
        found: Counter[int] = Counter()
        for others in sorted((m for m in met if m), key=len)[:_RAREST]:
            found.update(others)
        later = [other for other in found if other > number]
        return [
            other
            for other in (sorted(later, key=lambda n: -found[n])[:_MOST] if len(later) > _MOST else later)
            if self._statements[other].document_id != statement.document_id
        ]

    def _met(self, kinds: tuple[str, ...], word: str) -> set[int]:
        ways = {*self._ways(word), *self._meanings.near(word)} if word.isascii() else self._ways(word)
        return {number for way in ways for number in self._index.get((kinds, way), ())}

    def _ways_to(self, word: str) -> tuple[str, ...]:
        """The word, and what it is in English."""
        return (word,) if word.isascii() else (word, *self._meanings.senses(word))


def _kinds(statement: Statement) -> tuple[str, ...]:
    return tuple(sorted(value.kind for value in statement.stated))


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
    seen: set[tuple[str, str, tuple[str, ...]]] = set()
    taken: Counter[tuple[str, str, tuple[str, ...]]] = Counter()
    kept = []
    for statement in sorted(statements, key=lambda s: changed is not None and s.document_id not in changed):
        key = (statement.document_id, statement.subject, statement.values)
        wording = _wording_of(statement)
        if key in seen or taken[wording[1:]] >= _GROUP or len(told[wording]) > 1:
            continue
        seen.add(key)
        taken[wording[1:]] += 1
        kept.append(statement)
    return kept
