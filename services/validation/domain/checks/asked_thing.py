"""A value answers the question only if it is a value of the thing that the question names."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.case import REFUSAL, Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.reading.nouns import nominal
from services.validation.domain.times.moments import covers
from services.validation.domain.values.compare import equal, loosely
from services.validation.domain.wording.align import SYNONYM, Bag, match

# One word may be told by another, or left to what the passage is about.
_LEAST = 2
# What a question asks for, which the answer gives as a value; it is no thing that the value is of.
_MEASURES = re.compile(
    r"(?:price|cost|fee|charge|hour|time|weight|height|length|width|depth|distance|duration|temperature|speed|size|number"
    r"|amount|rate|limit|maximum|minimum|period|term|date|day|week|month|year|age|share|percentage|proportion|total|value"
    r"|quantity|capacity|many|much|long|high|far|fast|old|large|big|often|soon|heavy|wide|deep|tall"
    r"|deadline)s?"
    r"|价格?|费用?|收费|时间|时长|时限|期限?|日期|重量?|高度|长度|宽度|深度|距离|温度|速度|数量|数目|金额|比例|上限|下限|面积|容量"
    r"|年龄|人数|时候|多少钱?|多长时间|首次|[多几][长久大高重远快少点天年月日个]|年|月|日|天"
)
# Other words that ask and name no thing.
_ASKING = re.compile(
    r"(?:kind|type|name|person|people|provision|article|section|rule|clause|paragraph)s?"
    r"|open|closed|available|free|allowed|valid|due|ready"
    r"|名称|地点|条款?|规定|办法|怎么办|什么|哪些|谁|人"
)


@register(
    "asked_thing",
    Lock.COMPLETENESS,
    sees="a value where the cited passages and their titles have none of the things that the question names (across"
    " languages, the statements neither); a value of a sister thing, told apart by the word before the same noun (the"
    " ultrasound scanner for the MRI scanner) or by the owner of the same attribute (the dryer's warranty for that of"
    " the dishwasher)",
    blind="things told by synonyms of which no list knows; sisters in everyday words of which the passages name only"
    " one; answers without a value",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield INCOMPLETE_ANSWER at the last claim."""
    claims = case.claims
    if not claims or case.question.compares or any(r.role == REFUSAL or case.discloses(r) for r in case.readings):
        return
    if not _asks_value(case) or not any(_tells_value(case, r.analysis) for r in claims):
        return
    cited = sorted({c for r in claims for c in r.cited})
    units = [u for c in cited for u in case.passage(c).units]
    said = [r.analysis for r in case.readings]
    han = case.question.analysis.han
    across = any(a.han != han for a in (*said, *(u.analysis for u in units)))
    # In one language the statements' own words are no evidence; across, they are the only ones that surely meet.
    titles = (case.passage(c).title for c in cited)
    whole = Bag.of([*(u.analysis for u in units), *titles, *(said if across else ())])
    things = _things(case, across=across)
    lost = [t for t in things if match(t, whole) == 0 and not _spelled_out(t, whole.low)]
    enough = len(lost) >= _LEAST or (
        lost and not across and _tells_measure(case.question.analysis, lost[0]) and _others_like_it(claims, units)
    )
    if enough and len(lost) == len(things):
        yield _finding(case, claims, ", ".join(t.word.surface for t in lost))
        return
    if not across:
        sister = _sister(case, claims, units, lost) or _other_owner(case, claims, units, whole)
        if sister is not None:
            yield _finding(case, claims, " ".join(t.word.surface for t in sister))


def _finding(case: Case, claims: Sequence[Reading], named: str) -> Finding:
    return Finding(
        IssueType.INCOMPLETE_ANSWER,
        claims[-1].index,
        f"the answer gives a value, but neither it nor its passages speak of what is asked about: {named}",
        RemedyKind.RETRIEVE_MISSING,
        expected=case.question.text,
        queries=(case.question.text,),
    )


def _asks_value(case: Case) -> bool:
    """How much, when, which price; steps, names and reasons may be told without any word of the question."""
    question = case.question
    asks = _WHEN.search(question.analysis.low) is not None or any(map(_measure, question.analysis.terms))
    return question.wants_number or (asks and not question.how_to)


_WHEN = re.compile(r"\bwhen\b|\bwhat time\b|何时|几点|几[月号日]|哪[天年日]")


