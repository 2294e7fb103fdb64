"""The cited passages carry the statement: its words stand there, no part of it is added or exchanged."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.derived.workings import worked_out
from services.validation.domain.reading.nouns import nominal
from services.validation.domain.roles.exchanged_nouns import bounds, exchanged_noun
from services.validation.domain.times.moments import covers
from services.validation.domain.values.compare import equal, loosely
from services.validation.domain.values.told_otherwise import about_as_long
from services.validation.domain.wording.align import SYNONYM, Bag, cover, covered, in_span, match
from services.validation.domain.wording.appended import appended
from services.validation.domain.wording.doubt_words import UNKNOWN
from services.validation.domain.wording.factless import structural
from services.validation.domain.wording.joined import joined_thing
from services.validation.domain.wording.put_in import put_in
from services.validation.domain.wording.support import segments, support_of

_LISTED = re.compile(r"[，、,]|\s(?:and|or)\s|(?:和|与|及|以及|或|并|且)", re.I)
_ELSEWHERE = 0.35
_FACT_WEIGHT = 1.5
_LEAST_WEIGHT = 1.5
_WORD_FOR_WORD, _COPIED = 0.5, 0.75


@register(
    "support",
    Lock.TRACEABILITY,
    sees="statements whose content words stand in none of the cited passages, or only in another passage; added"
    " reasons, "
    "parties, conditions and list items; one noun exchanged in an otherwise equal sentence",
    blind="paraphrase without any shared, synonymous or translated word; additions made only of words the"
    " passage uses elsewhere",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield UNSUPPORTED_STATEMENT."""
    for reading in case.reworded:
        if reading.analysis.terms:
            found = _judge(case, reading)
            if found is not None:
                yield found


def _judge(case: Case, reading: Reading) -> Finding | None:
    bag = case.bags.cited(reading.cited)
    terms = [t for t in reading.analysis.terms if not structural(case, reading, t)]
    if not terms and len(reading.cited) > 1:
        # Only words of comparing and computing over several passages: the checks of values judge what follows.
        return None
    other = _better_elsewhere(case, reading, covered(reading.analysis.terms, bag))
    if other:
        return _finding(reading, f"the cited passage does not say this, [{other}] does", recite=other)
    if not terms:
        return None
    if _unsaid(case, reading, terms, bag):
        return _finding(reading, "the cited passages do not say this")
    part = (
        _added_part(case, reading, bag)
        or joined_thing(case, reading, bag, lambda t: structural(case, reading, t))
        or exchanged_noun(case, reading, bag)
        or put_in(case, reading, bag, lambda t: structural(case, reading, t))
        or appended(case, reading, bag, lambda t: structural(case, reading, t))
    )
    if part is not None:
        words = reading.analysis.text[part[0] : part[1]].strip()
        return _finding(reading, f"not in the cited passages: {words}", span=part)
    return None


def _unsaid(case: Case, reading: Reading, terms: Sequence[Term], bag: Bag) -> bool:
    """Hardly a word, value, time or name of the statement stands in the passages.

    Across languages the dictionary misses many words: there the words and the learnt support must both be absent.
    """
    floor = case.config.settings.get("support_floor", 0.34)
    if reading.analysis.han != bag.han:
        # How the other script writes a proper name cannot be told from here.
        terms = [t for t in terms if not _proper(reading.analysis, t)]
    if _only_words(case, reading):
        floor = case.config.settings.get("support_floor_of_words", 0.12)
    if sum(t.weight for t in terms) < _LEAST_WEIGHT or covered(reading.analysis.terms, bag) >= floor:
        return False
    if _a_value_found(case, reading):
        return False  # a sentence that gives the passage's value tells it in words of its own
    share = _fact_share(case, reading, terms, bag)
    improbable = support_of(case, reading).probability < case.config.support.thresholds["reject"]
    return share < floor and (improbable or reading.analysis.han == bag.han)


def _only_words(case: Case, reading: Reading) -> bool:
    """No value, time, identifier or cause by which the statement could be told to be another than the passages'."""
    analysis = reading.analysis
    told = analysis.quantities or analysis.moments or any(n.strict for n in analysis.names)
    return not told and case.config.lexicon.cause.search(analysis.low) is None


