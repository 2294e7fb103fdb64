"""Passages of different documents that speak of the same thing with different numbers or dates."""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from services.retrieval.domain.conflict.conflict_candidates import Candidates
from services.retrieval.domain.conflict.meanings import GroupedMeanings, Meanings
from services.retrieval.domain.conflict.sameness import Sameness, sameness
from services.retrieval.domain.conflict.statements import Statement
from services.retrieval.domain.conflict.subjects import Subjects
from services.retrieval.domain.conflict.wording import Wording
from services.retrieval.domain.documents import StoredDocument
from services.retrieval.domain.values.value_matching import allowed, comparable, differing
from services.retrieval.domain.versions.family_index import FamilyIndex

# Pairs of sentences reported for a pair of documents.
_PAIRS = 5
# A word of more documents than this, and than this share of them, is common.
_COMMON_FROM, _COMMON_SHARE = 8, 0.05


class ConflictKind(enum.StrEnum):
    """Why two statements differ."""

    SUPERSEDED = "superseded"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two statements that speak of the same thing and differ in their values.

    ``reason``: why it is the same thing; ``weight``: how much they have in common, about one a word.
    """

    kind: ConflictKind
    first: Statement
    second: Statement
    reason: str = ""
    weight: float = 0.0

    @property
    def remedy(self) -> str:
        """What would help."""
        if self.kind is ConflictKind.SUPERSEDED:
            return "the version in force on the day asked about decides"
        return "correct one of them, declare which supersedes the other, or retire one"


@dataclass(frozen=True, slots=True)
class ConflictReport:
    """Conflicts, true ones first, and how many documents were not compared because there are too many statements."""

    conflicts: tuple[Conflict, ...] = ()
    left_out: int = 0

    def count(self, kind: ConflictKind) -> int:
        """How many there are of a kind."""
        return sum(conflict.kind is kind for conflict in self.conflicts)


def find_conflicts(
    statements: Iterable[Statement],
    documents: Mapping[str, StoredDocument],
    wording: Wording,
    meanings: Meanings,
    changed: Collection[str] | None = None,
) -> list[Conflict]:
    """Pairs of statements of different ``documents``, true conflicts first; with ``changed``, only pairs with one of
    those documents.

    Two statements speak of the same thing if their words do (``sameness``), they name the same periods, codes and
    places in a text, and neither titles nor headings tell different subjects (``Subjects``). Candidates share a rare
    word, by an index, so that the cost grows about linearly with the statements.
    """
    meanings = GroupedMeanings(meanings, wording)
    spoken = [statement for statement in statements if statement.document_id in documents]
    comparison = _Comparison(documents, wording, meanings, spoken)
    candidates = Candidates(spoken, meanings, changed)
    found = [conflict for pair in candidates.pairs() if (conflict := comparison.conflict(*pair)) is not None]
    found = comparison.unsettled(found)
    found.sort(
        key=lambda c: (
            c.kind is ConflictKind.SUPERSEDED,
            c.first.document_id,
            c.second.document_id,
            -len(c.first.stated),
            -c.weight,
        )
    )
    return _bounded(found)


class _Comparison:
    def __init__(
        self,
        documents: Mapping[str, StoredDocument],
        wording: Wording,
        meanings: Meanings,
        spoken: Iterable[Statement] = (),
    ) -> None:
        self._common = _common_words(spoken)
        # How near the sentence of another document is that gives a statement the same values.
        self._agreed: dict[tuple[int, str], float] = {}
        self._documents = documents
        self._meanings = meanings
        self._subjects = Subjects(documents, wording, meanings)
        self._index = FamilyIndex(document.metadata for document in documents.values())
        self._families: dict[str, frozenset[str]] = {}

    def conflict(self, first: Statement, second: Statement) -> Conflict | None:
        """What the pair is told as, None if it is none."""
        if first.document_id > second.document_id:
            first, second = second, first
        if not comparable(first.stated, second.stated):
            return None
        differences = differing(first.stated, second.stated, first.manner.rough or second.manner.rough)
        if differences and (first.sentence == second.sentence or allowed(differences, first.words, second.words)):
            return None
        same = self._same(first, second)
        if same is None:
            return None
        if not differences:
            self._agrees(first, second, same.weight)
            return None
        # Versions that are in force together, such as a note that cannot replace a regulation, do conflict.
        windows = [self._documents[s.document_id].window for s in (first, second)]
        kind = ConflictKind.CONFLICT if windows[0].meets(windows[1]) else ConflictKind.SUPERSEDED
        told = ", ".join(f"{a.written} against {b.written}" for a, b in differences)
        return Conflict(kind, first, second, f"{same.reason(first.sentence, second.sentence)}; {told}", same.weight)

    def _agrees(self, first: Statement, second: Statement, weight: float) -> None:
        for one, other in ((first, second), (second, first)):
            key = (id(one), other.document_id)
            self._agreed[key] = max(self._agreed.get(key, 0.0), weight)

    def unsettled(self, conflicts: Sequence[Conflict]) -> list[Conflict]:
        """Those of which neither side is told with the same value by another sentence of the other document that is at
        least as near: of a series, what is said of one is no conflict with what is said of the next."""
        return [
            conflict
            for conflict in conflicts
            if max(
                self._agreed.get((id(conflict.first), conflict.second.document_id), 0.0),
                self._agreed.get((id(conflict.second), conflict.first.document_id), 0.0),
            )
            < conflict.weight
        ]

    def _same(self, first: Statement, second: Statement) -> Sameness | None:
        around = [self._subjects.around(s) for s in (first, second)]
        keys = [frozenset(s.keys.split("|")) - {""} for s in (first, second)]
        if keys[0] - keys[1] - around[1].keys or keys[1] - keys[0] - around[0].keys:
            return None
        both = (keys[0] | around[0].keys) & (keys[1] | around[1].keys)
        # What a handbook and a policy are about they need not say; articles are each about the thing of their title.
        of_rules = self._subjects.are_of_a_kind(around[0], around[1])
        titles = (around[0].title, around[1].title) if of_rules else (frozenset[str](), frozenset[str]())
        beyond = around[0].words, around[1].words
        same = sameness(first, second, beyond, self._meanings, both, titles, self._common)
        if same is None or self._are_versions(first.document_id, second.document_id):
            return same
        if first.own or second.own:
            return None
        if (first.resolved or second.resolved) and not of_rules:
            return None
        spoken = frozenset(first.words) | frozenset(second.words)
        return None if self._subjects.differ(around[0], around[1], spoken, same.weight) else same

    def _are_versions(self, first: str, second: str) -> bool:
        if first not in self._families:
            self._families[first] = frozenset(self._index.family([first]))
        return second in self._families[first]


def _common_words(spoken: Iterable[Statement]) -> frozenset[str]:
    """Words that so many documents have that they tell little of what one speaks of."""
    held: dict[str, set[str]] = defaultdict(set)
    documents = set()
    for statement in spoken:
        documents.add(statement.document_id)
        for word in statement.words:
            held[word].add(statement.document_id)
    most = max(_COMMON_FROM, _COMMON_SHARE * len(documents))
    return frozenset(word for word, where in held.items() if len(where) > most)


def _bounded(conflicts: Sequence[Conflict]) -> list[Conflict]:
    taken: dict[tuple[str, str], int] = defaultdict(int)
    told: set[tuple[str, str, str, str]] = set()
    kept = []
    for conflict in conflicts:
        sides = (conflict.first, conflict.second)
        key = (sides[0].document_id, sides[0].sentence, sides[1].document_id, sides[1].sentence)
        if key in told:
            continue  # by its whole sentences, and by what their first clauses state
        told.add(key)
        pair = (conflict.first.document_id, conflict.second.document_id)
        if taken[pair] < _PAIRS:
            taken[pair] += 1
            kept.append(conflict)
    return kept
