"""Things that a statement joins to one of the passage's: notice to the tenant and the caretaker, 用温水或牛奶."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Container, Iterator, Sequence

from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.case import Case, Reading
from services.validation.domain.reading.clauses import Clause, Pair
from services.validation.domain.reading.nouns import nominal
from services.validation.domain.roles.actors import has_predicate
from services.validation.domain.wording.align import PIVOT, SYNONYM, Bag, match

_JOINT = re.compile(
    r",?\s(?:and|or|as well as|along with|together with)\s(?:(?:also|even|to|by|with|in|on|at|from|for|of|into)\s)?"
    r"(?:(?:the|an?|its|their|any|all|some|other)\s)?|以及|或者|(?<![总共饱温])和(?!平|谐|睦|解)|与(?!否)|或(?!许)|、"
)
_FOUND, _CARRIED = 0.5, 0.7
# The words of one thing: building manager, 所在单位.
_MOST_WORDS = 3

Structural = Callable[[Term], bool]


def joined_thing(case: Case, reading: Reading, bag: Bag, structural: Structural) -> tuple[int, int] | None:
    """A noun that the cited passages lack, joined to one that they have, whose clause leaves nothing out.

    A retelling calls one thing by two names at most where a noun of the passage is missing in exchange. Where the
    passage joins two things of the statement, a third is added in any case.
    """
    said = case.bags.said(reading.analysis)
    across = reading.analysis.han != bag.han
    for pair in case.pairs(reading):
        if pair.unit.headers:
            continue
        for known, after in _joined(pair.answer):
            added = list(itertools.takewhile(lambda t: foreign(t, bag) and not structural(t), after))
            if not added or structural(known) or match(known, bag) < (_FOUND if across else SYNONYM):
                continue
            if _says_more(pair.answer, added[-1]) or not all(nominal(reading.analysis, t) for t in (known, added[-1])):
                continue
            whole = _all_else(pair, added) and not _left_out(pair, said, case.config.lexicon.meta_words)
            if whole or _closed_list(pair, known):
                return added[0].start, added[-1].end
    return None


def _joined(clause: Clause) -> Iterator[tuple[Term, Sequence[Term]]]:
    """The word before each joint of a clause with the words of the thing after it; the joint may end the clause."""
    analysis = clause.analysis
    for joint in _JOINT.finditer(analysis.low, clause.start, len(analysis.low)):
        before = [t for t in clause.terms if t.end == joint.start()]
        if joint.start() >= clause.end or not before:
            continue
        after = _run(analysis, joint.end())
        if after:
            yield before[0], after


def _says_more(clause: Clause, last: Term) -> bool:
    """The thing opens a clause that goes on, or is described: "and treatment lasts 10 days", "the letter in which"."""
    if _DESCRIBED.match(clause.analysis.low, last.end):
        return True
    end = clause.analysis.clause_at(last.start)[1]
    own = last.start >= clause.end and has_predicate(clause)
    starts = [t.start for t in clause.analysis.terms] + [q.start for q in clause.analysis.quantities]
    return own and any(last.end <= start < end for start in starts)


def _run(analysis: Analysis, start: int) -> list[Term]:
    """The words of one thing from a place on: in Chinese one word, else words side by side up to the first gap."""
    run: list[Term] = []
    at = start
    for term in analysis.terms:
        if term.start < start:
            continue
        if term.start != at or len(run) == _MOST_WORDS:
            break
        run.append(term)
        if term.word.han:
            break
        at = term.end + 1
    return run


_DESCRIBED = re.compile(r",?\s(?:(?:in|on|with|for|of|by|to)\s)?(?:which|that|who|whom|whose|where)\b")


def foreign(term: Term, bag: Bag) -> bool:
    """Of no meaning that a word of the passages has; a Chinese word shares no character with them but a common one.

    Two Chinese words that meet in some gloss of the dictionary only (牛奶, 冲服) are not one for that.
    """
    if term.weight < 1 or term.key in _DAYS:
        return False
    if not (term.word.han and bag.han):
        return match(term, bag) < _FOUND
    shared = any(c in bag.chars and c not in COMMON for c in term.word.surface)
    return not shared and match(term, bag) <= PIVOT


# Days that the checks of times read.
_DAYS = frozenset(("weekday", "weekend"))
# Characters that many words share.
COMMON = frozenset("的一不人有大上中下小年月日时分期前后内外出入行用工作业部门会事物品费用款项量数单位所在员者")


def _all_else(pair: Pair, added: Sequence[Term]) -> bool:
    """The rest of the clause stands in the clause of the passage."""
    rest = [t for t in pair.answer.terms if t not in added]
    weight = sum(t.weight for t in rest)
    return weight > 0 and sum(t.weight * match(t, pair.evidence.bag) for t in rest) / weight >= _CARRIED


def _closed_list(pair: Pair, known: Term) -> bool:
    """The thing and the one joined to it stand joined in the passage too, with nothing else: 水井或泉眼."""
    earlier = [t for t in pair.answer.terms if t.end < known.start][-1:]
    places = [e.start for e in pair.evidence.terms if e.key in {known.key, *(t.key for t in earlier)}]
    if len(places) < _PAIR or max(places) - min(places) > _JOINED_WITHIN:
        return False
    return len(_JOINT.findall(pair.evidence.analysis.low, min(places), max(places))) == 1


_PAIR, _JOINED_WITHIN = 2, 16


def _left_out(pair: Pair, said: Bag, empty: Container[str]) -> bool:
    """A noun of the passage's clause has no counterpart in the statement: the new one may stand for it."""
    analysis = pair.evidence.analysis
    lost = [t for t in pair.evidence.terms if t.weight >= 1 and match(t, said) < _FOUND]
    return any(t.word.surface not in empty and nominal(analysis, t) for t in lost)
