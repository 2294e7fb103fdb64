"""What a statement adds to the clauses of the passages that it is made of: when birds are breeding, 由专业公司处理.

A retelling puts other words in the place of the passage's; then those are missing in the statement. Where a stretch
brings things of its own and nothing of what is told lacks in exchange, it was added.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence

from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.case import Case, Reading
from services.validation.domain.reading.clauses import Clause
from services.validation.domain.reading.nouns import adverbial, nominal
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.roles.exchanged_nouns import bounds
from services.validation.domain.times.moments import Moment, covers
from services.validation.domain.values.compare import equal, loosely
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.wording.align import SYNONYM, Bag, cover, in_span, match
from services.validation.domain.wording.joined import COMMON, foreign

# Who or what does it, where the passage leaves it open.
_WHOEVER = frozenset((
    "somebody", "someone", "anybody", "anyone", "everybody", "everyone", "nobody", "people", "person", "persons",
    "users", "thing", "things", "way", "ways",
))  # fmt: skip
Structural = Callable[[Term], bool]
LeftOut = Callable[[], list[tuple[Analysis, Term]]]

# What opens a clause or a phrase of its own.
_OPENS = Pattern(
    r"\b(?:which|who|whose|when|where|while|if|once|provided|because|since|as|given|so that|so|in order to|after|before"
    r"|until|till|except|unless|such as|including|and|or|but|due to|thanks to|with|without|during|at|via|through)\b"
    r"|[,;:](?!\d)|[，；：]|因为|由于|因此|所以|从而|以便|以免|以防|否则|并且|而且|但是?|并(?![不未非])|由(?!于)"
)
# What hardly ever opens the same thing in other words: one new thing is enough behind it.
_BINDS = re.compile(r"if|because|unless|except|so that|which|such as|while|因为|以免|以防|否则|以便|由")
_ENDS = Pattern(
    r"[,;:](?!\d)|[，；：。！？（）()]|\.\s*$|\s(?:and|or|but|which|who|when|if|because|unless|except|while)\s"
)
# How many new words make an addition, and how much of all else has to stand in the passages.
_NEW, _CARRIED, _RETOLD = 2, 0.7, 0.4
_NEARLY_ALL, _FEWEST = 0.95, 3
# What points back at something in other words, or sums up: that date, the same family, a pair of.
_POINTS_BACK = re.compile(
    r"(?:\b(?:the|that|this|these|those|such|same|a pair|another|other|all|no)|[该此本上述这那各])\s*$"
)
# "The invoice dates from 2 July": a verb.
_GOVERNS = re.compile(r"(?<=s)\s(?:from|to|until|at|into|out|up|down)\b")
_JOINED = re.compile(r"(?:\b(?:and|or)\s(?:the|an?)?\s*|[和与及或、](?:一[份个张次本套名])?)$")


def appended(case: Case, reading: Reading, bag: Bag, structural: Structural) -> tuple[int, int] | None:
    """Words that the cited passages lack, for which the statement leaves nothing out of the clauses it tells."""
    terms = [t for t in reading.analysis.terms if t.weight >= 1 and not structural(t)]
    new = [t for t in terms if _new(case, reading, t, bag)]
    if not new:
        return None
    lost = functools.cache(lambda: _left_out(case, reading))
    return _stretch(case, reading, bag, terms, new, lost) or _one_place(case, reading, bag, terms, new, lost)


def _new(case: Case, reading: Reading, term: Term, bag: Bag) -> bool:
    """The passages have neither the word nor its opposite ("stay dry" may tell "do not wet").

    Between languages a word that the dictionary lacks cannot be judged, and one may be translated by a synonym.
    """
    lexicon = case.config.lexicon
    if reading.analysis.han != bag.han and term.word.han:
        groups = frozenset[int]().union(*(lexicon.synonyms.get(gloss, frozenset()) for gloss in term.glosses))
        if not term.glosses or not groups.isdisjoint(bag.groups):
            return False
    if term.word.surface in _WHOEVER:
        return False
    opposites = lexicon.opposites
    rows = {row for row, _ in opposites.get(term.key, ())}
    return foreign(term, bag) and not any(row in rows for key in bag.keys for row, _ in opposites.get(key, ()) if rows)


def _stretch(
    case: Case, reading: Reading, bag: Bag, terms: Sequence[Term], new: Sequence[Term], left_out: LeftOut
) -> tuple[int, int] | None:
    """A clause or phrase of which two words and more are new, and at most one is known.

    Behind a word such as "because" or "unless", where nothing is computed, one new word is enough.
    """
    analysis = reading.analysis
    across = analysis.han != bag.han
    for opening, start, end in _stretches(analysis):
        needed = 1 if _BINDS.fullmatch(opening) and not across and _retells(case, reading) else _NEW
        own = in_span(new, start, end)
        known = len(in_span(terms, start, end)) - len(own)
        if known > (not across) or _valued(analysis, start, end) or sum(not adverbial(t) for t in own) < needed:
            continue
        if opening in "，；：" and not any(nominal(analysis, t) for t in own):
            continue  # 自己出钱: a Chinese clause of verbs alone tells the passage's in other words
        rest = [t for t in analysis.terms if not start <= t.start < end]
        if not rest or cover(rest, bag).share < (_CARRIED if known or across else _RETOLD):
            continue
        # Other new words stand for some of what is left out; between languages they may be lacks of the dictionary.
        replaced = 0 if across else len(new) - len(own)
        if len(left_out()) < (1 if known else len(own) + replaced):
            return bounds(own)
    return None


def _one_place(
    case: Case, reading: Reading, bag: Bag, terms: Sequence[Term], new: Sequence[Term], left_out: LeftOut
) -> tuple[int, int] | None:
    """A thing or attribute in one place, where all else stands in the passages and no noun is left out for it."""
    analysis = reading.analysis
    start, end = bounds(new)
    together = len(in_span(terms, start, end)) == len(new) and not _ENDS.search(analysis.low, start, end)
    if analysis.han != bag.han or not together or _valued(analysis, start, end) or not _retells(case, reading):
        return None
    if all(t.word.han and COMMON.issuperset(t.word.surface) for t in new):
        return None  # 部门, 人员
    if (
        _POINTS_BACK.search(analysis.low[:start])
        or _GOVERNS.match(analysis.low, end)
        or not any(nominal(analysis, t) for t in new)
    ):
        return None
    others = [t for t in analysis.terms if t not in new]
    if len(others) + len(analysis.quantities) + len(analysis.moments) < _FEWEST:
        return None
    if cover(others, bag, least=SYNONYM).share < _NEARLY_ALL:
        return None
    if any(0 <= c.start - end <= 1 for c in analysis.cues):
        return None  # "guests may smoke" for "smoking is allowed": whoever does it
    lost = left_out()
    if _JOINED.search(analysis.low[:start]):
        # What is joined to a thing stands for a thing, no verb, nor for what the question names.
        lost = [(a, t) for a, t in lost if nominal(a, t) and t.key not in case.question.analysis.keys]
    return None if lost else (start, end)


def _retells(case: Case, reading: Reading) -> bool:
    """The statement tells sentences of one passage, with no other values than theirs: it computes nothing."""
    units = case.units(reading.cited)
    if len(reading.cited) > 1 or any(u.headers for u in units):
        return False
    known = [e for u in units for e in u.analysis.quantities]
    return all(q.weak or any(equal(*loosely(q, e)) for e in known) for q in reading.analysis.quantities)


def _stretches(analysis: Analysis) -> Iterator[tuple[str, int, int]]:
    """What opens a clause or phrase, and where that begins and ends."""
    for opening in _OPENS.finditer(analysis.low):
        end = _ENDS.search(analysis.low, opening.end())
        yield opening.group(), opening.end(), end.start() if end else len(analysis.low)


def _valued(analysis: Analysis, start: int, end: int) -> bool:
    """A value tells more than words: whether it stands in the passages is for other checks."""
    values = [q.start for q in analysis.quantities if not q.weak] + [m.start for m in analysis.moments]
    return any(start <= at < end for at in values)


def _left_out(case: Case, reading: Reading) -> list[tuple[Analysis, Term]]:
    """Words without counterpart in the statement, of the clauses that it is made of.

    These are the clauses that tell most of its words, each of which tells one that none before does.
    """
    said = case.bags.said(reading.analysis)
    values: list[Quantity | Moment] = [*reading.analysis.quantities, *reading.analysis.moments]
    units = [u for u in case.units(reading.cited) if u.kind != "heading"]
    told = []
    for clause in (c for u in units for c in case.clauses(u.analysis)):
        words = {t.start for t in reading.analysis.terms if t.weight >= 1 and match(t, clause.bag) >= SYNONYM}
        words |= {v.start for v in values if _tells(clause, v)}
        if words:
            told.append((len(words) / max(1, len(clause.terms)), words, clause))
    told.sort(key=lambda entry: (-len(entry[1]), -entry[0]))
    covered: set[int] = set()
    lost: list[tuple[Analysis, Term]] = []
    for _, words, clause in told:
        if not words <= covered:
            covered |= words
            lost += [(clause.analysis, t) for t in clause.terms if t.weight >= 1 and foreign(t, said)]
    return lost


def _tells(clause: Clause, value: Quantity | Moment) -> bool:
    """The clause has a value or time of the statement."""
    analysis = clause.analysis
    if isinstance(value, Moment):
        return any(clause.start <= m.start < clause.end and covers(value, m) for m in analysis.moments)
    return any(clause.start <= q.start < clause.end and equal(*loosely(value, q)) for q in analysis.quantities)
