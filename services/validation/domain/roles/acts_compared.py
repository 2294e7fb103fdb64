"""An act of a statement set beside the acts of the passages: the same act with another thing in one of its parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.case import Case, Reading
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.reading.nouns import nominal
from services.validation.domain.reading.text import names_thing
from services.validation.domain.roles.acts import AGENT, OCCASION, PATIENT, Act
from services.validation.domain.roles.acts_chinese import chinese_acts
from services.validation.domain.roles.acts_english import english_acts
from services.validation.domain.values.compare import equal
from services.validation.domain.wording.align import RELATED, SYNONYM, TRANSLATION, Bag, cover, match

# A verb is the same from here on; the rest of an act is told from this share on; a word is not found below.
_SAME_VERB, _TOLD, _FOUND = RELATED, 0.6, 0.5
# So much of the statement's other words the sentence has to hold.
_CLOSE = 0.5
# An act that carries so much less of the rest than another does not tell the same.
_LESS = 0.25
# Two Chinese words that share a translation are one thing from here on.
_KEPT = 0.6


@dataclass(frozen=True, slots=True)
class Exchange:
    """A thing of a statement's act in the place of another one of the passage's."""

    mine: tuple[Term, ...]
    theirs: tuple[Term, ...]
    act: Act
    unit: Unit
    other: Act
    part: str


@dataclass(frozen=True, slots=True)
class _Read:
    """An act with the words that it has, and those of its verbs, to match against."""

    act: Act
    bag: Bag
    verbs: Bag


@dataclass(frozen=True, slots=True)
class _Told:
    """An act of the evidence and where it stands."""

    unit: Unit
    read: _Read

    @property
    def act(self) -> Act:
        return self.read.act

    @property
    def bag(self) -> Bag:
        return self.read.bag

    @property
    def verbs(self) -> Bag:
        return self.read.verbs


def _acts_of(case: Case, analysis: Analysis) -> tuple[_Read, ...]:
    """The acts of an analysed text, read once."""
    # The analysis is kept with its acts, so that no other one can have its id meanwhile.
    found: tuple[Analysis, tuple[_Read, ...]] = case.analyser.acts.get(
        id(analysis), lambda: (analysis, tuple(_read(case, analysis)))
    )
    return found[1]


def _read(case: Case, analysis: Analysis) -> Iterator[_Read]:
    reader = chinese_acts if analysis.han else english_acts
    for act in reader(analysis, case.config.glossary.is_verb):
        yield _Read(act, bag_of(act.terms, han=analysis.han), bag_of(act.verbs, han=analysis.han))


def exchanged_part(case: Case, reading: Reading) -> Exchange | None:
    """The first act of a statement of which the passages tell another thing in one part."""
    mine = _acts_of(case, reading.analysis)
    told = list(_tellings(case, reading, [v for read in mine for v in read.act.verbs]))
    for read in mine if told else ():
        act, own = read.act, read.bag
        near = [t for t in told if any(match(v, t.verbs) >= _SAME_VERB for v in act.verbs)]
        for other in near:
            found = _turned(act, own, other, near) or _exchange(case, reading, act, own, other, near)
            if found is not None and _things_alike(case, reading, found):
                return found
    return None


def _things_alike(case: Case, reading: Reading, found: Exchange) -> bool:
    """Things of one sort, in a sentence that tells most of the statement.

    A name and a common noun may mean the same thing ("the series"), and in a sentence on something else the same verb
    tells another act. Chinese names are not told from nouns.
    """
    mine, theirs = reading.analysis, found.unit.analysis
    if mine.han or theirs.han:
        return True
    one, other = _head(found.mine), _head(found.theirs)
    if not (nominal(mine, one) and nominal(theirs, other)) or _named(mine, [one]) != _named(theirs, [other]):
        return False
    rest = [t for t in mine.terms if t not in found.mine]
    return cover(rest, case.bags.unit(found.unit)).share >= _CLOSE


def _turned(act: Act, own: Bag, told: _Told, near: Sequence[_Told]) -> Exchange | None:
    """Who acts and who is acted on (or receives) have changed places."""
    if not (act.marked and told.act.marked) and act.verbs[0].word.surface != told.act.verbs[0].word.surface:
        return None
    if not any(match(t, told.bag) >= TRANSLATION for t in act.part(AGENT)):
        return None
    for part, other in (("to", "from"), ("from", "to")):
        if _same(act.part(AGENT), told.act.part(AGENT)) and _same(act.part(part), told.act.part(other)):
            return Exchange(act.part(part), told.act.part(other), act, told.unit, told.act, part)
    for part in (PATIENT, f"{PATIENT} of", "to", "from", "for", "with"):
        theirs, given = told.act.part(AGENT), act.part(part)
        if _same(act.part(AGENT), told.act.part(part)) and (_same(given, theirs) or _inside(theirs, given)):
            straight = any(
                _same(act.part(AGENT), n.act.part(AGENT)) and _same(act.part(part), n.act.part(part)) for n in near
            )
            if not straight and not _same(act.part(AGENT), act.part(part)):
                return Exchange(act.part(AGENT), told.act.part(AGENT), act, told.unit, told.act, part)
    return None


def _inside(some: Sequence[Term], whole: Sequence[Term]) -> bool:
    """All words of one thing are among those of another."""
    return bool(some and whole) and cover(some, bag_of(whole, han=whole[0].word.han), least=TRANSLATION).share == 1


def _same(mine: Sequence[Term], theirs: Sequence[Term]) -> bool:
    """All words of one thing stand in the other, its head as the head."""
    if not mine or not theirs:
        return False
    head = bag_of(theirs[-1:], han=theirs[-1].word.han)
    whole = bag_of(theirs, han=theirs[-1].word.han)
    return match(mine[-1], head) >= TRANSLATION and all(match(t, whole) >= TRANSLATION for t in mine)


def bag_of(terms: Sequence[Term], *, han: bool) -> Bag:
    """What some words of an act offer to match against."""
    return Bag.of_terms(terms, " ".join(t.word.surface for t in terms), han)


def _tellings(case: Case, reading: Reading, verbs: Sequence[Term]) -> Iterator[_Told]:
    """The acts of the cited passages in sentences that have one of some verbs."""
    for unit in case.units(reading.cited) if verbs else ():
        if unit.headers or unit.kind == "heading":
            continue
        bag = case.bags.unit(unit)
        if any(match(v, bag) >= _SAME_VERB for v in verbs):
            yield from (_Told(unit, read) for read in _acts_of(case, unit.analysis))


def _exchange(case: Case, reading: Reading, act: Act, own: Bag, told: _Told, near: Sequence[_Told]) -> Exchange | None:
    """One part holds another thing, all else that both tell is the same, and no like act has the statement's thing."""
    if act.negated != told.act.negated or "than" in act.parts:
        return None
    apart: tuple[str, tuple[Term, ...], tuple[Term, ...]] | None = None
    for part in act.parts.keys() & told.act.parts.keys():
        new, lost = _differ(act.part(part), told.act.part(part), own, told.bag, words_do=part == OCCASION)
        if _another(act.part(part), told.act.part(part), new, lost):
            if apart is not None:
                return None
            apart = (part, new, lost)
    if apart is None:
        return None
    part, new, lost = apart
    if act.inherited and part in (AGENT, PATIENT):
        return None
    if _named(reading.analysis, new) != _named(told.unit.analysis, lost):
        return None  # what is told of a company holds of the one named
    rest = [t for t in act.terms if t not in act.part(part)]
    share = cover(rest, told.bag).share
    if share < _TOLD:
        return None
    if not (_agree(act, told, part) or _same_value(reading, act, told) or _bare(case, act, told.act, part)):
        return None
    title = case.title_bag(case.passage(told.unit.citation))
    if part == AGENT and not act.part(PATIENT) and any(_inside(new, n.act.part(PATIENT)) for n in near):
        return None  # "the flap opens", "the player signed": what is acted on stands first
    like = [n.bag for n in near if cover(rest, n.bag).share >= max(_TOLD, share - _LESS)]
    if any(match(t, bag) >= _FOUND for t in new for bag in like) or any(match(t, title) >= RELATED for t in new):
        return None
    if _told_so(case, reading, told, new, rest):
        return None
    if not _stands_elsewhere(case, told, new, across=reading.analysis.han != told.unit.analysis.han):
        return None
    return Exchange(new, lost, act, told.unit, told.act, part)


