"""Chinese clauses that follow a clause of the passage but for one thing: another noun, another receiver."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.analysis import Term
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.reading.clauses import Clause, Pair
from services.validation.domain.reading.nouns import nominal
from services.validation.domain.wording.align import Bag, match

_LEAST_ALIKE, _LEAST_KEPT, _LEAST_PASSED = 0.6, 0.5, 0.45


@register(
    "exchanges",
    Lock.TRACEABILITY,
    sees="in Chinese, one noun exchanged in a clause that else has the passage's words (身份证后四位 for 手机号后四位),"
    " and what is passed to another receiver of the passage (打给物业公司 for 划转至施工单位)",
    blind="nouns that share a character with a word of the passage, receivers told before their verb",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield ENTITY_MISMATCH."""
    for reading in case.reworded:
        if not reading.analysis.han:
            continue
        answer = Bag.of([reading.analysis])
        for pair in case.pairs(reading):
            if not pair.evidence.analysis.han or pair.unit.headers or pair.answer.condition:
                continue
            place = _one_noun(case, reading, pair, answer) or _receiver(case, pair, answer)
            if place is not None:
                yield _finding(reading, pair, place)
                break


def _one_noun(case: Case, reading: Reading, pair: Pair, answer: Bag) -> tuple[int, int] | None:
    """All words but one stand in the clause of the evidence, all but one of its in the statement, in one place."""
    if pair.forward.share < _LEAST_ALIKE or pair.backward.share < _LEAST_KEPT:
        return None
    mine, theirs = list(pair.answer.terms), list(pair.evidence.terms)
    cited = case.bags.cited(reading.cited)
    new = [t for t in mine if not _found(t, pair.evidence.bag)]
    old = [t for t in theirs if not _same(t, answer)]
    if len(new) != 1 or not 1 <= len(old) <= _PHRASE or old[-1].start - old[0].end > 0 or len(mine) - 1 < _FEWEST:
        return None
    here, there = new[0], old[-1]
    if (
        _found(here, cited)
        or here.key in case.question.analysis.keys
        or set(here.word.surface) & set(there.word.surface)
    ):
        return None
    if not (_thing(pair.answer, here) and any(_thing(pair.evidence, t) for t in old)):
        return None
    return (here.start, here.end) if _flanks(pair.answer, mine, here) & _flanks(pair.evidence, theirs, there) else None


def _found(term: Term, bag: Bag) -> bool:
    """A longer word is found by more than a character that another word has too."""
    return match(term, bag) >= (_SURE if len(term.word.surface) > _LONG else _ANY)


def _same(term: Term, bag: Bag) -> bool:
    return match(term, bag) >= _SAME


_SURE, _ANY, _SAME = 0.5, 1e-9, 0.9


def _thing(clause: Clause, term: Term) -> bool:
    return len(term.word.surface) >= _LONG and nominal(clause.analysis, term)


_FEWEST, _LONG, _PHRASE = 2, 2, 2


def _flanks(clause: Clause, terms: Sequence[Term], term: Term) -> set[str]:
    """What stands right beside a word: the words themselves, and the two characters after it."""
    low = clause.analysis.low
    before = next((t for t in reversed(terms) if t.end <= term.start), None)
    found = {"<" + before.key} if before is not None else set()
    after = re.match(r"[\u4e00-\u9fff]{2}", low[term.end : term.end + 2])
    return found | ({">" + after.group()} if after else set())


_TO = re.compile(
    r"(?:打给|交给|付给|发给|转给|送给|退给|报给|支付给|划给|给|划转至|转至|送至|报至|交至|移交|报送|提交给?|转交)(?P<x>[\u4e00-\u9fff]{2,10})$"
)


def _receiver(case: Case, pair: Pair, answer: Bag) -> tuple[int, int] | None:
    """What closes both clauses as the receiver is another party of the passage, and the right one is left out."""
    if pair.forward.share < _LEAST_PASSED:
        return None
    mine, theirs = (_TO.search(_bare(c)) for c in (pair.answer, pair.evidence))
    if mine is None or theirs is None:
        return None
    own = [t for t in pair.answer.terms if t.start >= pair.answer.start + mine.start("x")]
    right = [t for t in pair.evidence.terms if t.start >= pair.evidence.start + theirs.start("x")]
    if not own or not right or any(_same(t, Bag.of([case.analyser.analyse(theirs["x"])])) for t in own):
        return None
    if any(_same(t, answer) for t in right) or set(mine["x"]) & set(theirs["x"]):
        return None
    known = all(match(t, case.bags.unit(pair.unit)) for t in own)
    return (own[0].start, own[-1].end) if known else None


def _bare(clause: Clause) -> str:
    return clause.low.rstrip(" ，。；,;")


def _finding(reading: Reading, pair: Pair, place: tuple[int, int]) -> Finding:
    return Finding(
        IssueType.ENTITY_MISMATCH, reading.index, "the passage says this of something else", RemedyKind.REGENERATE,
        span=place, citation=pair.unit.citation,
        evidence=(pair.unit.start + pair.evidence.start, pair.unit.start + pair.evidence.end),
        found=reading.analysis.text[place[0] : place[1]], expected=pair.evidence.low.strip(),
    )  # fmt: skip
