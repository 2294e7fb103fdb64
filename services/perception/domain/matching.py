"""Running rules over one text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from services.common.domain.question import Origin
from services.perception.domain.prefilter import grams
from services.perception.domain.rules import Able, Rule, RuleSet, Sets
from services.perception.domain.text import NormalisedText
from services.perception.domain.tokens import Analysis


@dataclass(frozen=True, slots=True)
class Match:
    """A rule that fired on characters ``start`` to ``end`` (exclusive) of the normalised text.

    ``groups`` are the named groups of the pattern that took part, with their place.
    """

    rule: Rule
    start: int
    end: int
    groups: tuple[tuple[str, int, int], ...] = ()

    def group(self, name: str) -> tuple[int, int] | None:
        """Where the named group matched, None if it took no part."""
        return next(((start, end) for key, start, end in self.groups if key == name), None)


@dataclass(frozen=True, slots=True)
class Question:
    """A question on its way through the stages: its text, its tags and the rules in force.

    What several stages ask for is found once and kept.
    """

    text: NormalisedText
    analysis: Analysis
    rules: RuleSet
    languages: frozenset[str]
    _by_kind: dict[Sets, list[Able]] = field(default_factory=dict, repr=False, compare=False)
    _able: dict[tuple[Sets, tuple[str, ...]], list[Able]] = field(default_factory=dict, repr=False, compare=False)
    _matches: dict[Sets, tuple[Match, ...]] = field(default_factory=dict, repr=False, compare=False)

    def rules_for(self, kind: Sets, *values: str) -> tuple[Rule, ...]:
        """The rules that set ``kind`` (to one of ``values``, if any are given) and know a language of this question."""
        return self.rules.chosen(kind, self.languages, values)

    def able(self, kind: Sets, *values: str) -> list[Able]:
        """Those of :meth:`rules_for` that can match the text or a stretch of it, with the patterns that can."""
        known = self._able.get((kind, values))
        if known is None:
            if not self._by_kind:
                self._by_kind.update(self.rules.index.able(grams(self.text.text)))
            known = self._able[kind, values] = [
                able for able in self.known(self._by_kind.get(kind, ())) if not values or able[0].value in values
            ]
        return known

    def known(self, able: Iterable[Able]) -> Iterator[Able]:
        """Those rules that know a language of this question."""
        return (pair for pair in able if pair[0].language == "any" or pair[0].language in self.languages)

    def patterns(self, kind: Sets, *values: str) -> list[re.Pattern[str]]:
        """The patterns of :meth:`able`, in rule order."""
        return [pattern for _, patterns in self.able(kind, *values) for pattern in patterns]

    def matches(self, kind: Sets) -> tuple[Match, ...]:
        """Every match of the rules that set ``kind``, over the whole text, in rule order."""
        known = self._matches.get(kind)
        if known is None:
            known = self._matches[kind] = tuple(self.matches_in(kind, 0, len(self.text.text)))
        return known

    def matches_in(self, kind: Sets, start: int, end: int, *values: str) -> Iterator[Match]:
        """The matches inside one stretch, which the rules see as a whole text."""
        for rule, patterns in self.able(kind, *values):
            yield from run_rule(rule, self.text.text, start, end, self.analysis, patterns)

    def origin(self, match: Match) -> Origin:
        """The explanation of a match, with the user's own spelling."""
        return match.rule.origin(self.text.surface(match.start, match.end))


def run_rule(
    rule: Rule,
    text: str,
    start: int,
    end: int,
    analysis: Analysis | None = None,
    patterns: Sequence[re.Pattern[str]] | None = None,
) -> list[Match]:
    """All matches of ``rule`` in ``text[start:end]``, seen as a text of its own; places index ``text``.

    ``patterns``: the only ones to try, in place of all that the rule has.
    """
    part = text[start:end]
    if rule.requires is not None and not rule.requires.search(part):
        return []
    found = []
    for pattern in (own.compiled() for own in rule.patterns) if patterns is None else patterns:
        for hit in pattern.finditer(part):
            groups = tuple(
                (name, hit.start(name) + start, hit.end(name) + start)
                for name in pattern.groupindex
                if hit.start(name) >= 0
            )
            found.append(Match(rule, hit.start() + start, hit.end() + start, groups))
    if rule.tokens and analysis is not None:
        found.extend(
            Match(rule, m.start, m.end)
            for m in analysis.matches
            if m.rule_id == rule.id and m.start >= start and m.end <= end
        )
    # Last: most rules do not match, and then what takes them out need not be looked for.
    if found and rule.unless is not None and rule.unless.search(part):
        return []
    return found


class Ranked(Protocol):
    """A stretch of text with a rank."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...

    @property
    def rank(self) -> float: ...


R = TypeVar("R", bound=Ranked)


def leftmost_longest(stretches: Iterable[R]) -> list[R]:
    """Stretches that do not overlap: the earliest wins, of two that start together the longer one, then rank."""
    kept: list[R] = []
    for stretch in sorted(stretches, key=lambda s: (s.start, s.start - s.end, -s.rank)):
        if not kept or stretch.start >= kept[-1].end:
            kept.append(stretch)
    return kept


def overlaps(start: int, end: int, others: Sequence[tuple[int, int]]) -> bool:
    """True if [start, end) shares a character with one of ``others``."""
    return any(start < other_end and other_start < end for other_start, other_end in others)
