"""What the answer says is what was asked, where a retrieved sentence shows that the sources speak of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.analysis import Term
from services.validation.domain.case import REFUSAL, Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.reading.nouns import nominal
from services.validation.domain.sources.timeline import Standing
from services.validation.domain.values.compare import equal
from services.validation.domain.wording.align import Bag, cover

# A sentence that holds so much of the question's words speaks of it; an answer that holds so little of what that
# sentence holds speaks of something else. Of 318 valid answers in two languages none that falls below gives no value.
_SPEAKS_OF_IT = 0.6
_BESIDE_IT = 0.4
# Of so many words of the question passages that answer it have more; valid answers have 0.39 and more.
_MANY_ASKED, _STRANGE = 5, 0.2
# A question in fewer words may be answered in none of them.
_LEAST_ASKED = 2
# The counterpart of a thing is told in words of its own: these words of the question ask for it.
_COUNTERPART = re.compile(
    r"replac\w*|supersed\w*|successors?|correspond\w*|equivalents?|instead|alternatives?|renumbered"
    r"|where (?:did|has|have)\b|\b(?:go|gone|moved)\b|取代|替代|替换|对应|代替|拆[成分]|并入|移到|改成",
    re.I,
)
# A sentence that holds less of the statement does not carry it, and lends it no words.
_CARRIES = 0.5


@register(
    "topic",
    Lock.COMPLETENESS,
    sees="answers of which neither the statements nor the sentences and titles behind them have the words of the"
    " question, while a sentence of another passage has most of them; passages with next to none of many words; values"
    " from passages that lack the thing asked about",
    blind="answers in the question's words that miss what it asks; questions of one content word; across languages only"
    " answers that share no word at all",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield INCOMPLETE_ANSWER at the last claim."""
    claims = case.claims
    if not claims or any(r.role == REFUSAL or case.discloses(r) for r in case.readings) or case.question.compares:
        return
    asked = _asked(case)
    strange = _strange_passages(case, claims, asked)
    if strange:
        words = ", ".join(t.word.surface for t in strange)
        yield _finding(claims, f"neither the answer nor its passages speak of {words}", None, case.question.text)
        return
    if _gives_a_value(case, claims):
        yield from _value_of_something_else(case, claims, asked)
        return
    found = _speaks_of_it(case, asked) if len(asked) >= _LEAST_ASKED else None
    if found is None:
        return
    share, unit = found
    if any(unit.citation in r.cited for r in claims):
        return  # it draws on the passage that speaks of it
    told = cover(asked, _told(case, claims)).share
    if told > (0.0 if _across(case, claims, unit.analysis.han) else _BESIDE_IT * share):
        return
    yield _finding(claims, _ELSE.format(citation=unit.citation, text=unit.analysis.text), unit, unit.analysis.text)


def _finding(claims: Sequence[Reading], message: str, unit: Unit | None, expected: str) -> Finding:
    return Finding(
        IssueType.INCOMPLETE_ANSWER,
        claims[-1].index,
        message,
        RemedyKind.RETRIEVE_MISSING if unit is None else RemedyKind.REGENERATE,
        citation=0 if unit is None else unit.citation,
        evidence=None if unit is None else (unit.start, unit.end),
        expected=expected,
        queries=(expected,) if unit is None else (),
    )


def _across(case: Case, claims: Sequence[Reading], han: bool) -> bool:
    """Question, answer and passages are not all in one script, so that words can be told to be missing less surely."""
    return any(h != case.question.analysis.han for h in (han, *(r.analysis.han for r in claims)))


def _strange_passages(case: Case, claims: Sequence[Reading], asked: Sequence[Term]) -> Sequence[Term]:
    """The question's words, if of many of them whole passages and the answer together have next to none."""
    cited = sorted({c for r in claims for c in r.cited})
    passages = case.bags.cited(cited)
    if len(asked) < _MANY_ASKED or _across(case, claims, passages.han):
        return ()
    units = (u.analysis for c in cited for u in case.passage(c).units)
    titles = (case.passage(c).title for c in cited)
    coverage = cover(asked, Bag.of([*(r.analysis for r in case.readings), *units, *titles]))
    return coverage.missing if coverage.share <= _STRANGE else ()


def _asked(case: Case) -> list[Term]:
    """The question's content words; codes and years narrow the search and are no topic."""
    meta = case.config.lexicon.meta_words
    question = case.question.analysis
    asking = [m.span() for m in _COUNTERPART.finditer(question.low)]
    return [
        t
        for t in question.terms
        if t.weight >= 1
        and t.key not in meta
        and not any(c.isdigit() for c in t.word.surface)
        and not any(start <= t.start < end for start, end in asking)
    ]


def _gives_a_value(case: Case, claims: Sequence[Reading]) -> bool:
    """The answer to how much may be the value alone; whether it is the right one the checks of values see."""
    if not case.question.wants_number:
        return False
    known = case.question.analysis.quantities
    return any(not any(equal(q, k) for k in known) for r in claims for q in r.analysis.quantities)


def _value_of_something_else(case: Case, claims: Sequence[Reading], asked: Sequence[Term]) -> Iterator[Finding]:
    """A value drawn from passages that lack all things the question names, where a sentence of another has them all.

    In one language only: which of two passages speaks of a thing cannot be told by words that no dictionary has.
    """
    things = [t for t in asked if nominal(case.question.analysis, t) and t.word.surface not in _ASKING]
    found = _speaks_of_it(case, asked)
    if not things or found is None:
        return
    _, unit = found
    cited = sorted({c for r in claims for c in r.cited})
    if unit.citation in cited or _across(case, claims, unit.analysis.han):
        return
    units = (u.analysis for c in cited for u in case.passage(c).units)
    titles = (case.passage(c).title for c in cited)
    theirs = Bag.of([*(r.analysis for r in case.readings), *units, *titles])
    if cover(things, case.bags.unit(unit)).share == 1 and cover(things, theirs).share < _HARDLY:
        yield _finding(claims, _ELSE.format(citation=unit.citation, text=unit.analysis.text), unit, unit.analysis.text)


# A character shared with another word (废物, 物品) is next to nothing.
_HARDLY = 0.3
_ASKING = frozenset(("多久", "多少", "多长", "多大", "多高", "多重", "多远", "几", "什么", "哪些"))
_ELSE = "the answer speaks of something else; what is asked about stands in [{citation}]: {text}"


def _told(case: Case, claims: Sequence[Reading]) -> Bag:
    """All statements, with the sentences that carry them and the titles above those."""
    best = [aligned[0] for r in claims if (aligned := case.align(r, r.cited))]
    best = [aligned[0] for r in claims if (aligned := case.align(r, r.cited))]
    behind = [a.unit for a in best if a.coverage.share >= _CARRIES]
    headers = [header for unit in behind for _, _, header in unit.headers]
    titles = [case.passage(c).title for r in claims for c in r.cited]
    return Bag.of([*(r.analysis for r in case.readings), *(u.analysis for u in behind), *headers, *titles])


def _speaks_of_it(case: Case, asked: Sequence[Term]) -> tuple[float, Unit] | None:
    """The retrieved sentence in force that has most of the question's words, if it has enough of them itself."""
    day = case.as_of or case.today
    best: tuple[float, Unit] | None = None
    for passage in case.passages:
        if case.timeline(day).status(passage).standing is not Standing.CURRENT:
            continue
        for unit in passage.units:
            if unit.kind in ("heading", "header"):
                continue
            share = cover(asked, case.bags.unit(unit)).share
            if share >= _SPEAKS_OF_IT and (best is None or share > best[0]):
                best = share, unit
    return best