def _tells_value(case: Case, analysis: Analysis) -> bool:
    """A value or time that the question does not have itself."""
    asked = case.question.analysis
    return any(not q.weak and not any(equal(q, a) for a in asked.quantities) for q in analysis.quantities) or any(
        not any(covers(m, a) for a in asked.moments) for m in analysis.moments
    )


# --- the things of a question ----------------------------------------------------------------------------------------


def _things(case: Case, *, across: bool) -> list[Term]:
    """The nouns of the question beside the measure asked for and codes, whose readings have checks of their own; what
    tells which measure counts too (visiting hours, 探视时间). Across languages without proper names and verbs, with
    what stands before a noun."""
    analysis, meta = case.question.analysis, case.config.lexicon.meta_words
    coded = [(n.start, n.end) for n in analysis.names if n.strict]
    found = []
    for term, after in itertools.zip_longest(analysis.terms, analysis.terms[1:]):
        empty = term.weight < 1 or term.key in meta or _measure(term) or _ASKING.fullmatch(term.word.surface)
        if empty or any(a <= term.start < b for a, b in coded):
            continue
        if across and not term.word.han and analysis.text[term.start].isupper():
            continue
        modifies = (
            after is not None and _joined(analysis, term, after) and _modifies(analysis, term, after, across=across)
        )
        if modifies or _names_thing(analysis, term):
            found.append(term)
    return found


def _names_thing(analysis: Analysis, term: Term) -> bool:
    """A noun, an abbreviation in capitals or what follows "does"; not what is counted, nor the verb that ends a
    question with "does"."""
    before, after = analysis.low[: term.start], analysis.low[term.end :]
    # The end is asked for first: the search looks at all that stands before, and only the last word is worth it.
    if _COUNTED.search(before) or (not after.strip(" ?") and _DOES.search(before)):
        return False
    capitals = not term.word.han and analysis.text[term.start : term.end].isupper()
    return capitals or _SUBJECT.search(before) is not None or nominal(analysis, term)


_DOES = re.compile(
    r"\b(?:do|does|did)\b.*\s(?!(?:the|a|an|of|for|in|on|at|with|by|from|per|to|and|or|your|our|its|their)\s)[a-z-]+\s$"
    r"|\b(?:is|are|was|were)\s(?:the|an?|your|our)\s[a-z-]+\s$"
)
_SUBJECT = re.compile(r"\b(?:do|does|did)\s(?:the |an? )?$")
# "How much water should I drink?": what is counted is often left out of "drink 2 litres".
_COUNTED = re.compile(r"\bhow (?:much|many) (?:[a-z]+ )?$|(?:多少|几)[个名位台件升吨]?$")


def _modifies(analysis: Analysis, term: Term, after: Term, *, across: bool) -> bool:
    if across:
        return not term.word.han and not _measure(after) and nominal(analysis, after)
    return _measure(after) and (term.word.han or term.word.surface.endswith("ing"))


def _tells_measure(analysis: Analysis, term: Term) -> bool:
    """The one word tells which measure is asked for (visiting hours, 探视时间) or is an abbreviation in capitals."""
    after = next((t for t in analysis.terms if t.start >= term.end), None)
    modifies = after is not None and _joined(analysis, term, after) and _modifies(analysis, term, after, across=False)
    return modifies or (not term.word.han and analysis.text[term.start : term.end].isupper())


def _others_like_it(claims: Sequence[Reading], units: Sequence[Unit]) -> bool:
    """The passages have another value of the kind told, so that the one told may be of any of several things: with a
    single one, one word that is not found is more likely told by another ("leaving your car" for parking)."""
    spans = [q for u in units for q in u.analysis.quantities if not q.weak]
    moments = [m for u in units for m in u.analysis.moments]
    return any(
        q.unit.dimension == other.unit.dimension and not equal(q, other)
        for r in claims
        for q in r.analysis.quantities
        for other in spans
    ) or any(
        m.kind == other.kind and not covers(m, other) for r in claims for m in r.analysis.moments for other in moments
    )


def _measure(term: Term) -> bool:
    return _MEASURES.fullmatch(term.word.surface) is not None


def _joined(analysis: Analysis, first: Term, second: Term) -> bool:
    """Nothing but a space or hyphen stands between two words."""
    return not analysis.text[first.end : second.start].strip(" -")


