"""Passages that give different values for the same measure, entity and period, and what decides between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.case import Case
from services.validation.domain.force import polarity
from services.validation.domain.force.contrast import modifier_swaps, rivals
from services.validation.domain.reading.antecedents import one_asked_for
from services.validation.domain.reading.clauses import Clause
from services.validation.domain.reading.evidence import Passage, Unit
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.roles.actors import by_agent, is_actor, subject
from services.validation.domain.sources.timeline import Standing
from services.validation.domain.times.moments import Moment, same_time
from services.validation.domain.values import binding
from services.validation.domain.values.compare import bounds_clash, comparable, entailed_by_range, equal, loosely
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.wording.align import RELATED, SYNONYM, Coverage, cover, covered, match, reaches


@dataclass(frozen=True, slots=True)
class Told:
    """What a unit says at the point of disagreement, with its place in the chunk."""

    unit: Unit
    surface: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two units that say different things of one subject; ``decided_by`` is empty if nothing settles it.

    ``winner`` is the citation that prevails, 0 if none does.
    """

    first: Told
    second: Told
    decided_by: str
    winner: int


def disagreements(case: Case, unit: Unit, others: Sequence[int]) -> Iterator[Disagreement]:
    """Units of other passages that say something else of the same thing: a value, a time, a force, an actor."""
    for other in case.units(others):
        yield from disagreements_of(case, unit, other)


def disagreements_of(case: Case, unit: Unit, other: Unit) -> Iterator[Disagreement]:
    """What two units say differently of the same thing; rows of tables are not compared."""
    if other.kind != "sentence" or unit.kind != "sentence":
        return
    for first, second in _clashes(case, unit, other):
        rule, winner = decide(case, case.passage(unit.citation), case.passage(other.citation))
        yield Disagreement(first, second, rule, winner)


def _clashes(case: Case, unit: Unit, other: Unit) -> Iterator[tuple[Told, Told]]:
    if _name_others(unit, other) or binding.names_agree(unit.names, other.names) < 0:
        return
    if one_asked_for(case, unit, other):
        return
    if _same_subject(case, unit, other):
        for quantity in unit.analysis.quantities:
            rival = None if quantity.weak else _rival(case, unit, quantity, other)
            if rival is not None:
                yield told(unit, quantity), told(other, rival)
        yield from _times(unit, other)
    elif _timed(unit) and _timed(other):
        yield from _times_in_clauses(case, unit, other)
    clash = _force_or_actor(case, unit, other)
    if clash is not None:
        yield clash


def _name_others(unit: Unit, other: Unit) -> bool:
    """Both name identifiers, none of them in common: A320neo and B737-800, however unlike their letters are."""
    mine, theirs = unit.analysis.identifiers, other.analysis.identifiers
    return bool(mine and theirs) and mine.isdisjoint(theirs)


def told(unit: Unit, item: Quantity | Moment | Clause) -> Told:
    """What a unit says in a stretch of its own."""
    text = unit.analysis.text[item.start : item.end].strip()
    return Told(unit, text, unit.start + item.start, unit.start + item.end)


def _times(unit: Unit, other: Unit) -> Iterator[tuple[Told, Told]]:
    """One day, clock time or weekday each, and not the same."""
    for kind in ("clock", "weekday", "day", "year"):
        mine = [m for m in unit.analysis.moments if m.kind == kind]
        theirs = [m for m in other.analysis.moments if m.kind == kind]
        if kind == "year" and not (_ONCE.search(unit.analysis.low) and _ONCE.search(other.analysis.low)):
            continue
        if len(mine) == len(theirs) == 1 and not same_time(mine[0], theirs[0]):
            yield told(unit, mine[0]), told(other, theirs[0])


# What happens to a thing once, so that two years of it cannot both be right.
_ONCE = Pattern(
    r"\b(?:built|erected|founded|established|completed|invented|discovered|born|died|inaugurated|launched|signed"
    r"|published|commissioned|dates (?:from|back)|dated|constructed|was opened|opened in)\b"
    r"|建于|建成|修建|始建|落成|竣工|创建|创办|成立|设立|出生|逝世|卒于|生于|发明|通车|投产|投运|签订|出版|开馆|开业"
)


def _timed(unit: Unit) -> bool:
    return any(m.kind in ("weekday", "year", "day", "clock") for m in unit.analysis.moments)


def _times_in_clauses(case: Case, unit: Unit, other: Unit) -> Iterator[tuple[Told, Told]]:
    """Two clauses in the same words with one time each, and not the same: closed on Mondays, closed on Tuesdays."""
    passages = case.passage(unit.citation), case.passage(other.citation)
    if periods_differ(*passages) or titles_tell_apart(case, *passages):
        return
    for a in case.clauses(unit.analysis):
        for b in case.clauses(other.analysis):
            clashing = next(_other_times(a, b), None)
            if clashing is None:
                continue
            shares = covered(a.terms, b.bag, least=SYNONYM), covered(b.terms, a.bag, least=SYNONYM)
            if min(shares) >= _ALL_BUT_FORCE and sum(t.weight for t in a.terms) >= _SAID:
                yield told(unit, clashing[0]), told(other, clashing[1])