def _another(mine: Sequence[Term], theirs: Sequence[Term], new: Sequence[Term], lost: Sequence[Term]) -> bool:
    """The things themselves differ, or one thing has another word before it on either side (return valve, drain
    valve)."""
    if not new or not lost:
        return False
    one, other = _head(mine), _head(theirs)
    if one in new:
        return other in lost
    return one.key == other.key or not one.groups.isdisjoint(other.groups)


def _head(terms: Sequence[Term]) -> Term:
    """The last word of a thing, single Chinese characters aside."""
    return next((t for t in reversed(terms) if t.weight >= 1), terms[-1])


def _agree(act: Act, told: _Told, part: str) -> bool:
    """Something else than the part in question, and what hangs on it, is the same in both."""
    family = part.removesuffix(" of")
    others = [t for name, terms in act.parts.items() if name.removesuffix(" of") != family for t in terms]
    return any(match(t, told.bag) >= _SAME_VERB for t in others)


def _same_value(reading: Reading, act: Act, told: _Told) -> bool:
    """Both acts hold one and the same value."""
    mine = [q for q in reading.analysis.quantities if act.start <= q.start < act.end]
    theirs = [q for q in told.unit.analysis.quantities if told.act.start <= q.start < told.act.end]
    return any(equal(q, e) for q in mine for e in theirs if not q.weak)


