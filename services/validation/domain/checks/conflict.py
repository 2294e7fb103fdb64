"""Sources that disagree are told as such, unless version, force or authority decides between them."""

from __future__ import annotations

from collections.abc import Iterator

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.checks.timeliness import tells_its_time
from services.validation.domain.sources.agreement import (
    Disagreement,
    Told,
    decide,
    disagreements,
    periods_differ,
    titles_tell_apart,
    told,
)
from services.validation.domain.sources.measures import rival_of
from services.validation.domain.times.moments import covers
from services.validation.domain.values.compare import comparable, equal, loosely


@register(
    "conflict",
    Lock.CONSISTENCY,
    sees="two retrieved passages with different values for the same measure, entity and period, of which the"
    " answer names one "
    "silently, or the one that gives way",
    blind="conflicts told in very different words, and with passages that were not retrieved",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield CONFLICTING_SOURCES."""
    disclosing = [r for r in case.readings if case.config.lexicon.disclosure.search(r.analysis.low)]
    everything = {c for r in case.readings for c in r.cited}
    for reading in case.readings:
        if reading.is_claim and reading.cited:
            disclosed = everything if any(_discloses_for(d, reading) for d in disclosing) else set()
            found = _undecided(case, reading, disclosed)
            if found is not None:
                yield _finding(reading, found)


def _discloses_for(disclosing: Reading, reading: Reading) -> bool:
    """Whether a disagreement that one statement tells may be about another: unless it gives both its sides, with
    values of another kind than the other's."""
    if disclosing is reading or len(disclosing.cited) <= 1:
        return True
    told, mine = disclosing.analysis, reading.analysis
    if not told.quantities and not told.moments:
        return True
    return any(comparable(*loosely(q, t)) for q in mine.quantities for t in told.quantities) or any(
        m.kind == t.kind for m in mine.moments for t in told.moments
    )


def _undecided(case: Case, reading: Reading, disclosed: set[int]) -> Disagreement | None:
    aligned = [a.unit for a in case.align(reading, reading.cited) if a.coverage.share >= _SPEAKS_OF]
    for unit in aligned:
        for found in disagreements(case, unit, case.others([unit.citation])):
            other = found.second.unit.citation
            if other in disclosed or found.winner == unit.citation or not _tells(case, reading, found.first):
                continue
            if found.decided_by in ("version", "in_force") and tells_its_time(case, reading, unit.citation):
                # An older value told with its period is history, not a choice.
                continue
            if other in reading.cited and _tells(case, reading, found.second):
                continue
            return found
    return _other_measure(case, reading, disclosed)


def _other_measure(case: Case, reading: Reading, disclosed: set[int]) -> Disagreement | None:
    """The same measure told in another sentence structure."""
    others = [c for c in case.others(reading.cited) if c not in disclosed]
    found = rival_of(case, reading, others)
    if found is None:
        return None
    unit, value, other, rival = found
    here, there = case.passage(unit.citation), case.passage(other.citation)
    rule, winner = decide(case, here, there)
    stale = rule in ("version", "in_force") and tells_its_time(case, reading, unit.citation)
    if winner == unit.citation or stale or periods_differ(here, there) or titles_tell_apart(case, here, there):
        return None
    return Disagreement(told(unit, value), told(other, rival), rule, winner)


def _tells(case: Case, reading: Reading, said: Told) -> bool:
    """The statement takes over what the unit says: its value or time, or, for a whole clause, its words."""
    analysis = said.unit.analysis
    start, end = said.start - said.unit.start, said.end - said.unit.start
    values = [q for q in analysis.quantities if start <= q.start and q.end <= end]
    times = [m for m in analysis.moments if start <= m.start and m.end <= end]
    if (not values and not times) or end - start >= len(analysis.text) - 2:
        return True
    mine = reading.analysis
    return any(equal(*loosely(q, v)) for q in mine.quantities for v in values) or any(
        covers(m, t) for m in mine.moments for t in times
    )


def _finding(reading: Reading, found: Disagreement) -> Finding:
    rule = f"; {found.decided_by} decides for [{found.winner}]" if found.winner else ""
    first, second = found.first, found.second
    return Finding(
        IssueType.CONFLICTING_SOURCES, reading.index,
        f"[{first.unit.citation}] says {first.surface}, [{second.unit.citation}] {second.surface}{rule}",
        RemedyKind.RECITE if found.winner else RemedyKind.DISCLOSE_CONFLICT, citation=second.unit.citation,
        evidence=(second.start, second.end), found=first.surface, expected=second.surface, recite=found.winner,
    )  # fmt: skip


_SPEAKS_OF = 0.4