def _a_value_found(case: Case, reading: Reading) -> bool:
    """A value or time of the statement that is no small count stands in the cited passages."""
    units = case.units(reading.cited)
    quantities = [q for q in reading.analysis.quantities if not q.weak and (q.unit.dimension or abs(q.low) > _SMALL)]
    pool = [(u, e) for u in units for e in u.analysis.quantities]
    if any(equal(*loosely(q, e)) or about_as_long(q, [(u, e)]) for q in quantities for u, e in pool):
        return True
    if quantities and all(q.start in worked_out(case, reading, pool) for q in quantities):
        return True
    return any(covers(m, e) for m in reading.analysis.moments for u in units for e in u.analysis.moments)


_SMALL = 12


def _proper(analysis: Analysis, term: Term) -> bool:
    return not term.word.han and (
        any(n.kind in ("proper", "acronym") and n.start <= term.start < n.end for n in analysis.names)
        or analysis.text[term.start : term.start + 1].isupper()
    )


def _fact_share(case: Case, reading: Reading, terms: Sequence[Term], bag: Bag) -> float:
    """The supported share of words and facts; a value or date that stands in the evidence counts as more than a
    word."""
    coverage = cover(terms, bag)
    units = case.units(reading.cited)
    facts = [
        any(equal(q, e) for u in units for e in u.analysis.quantities)
        for q in reading.analysis.quantities
        if not q.weak
    ]
    facts += [any(covers(m, e) for u in units for e in u.analysis.moments) for m in reading.analysis.moments]
    facts += [name.surface.lower() in bag.low for name in reading.analysis.names if name.strict]
    # Values that are not in the evidence are judged by the checks of values; here they only do not help.
    total = coverage.weight + _FACT_WEIGHT * sum(facts)
    return (coverage.share * coverage.weight + _FACT_WEIGHT * sum(facts)) / total if total else 1.0


def _better_elsewhere(case: Case, reading: Reading, share: float) -> int:
    """A passage that is not cited and carries the statement clearly better than the cited ones, 0 if none."""
    if share > 1 - _ELSEWHERE / 2:
        # No passage can be better by as much.
        return 0
    rest = case.others(reading.cited)
    here = case.align(reading, reading.cited)
    there = case.align(reading, rest)
    if not there or not here:
        return 0
    gap = there[0].score - here[0].score
    better = covered(reading.analysis.terms, case.bags.cited([there[0].unit.citation]))
    return there[0].unit.citation if gap >= _ELSEWHERE and better >= share + _ELSEWHERE / 2 and better >= 0.6 else 0


def _finding(reading: Reading, message: str, *, recite: int = 0, span: tuple[int, int] | None = None) -> Finding:
    return Finding(
        IssueType.UNSUPPORTED_STATEMENT,
        reading.index,
        message,
        RemedyKind.RECITE if recite else RemedyKind.RETRIEVE_MISSING,
        span=span,
        citation=reading.cited[0],
        recite=recite,
        found=reading.analysis.text[span[0] : span[1]].strip() if span else "",
        expected=f"[{recite}]" if recite else "",
        queries=() if recite else (reading.statement.body.strip(),),
    )


# --- additions ---------------------------------------------------------------------------------------------------


def _added_part(case: Case, reading: Reading, bag: Bag) -> tuple[int, int] | None:
    """A stretch between joints whose words the cited passages lack."""
    analysis = reading.analysis
    elsewhere = case.bags.cited(case.others(reading.cited))
    cross = analysis.han != bag.han
    # Who says that a cause is not known gives none.
    causes = [m.start() for m in case.config.lexicon.cause.finditer(analysis.low) if not UNKNOWN.search(analysis.low)]
    for start, end in segments(analysis):
        terms = [t for t in in_span(analysis.terms, start, end) if not structural(case, reading, t)]
        coverage = cover(terms, bag)
        missing = coverage.missing
        reason = any(start - 12 <= c < start or start <= c < end - _JOINT for c in causes) and not cross
        if not missing or not (reason or _told_otherwise_word_for_word(case, reading, missing)):
            continue
        things = [t for t in missing if nominal(analysis, t)]
        if not (reason or cross or things or _in_enumeration(analysis, start, end)):
            # Verbs and adverbs are what a retelling changes first; an added party or thing has a noun.
            continue
        # 排便困难 may well be the 便秘 of the passage.
        weights = {t.key: t.weight for t in missing if reason or cross or not _shares_character(t, bag)}
        weight = sum(weights.values())
        usual = (
            _ADDITION if _ADDS.search(analysis.low[:start]) and not _computes(case, reading, start, end) else _RETELLING
        )
        needed = _RETELLING if cross or (reason and _gives_reason(case, reading)) else _REASON if reason else usual
        copied = reason or cross or _told_otherwise_word_for_word(case, reading, missing, _COPIED)
        if copied and coverage.share < 0.34 and weight >= needed:
            return bounds(missing)
        if not cross and _borrowed_run(terms, missing, elsewhere):
            return bounds(missing)
        if not cross and coverage.share == 0 and weight >= 1.0 and _extra_item(analysis, start, end, bag):
            return bounds(missing)
    return None