def _spelled_out(term: Term, low: str) -> bool:
    """The passages have words that begin with the letters of an abbreviation: magnetic resonance imaging for MRI."""
    letters = term.word.surface.lower()
    if term.word.han or not 2 <= len(letters) <= _LONGEST_ACRONYM or not letters.isalpha():
        return False
    between = r"[a-z]*[\s-]+(?:(?:of|and|for|the|in)\s+)?"
    return re.search(r"\b" + between.join(map(re.escape, letters)), low) is not None


_LONGEST_ACRONYM = 6


# --- sisters -----------------------------------------------------------------------------------------------------


def _sister(case: Case, claims: Sequence[Reading], units: Sequence[Unit], lost: Sequence[Term]) -> list[Term] | None:
    """The asked thing's two words, if each value of the answer stands beside the second one with another first."""
    asked = case.question.analysis
    carriers = [u for u in units if any(_shares_value(r.analysis, u.analysis) for r in claims)]
    for first, second in itertools.pairwise(asked.terms):
        if first not in lost or not _joined(asked, first, second) or _measure(second):
            continue
        if not nominal(asked, second) or second.weight < 1:
            continue
        others = {t.key for u in units for t in _before(case, u, second)}
        marked = first.word.han or _ACRONYM.match(asked.text[first.start : first.end]) is not None
        told_apart = bool(others) if marked else len(others) > 1
        if carriers and told_apart and all(_before(case, u, second) for u in carriers):
            return [first, second]
    return None


_ACRONYM = re.compile(r"[A-Z][a-z]?[A-Z]|[A-Z]-")


def _other_owner(case: Case, claims: Sequence[Reading], units: Sequence[Unit], whole: Bag) -> list[Term] | None:
    """The owner of the attribute asked for, if nothing speaks of it and each value of the answer stands in a sentence
    that gives the same attribute to another owner."""
    asked = _owned(case.question.analysis)
    if asked is None:
        return None
    attribute, owner = asked
    if any(match(t, whole) >= _SHARED_CHARACTER or _spelled_out(t, whole.low) for t in owner):
        return None
    said = case.bags.said(case.question.analysis)
    carriers = [u for u in units if any(_shares_value(r.analysis, u.analysis) for r in claims)]
    for unit in carriers:
        theirs = _owned(unit.analysis)
        if theirs is None or theirs[0].key != attribute.key or any(match(t, said) >= SYNONYM for t in theirs[1]):
            return None
    return owner if carriers else None


# 洗碗机 and 洗衣机 share two of three characters.
_SHARED_CHARACTER = 0.4


def _owned(analysis: Analysis) -> tuple[Term, list[Term]] | None:
    """(attribute, words of its owner): "the warranty of the dishwasher", 洗碗机的保修期."""
    for link in _OF.finditer(analysis.low):
        before = [t for t in analysis.terms if t.end <= link.start() + 1]
        after = [t for t in analysis.terms if t.start >= link.end() - 1]
        first, rest = (after, before[::-1]) if analysis.han else (before[::-1], after)
        if not first or not rest or first[0].weight < 1:
            continue
        owner = [rest[0]]
        for word in rest[1:]:
            a, b = (word, owner[-1]) if analysis.han else (owner[-1], word)
            if not _joined(analysis, a, b) or not nominal(analysis, word):
                break
            owner.append(word)
        near = abs(first[0].start - link.start()) <= _NEAR and abs(rest[0].start - link.end()) <= _NEAR
        if near and nominal(analysis, owner[-1]):
            return first[0], owner if not analysis.han else owner[::-1]
    return None


_OF, _NEAR = re.compile(r"\bof (?:the |an? |your |our )?|(?<=[\u4e00-\u9fff])的(?=[\u4e00-\u9fff])"), 16


def _before(case: Case, unit: Unit, noun: Term) -> list[Term]:
    """The nouns right before a noun in a text that the question lacks; in the label of a row any word."""
    said, analysis = case.bags.said(case.question.analysis), unit.analysis
    return [
        a
        for a, b in itertools.pairwise(analysis.terms)
        if b.key == noun.key
        and _joined(analysis, a, b)
        and match(a, said) < SYNONYM
        and (unit.headers or nominal(analysis, a))
    ]


def _shares_value(told: Analysis, other: Analysis) -> bool:
    values = [q for q in told.quantities if not q.weak]
    return any(equal(*loosely(q, e)) for q in values for e in other.quantities) or any(
        covers(m, e) for m in told.moments for e in other.moments
    )
