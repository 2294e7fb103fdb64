"""How far two embedders agree on the same questions, and whether that is enough to switch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

# Comparisons that a report tells one by one.
_WORST = 500


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a document: characters ``start`` to ``end`` (exclusive) of its stored text."""

    document_id: str
    start: int
    end: int

    def same_as(self, other: Passage) -> bool:
        """True if both are of one document and share at least half of the shorter one.

        Two embedders may cut a document at different places, for they count tokens differently.
        """
        if self.document_id != other.document_id:
            return False
        shared = min(self.end, other.end) - max(self.start, other.start)
        shorter = min(self.end - self.start, other.end - other.start)
        return 2 * shared >= max(1, shorter)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One query: the Jaccard index of the two result lists, in [0, 1], and whether the best passage is the same.

    ``recorded`` is true if the old list is what was recorded when the query was asked, since the old embedder is gone.
    """

    query: str
    overlap: float
    same_first: bool
    recorded: bool = False


@dataclass(frozen=True, slots=True)
class SwitchRules:
    """When a migration may switch by itself: ``top_k`` results of at least ``minimum_queries`` queries were compared
    and their mean overlap is at least ``minimum_mean``, in [0, 1]."""

    top_k: int = 10
    minimum_mean: float = 0.5
    minimum_queries: int = 20


@dataclass(frozen=True, slots=True)
class Report:
    """Figures over all queries compared: mean and smallest overlap and the share with the same best passage, in [0, 1]
    and 0 without queries. ``worst`` are the comparisons with the least overlap, ``skipped`` counts queries that could
    not be compared."""

    queries: int
    skipped: int
    mean: float
    minimum: float
    same_first: float
    rules: SwitchRules
    worst: tuple[Comparison, ...]

    def objection(self) -> tuple[str, str]:
        """Why the switch should not be made, as a reason and in words; both empty if nothing speaks against it."""
        rules = self.rules
        if self.queries < rules.minimum_queries:
            return "TOO_FEW_QUERIES", (
                f"only {self.queries} queries were compared, {rules.minimum_queries} are needed "
                "(migration.minimum_queries in config/embedders.yaml); add some with --queries FILE"
            )
        if self.queries and self.mean < rules.minimum_mean:
            return "OVERLAP_TOO_LOW", (
                f"the mean overlap of the top {rules.top_k} is {self.mean:.3f}, below {rules.minimum_mean:.3f} "
                "(migration.minimum_mean_overlap in config/embedders.yaml)"
            )
        return "", ""


def jaccard(old: Sequence[Passage], new: Sequence[Passage]) -> float:
    """Size of the intersection over size of the union, in [0, 1]; 1 for two empty lists (Jaccard 1912).

    Passages are matched one to one, each with the first one left that is the same.
    """
    if not old and not new:
        return 1.0
    left = list(new)
    shared = 0
    for passage in old:
        match = next((index for index, other in enumerate(left) if passage.same_as(other)), None)
        if match is not None:
            del left[match]
            shared += 1
    return shared / (len(old) + len(new) - shared)


def compare(query: str, old: Sequence[Passage], new: Sequence[Passage], recorded: bool = False) -> Comparison:
    """The comparison of two result lists, best first."""
    same_first = bool(old and new and old[0].same_as(new[0])) or not (old or new)
    return Comparison(query, jaccard(old, new), same_first, recorded)


def report(comparisons: Sequence[Comparison], skipped: int, rules: SwitchRules) -> Report:
    """All comparisons as a report."""
    ordered = sorted(comparisons, key=lambda c: (c.overlap, c.query))
    return Report(
        queries=len(ordered),
        skipped=skipped,
        mean=fmean(c.overlap for c in ordered) if ordered else 0.0,
        minimum=ordered[0].overlap if ordered else 0.0,
        same_first=fmean(c.same_first for c in ordered) if ordered else 0.0,
        rules=rules,
        worst=tuple(ordered[:_WORST]),
    )