# A joint that opens the next stretch, such as " because ", ends this one.
_JOINT = 10


def _gives_reason(case: Case, reading: Reading) -> bool:
    """The sentence that the statement follows gives a reason too, which may be told in other words."""
    best = case.align(reading, reading.cited)[:1]
    return any(case.config.lexicon.cause.search(aligned.unit.analysis.low) for aligned in best)


# How much weight of unknown words makes an addition: of a reason, after a joint that adds, in a sentence told anew.
_REASON, _ADDITION, _RETELLING = 1.0, 2.0, 3.0
_ADDS = re.compile(r"(?:\b(?:and|or|by|with|including|plus|as well as|along with)\s|[,，、]\s*|和|与|及|或|由)$")


def _told_otherwise_word_for_word(
    case: Case, reading: Reading, missing: Sequence[Term], least: float = _WORD_FOR_WORD
) -> bool:
    """Without the words in question the statement is one evidence sentence told in its own words.

    Who retells freely brings words of his own; a word that is new in a sentence otherwise copied was put there.
    """
    rest = [t for t in reading.analysis.terms if t not in missing and not structural(case, reading, t)]
    if sum(t.weight for t in rest) < _LEAST_WEIGHT:
        return False
    return any(
        covered(rest, case.bags.unit(aligned.unit), least=SYNONYM) >= least
        for aligned in case.align(reading, reading.cited)[:2]
    )


def _in_enumeration(analysis: Analysis, start: int, end: int) -> bool:
    """The stretch is an item between Chinese enumeration commas."""
    return "、" in analysis.text[max(0, start - 1) : start] + analysis.text[end - 1 : end]


def _computes(case: Case, reading: Reading, start: int, end: int) -> bool:
    """The stretch holds a value that is computed, not quoted; such sentences bring words of their own."""
    units = case.units(reading.cited)
    return any(
        start <= q.start < end and not any(equal(q, e) for u in units for e in u.analysis.quantities)
        for q in reading.analysis.quantities
    )


def _borrowed_run(terms: Sequence[Term], missing: Sequence[Term], elsewhere: Bag) -> bool:
    """Two neighbouring words that only another, uncited passage has."""
    foreign = [i for i, t in enumerate(terms) if t in missing and t.weight >= 1 and match(t, elsewhere) >= 0.9]
    return any(b - a <= 2 for a, b in itertools.pairwise(foreign))


def _extra_item(analysis: Analysis, start: int, end: int, bag: Bag) -> bool:
    """A list item without support beside items that stand in the passage word for word."""
    joint = analysis.text[max(0, start - 6) : start]
    if not _LISTED.search(joint) and not _LISTED.match(analysis.text[end - 1 : end + 5]):
        return False
    terms = in_span(analysis.terms, start, end)
    if any(t.word.surface.endswith(("ed", "ing", "ly")) for t in terms if not t.word.han) or any(
        start <= c.start < end for c in analysis.cues
    ):
        return False
    if any(_shares_character(t, bag) for t in terms):
        return False
    siblings = [in_span(analysis.terms, a, b) for a, b in segments(analysis) if (b == start or a == end)]
    siblings = [s for s in siblings if s]
    return bool(siblings) and all(covered(s[-2:], bag) >= 0.95 for s in siblings)


def _shares_character(term: Term, bag: Bag) -> bool:
    """A character of some meaning that a word of the passage has too; of several words, most have none in common."""
    rare = [c for c in term.word.surface if c not in _COMMON_CHARACTERS]
    return term.word.han and any(c in bag.chars for c in rare) and len(term.word.surface) <= _LONGEST_PARAPHRASE


_COMMON_CHARACTERS = frozenset("的一不人有大上中下小年月日时分期前后内外出入行用工作业部门会事物品费用款项量数")
_LONGEST_PARAPHRASE = 4


# --- one noun exchanged --------------------------------------------------------------------------------------------