def _bare(case: Case, act: Act, other: Act, part: str) -> bool:
    """One of the acts tells only its verb, a telling one, and the part in question, and the form shows that part."""
    if not (act.marked and other.marked) or any(
        v.word.surface in case.config.lexicon.meta_words or v.key in case.config.lexicon.meta_words for v in act.verbs
    ):
        return False
    return set(act.parts) == {part} or set(other.parts) == {part}


def _differ(
    mine: Sequence[Term], theirs: Sequence[Term], own: Bag, told: Bag, *, words_do: bool
) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    """The words of either part that the other act lacks: things, and in an occasion without things any words."""
    any_word = words_do and not any(map(_thing, (*mine, *theirs)))
    new = tuple(t for t in mine if match(t, told) < _FOUND and (_thing(t) or (any_word and t.weight >= 1)))
    lost = tuple(t for t in theirs if match(t, own) < _KEPT and (_thing(t) or (any_word and t.weight >= 1)))
    if own.han != told.han:
        # What the dictionary does not know may be anything.
        lost = tuple(t for t in lost if t.glosses or not t.word.han)
    return new, lost


def _named(analysis: Analysis, terms: Sequence[Term]) -> bool:
    """A proper name of letters with capitals; Chinese ones do not show."""
    return any(n.kind == "proper" and n.start <= t.start < n.end for t in terms for n in analysis.names)


def _thing(term: Term) -> bool:
    return term.weight >= 1 and (not term.word.han or names_thing(term.word.surface))


def _told_so(case: Case, reading: Reading, told: _Told, new: Sequence[Term], rest: Sequence[Term]) -> bool:
    """Another clause of the passages has the thing together with the rest, or the sentence denies it of the thing."""
    for unit in case.units(reading.cited):
        for clause in case.clauses(unit.analysis):
            same = unit is told.unit
            if same and clause.start < told.act.end and told.act.start < clause.end:
                continue
            if not all(match(t, clause.bag) >= _FOUND for t in new):
                continue
            if cover(rest, clause.bag).share >= _TOLD:
                return True
            if same and any(clause.start <= a < clause.end for a, _ in unit.analysis.negations):
                return True
            if same and any(c.kind == "prohibition" for c in clause.cues):
                return True
    return False


def _stands_elsewhere(case: Case, told: _Told, new: Sequence[Term], *, across: bool) -> bool:
    """The thing stands in the passages, outside of the act that it is put into."""
    least = TRANSLATION if across else SYNONYM
    act, unit = told.act, told.unit
    for passage in case.passages:
        for other in passage.units:
            if other is unit:
                outside = [t for t in other.analysis.terms if not act.start <= t.start < act.end]
                bag = Bag.of_terms(outside, "", other.analysis.han, [n.key for n in other.names])
            else:
                bag = case.bags.unit(other)
            if all(match(t, bag) >= least for t in new):
                return True
    return False