def _end(clause: Clause) -> int:
    """The end of a clause with what stands in brackets behind it: in the twelfth year of Wanli (1584)."""
    text = clause.analysis.text
    closing = text.find("）", clause.end) if text[clause.end - 1] == "（" else -1
    closing = text.find(")", clause.end) if text[clause.end - 1] == "(" else closing
    return max(clause.end, closing)


def _other_times(a: Clause, b: Clause) -> Iterator[tuple[Moment, Moment]]:
    """The times of two clauses that have one of a kind each, and not the same."""
    for kind in ("weekday", "clock", "day", "year"):
        mine, theirs = (
            [m for m in c.analysis.moments if m.kind == kind and c.start <= m.start < _end(c)] for c in (a, b)
        )
        if kind == "year" and not (_ONCE.search(a.low) and _ONCE.search(b.low)):
            continue
        if len(mine) == 1 and len(theirs) == 1 and not same_time(mine[0], theirs[0]):
            yield mine[0], theirs[0]


_SAID = 1.5


def _force_or_actor(case: Case, unit: Unit, other: Unit) -> tuple[Told, Told] | None:
    """Sentences that agree in their words, one permitting what the other forbids, or naming another actor."""
    if len(unit.analysis.clauses) != 1 or len(other.analysis.clauses) != 1:
        return None
    mine, theirs = case.clauses(unit.analysis), case.clauses(other.analysis)
    a, b = mine[0], theirs[0]
    if _unlike(a, b):
        return None
    forward = cover(a.terms, b.bag, least=SYNONYM)
    unshared = {t.key for t in forward.missing}
    if forward.share < _ALL_BUT_FORCE and not (unshared and unshared <= {t.key for t in subject(a)}):
        return None
    backward = cover(b.terms, a.bag, least=SYNONYM)
    lexicon = case.config.lexicon
    if min(forward.share, backward.share) >= _ALL_BUT_FORCE and len(a.terms) > 1:
        denied = polarity.sign(a, lexicon) != polarity.sign(b, lexicon)
        if denied and not polarity.conditional(a, lexicon) and not polarity.conditional(b, lexicon):
            return told(unit, a), told(other, b)
    actor_a, actor_b = ([t for t in subject(c) if is_actor(t)] for c in (a, b))
    foreign = {t.key for t in forward.missing} and {t.key for t in forward.missing} <= {t.key for t in subject(a)}
    lost = {t.key for t in backward.missing} and {t.key for t in backward.missing} <= {t.key for t in subject(b)}
    if actor_a and actor_b and foreign and lost and by_agent(a) and by_agent(b):
        return told(unit, a), told(other, b)
    return None


def _unlike(a: Clause, b: Clause) -> bool:
    """More words differ than a subject has: told from the first few."""
    left = _SUBJECT_WORDS
    for term in a.terms:
        left -= match(term, b.bag) < SYNONYM
        if left < 0:
            return True
    return False


_ALL_BUT_FORCE, _SUBJECT_WORDS = 0.9, 3


def _same_subject(case: Case, a: Unit, b: Unit) -> bool:
    """The sentences differ in nothing but values: words agree both ways, names and times too."""
    if binding.moments_agree(a.moments, b.moments) < 0:
        return False
    least = case.config.settings.get("conflict_similarity", 0.72)
    # Nearly all pairs of sentences are unlike: this is told from a few words.
    ours, theirs = case.bags.unit(a), case.bags.unit(b)
    if not reaches(a.analysis.terms, theirs, least - _TITLE_SHARE, least=RELATED):
        return False
    if not reaches(b.analysis.terms, ours, least - _TITLE_SHARE, least=RELATED):
        return False
    passages = case.passage(a.citation), case.passage(b.citation)
    forward = cover(_beside_title(case, a, b), theirs, least=RELATED)
    backward = cover(_beside_title(case, b, a), ours, least=RELATED)
    if periods_differ(*passages) or titles_tell_apart(case, *passages):
        return False
    if min(forward.share, backward.share) < least:
        return False
    if _qualified(case, forward, passages[1]) or _qualified(case, backward, passages[0]):
        return False
    lexicon = case.config.lexicon
    titles = case.passage(a.citation).title, case.passage(b.citation).title
    if any(modifier_swaps(x, y, lexicon) for x, y in ((a.analysis, b.analysis), titles)):
        return False
    if rivals(titles[0].low, titles[1].low, lexicon, polar=False) or _values_apart(*titles):
        return False
    return not rivals(a.analysis.low, b.analysis.low, case.config.lexicon, polar=False)


