"""How far two embedders agree on the same questions, and whether that is enough to switch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean


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
    """All comparisons, the worst first."""

    comparisons: tuple[Comparison, ...]
    top_k: int
    minimum_mean: float
    minimum_queries: int

    @property
    def mean(self) -> float:
        """Mean overlap; 0 without queries."""
        return fmean(c.overlap for c in self.comparisons) if self.comparisons else 0.0

    @property
    def minimum(self) -> float:
        """Smallest overlap; 0 without queries."""
        return min((c.overlap for c in self.comparisons), default=0.0)

    @property
    def same_first(self) -> float:
        """Share of queries with the same best passage; 0 without queries."""
        return fmean(c.same_first for c in self.comparisons) if self.comparisons else 0.0

    def objection(self) -> str:
        """Why the switch should not be made, in words; empty if nothing speaks against it."""
        if len(self.comparisons) < self.minimum_queries:
            return (
                f"only {len(self.comparisons)} queries were compared, {self.minimum_queries} are needed "
                "(migration.minimum_queries in config/embedders.yaml); add some with --queries FILE"
            )
        if self.comparisons and self.mean < self.minimum_mean:
            return (
                f"the mean overlap of the top {self.top_k} is {self.mean:.3f}, below {self.minimum_mean:.3f} "
                "(migration.minimum_mean_overlap in config/embedders.yaml)"
            )
        return ""


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


def report(comparisons: Sequence[Comparison], rules: SwitchRules) -> Report:
    """Comparisons as a report, the worst first."""
    ordered = tuple(sorted(comparisons, key=lambda c: (c.overlap, c.query)))
    return Report(ordered, rules.top_k, rules.minimum_mean, rules.minimum_queries)