def _beside_title(case: Case, a: Unit, b: Unit) -> list[Term]:
    """The words of a sentence without those that the other one leaves to its title, or that say nothing (即可)."""
    title, bag, empty = case.title_bag(case.passage(b.citation)), case.bags.unit(b), case.config.lexicon.meta_words
    return [
        t
        for t in a.analysis.terms
        if match(t, bag) >= RELATED or (match(t, title) < SYNONYM and t.word.surface not in empty)
    ]


# What the name of the thing, which one passage has in its title, may make of a sentence's words.
_TITLE_SHARE = 0.2


def _values_apart(a: Analysis, b: Analysis) -> bool:
    """The titles name other strengths or sizes of one kind (a 20 mg and a 40 mg leaflet)."""
    pairs = [(x, y) for x in a.quantities for y in b.quantities if comparable(x, y)]
    return bool(pairs) and not any(equal(x, y) for x, y in pairs)


def titles_tell_apart(case: Case, a: Passage, b: Passage) -> bool:
    """The titles name two things (harbour car park, station car park), and the question is about one of them."""
    asked = case.bags.said(case.question.analysis)
    only_a = [t for t in a.title.terms if t.weight >= 1 and match(t, case.title_bag(b)) < RELATED]
    only_b = [t for t in b.title.terms if t.weight >= 1 and match(t, case.title_bag(a)) < RELATED]
    if not only_a or not only_b or covered(a.title.terms, case.title_bag(b)) < _PARALLEL:
        return False
    wanted_a, wanted_b = (any(match(t, asked) >= SYNONYM for t in only) for only in (only_a, only_b))
    return wanted_a != wanted_b


_PARALLEL = 0.6


def _qualified(case: Case, coverage: Coverage, other: Passage) -> bool:
    """A word that only one side has (members', on holidays, in winter) makes it another subject or condition; what
    the other passage's title says stands there too."""
    title = case.title_bag(other)
    return any(
        (t.weight >= 1 or t.word.han) and t.key not in case.config.lexicon.meta_words and match(t, title) < SYNONYM
        for t in coverage.missing
    )


def _rival(case: Case, unit: Unit, quantity: Quantity, other: Unit) -> Quantity | None:
    """The quantity in the other unit that fills the same place with another value; None if one agrees."""
    mine = case.bind(unit.analysis, quantity, unit)
    candidates = [q for q in other.analysis.quantities if comparable(q, quantity) and not q.weak]
    bound = {id(q): case.bind(other.analysis, q, other) for q in candidates}
    candidates = [q for q in candidates if binding.moments_agree(mine.moments, bound[id(q)].moments) >= 0]
    # A unit that gives the other value too, for another time, agrees.
    if any(equal(q, c) for q in unit.analysis.quantities if q is not quantity for c in candidates):
        return None
    if any(_consistent(quantity, q) for q in candidates):
        return None
    # Conditions that differ (three years, one year) make two rules, not a conflict.
    companions = [q for q in mine.companions if not q.weak]
    for companion in companions:
        same_kind = [q for q in other.analysis.quantities if comparable(q, companion)]
        differs = same_kind and not any(_consistent(companion, q) for q in same_kind)
        if differs and not comparable(companion, quantity):
            return None
    return max(candidates, key=lambda q: binding.affinity(mine, bound[id(q)]), default=None)


def _consistent(a: Quantity, b: Quantity) -> bool:
    if bounds_clash(a, b):
        return False
    a, b = loosely(a, b)
    return equal(a, b) or equal(b, a) or entailed_by_range(a, b) or entailed_by_range(b, a)


def decide(case: Case, a: Passage, b: Passage) -> tuple[str, int]:
    """What settles a disagreement of two passages: supersession, force on the day, authority; else nothing."""
    day = case.as_of or case.today
    timeline = case.timeline(day)
    if timeline.supersedes(a, b) or timeline.supersedes(b, a):
        newer, older = (a, b) if timeline.supersedes(a, b) else (b, a)
        start = newer.chunk.document.effective_from or newer.chunk.document.published_at
        return "version", older.citation if start is not None and start > day else newer.citation
    states = {p.citation: case.timeline(day).status(p).standing for p in (a, b)}
    current = [c for c, s in states.items() if s is Standing.CURRENT]
    if len(current) == 1:
        return "in_force", current[0]
    gap = case.config.settings.get("authority_gap", 2)
    first, second = a.chunk.document.authority, b.chunk.document.authority
    if abs(first - second) >= gap:
        return "authority", a.citation if first > second else b.citation
    return "", 0


def periods_differ(a: Passage, b: Passage) -> bool:
    """True if the titles name different years ("Annual report 2022", "Annual report 2023")."""
    years_a = {m.year for m in a.title.moments if m.year}
    years_b = {m.year for m in b.title.moments if m.year}
    return bool(years_a and years_b and not years_a & years_b)
