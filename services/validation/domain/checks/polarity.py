"""What the evidence denies is not affirmed, and the reverse; opposites and exceptions count as denials."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.config import Lexicon
from services.validation.domain.force import polarity
from services.validation.domain.force.conditions import exception_turned, waived
from services.validation.domain.force.contrast import opposed, rivals
from services.validation.domain.force.denials import allowed_too_soon, both_wait, capped_alike, denied_in_other_cell
from services.validation.domain.force.opposites import words_opposed
from services.validation.domain.force.suppositions import Supposed, supposed_in
from services.validation.domain.reading.clauses import Clause, Pair
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.roles.actors import PRONOUN, has_predicate, subject
from services.validation.domain.roles.crossed_signs import counterparts_turned, signs_crossed
from services.validation.domain.times.moments import same_time
from services.validation.domain.values.compare import comparable, equal, loosely
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.wording.align import cover, match

_SURE, _SURE_OF_OPPOSITE, _SURE_OF_EXCEPTION = 0.55, 0.45, 0.3
_NEARLY, _WHOLE = 0.15, 0.9
_MATCHED = 0.5
_PREDICATE = 0.3
_BOUND_WORD = re.compile(
    r"above|over|exceed(?:s|ing)?|below|under|earlier|later|高于|超过|以上|低于|以下|不足|早于|晚于|提前|推迟"
)


@register(
    "polarity",
    Lock.TRACEABILITY,
    sees="negations dropped or added, opposites (open, closed), exceptions turned into inclusion, unless against"
    " only if",
    blind="negation by meaning alone ('failed to impress')",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield NEGATION_MISMATCH."""
    for reading in case.reworded:
        if case.discloses(reading):
            continue
        judged = supposed_in(case, reading)
        if judged is not None and not judged.agrees:
            yield _contradiction(reading, judged.unit)
            continue
        if judged is None:
            yield from exception_turned(case, reading)
            yield from waived(case, reading)
        crossed = counterparts_turned(case, reading) or (None if judged else signs_crossed(case, reading))
        if crossed is not None:
            yield _finding(reading, crossed)
            continue
        turn = -1 if reading.statement.listed and _under_denial(case, reading) else 1
        for pair in case.pairs(reading):
            if pair.answer.condition or _says_no(case, pair) or (judged is not None and _settled(case, judged, pair)):
                continue
            denied = _denied(case, pair, turn) and not _told_alike(case, reading, pair, turn)
            if denied or (turn > 0 and _denied_item(case, reading, pair)):
                yield _finding(reading, pair)


def _settled(case: Case, judged: Supposed, pair: Pair) -> bool:
    """The sentence was judged by what it supposes; opposites in a clause of it count where nothing else is turned."""
    return pair.unit is judged.unit and (judged.turned or not opposed(pair, case.config.lexicon))


def _says_no(case: Case, pair: Pair) -> bool:
    """The first clause only denies the question (没有开启, "No, it is not"); what is so is told after it."""
    clause = pair.answer
    first = clause.start == 0 and len(clause.analysis.clauses) > 1
    return first and len(clause.terms) <= 1 and all(t.key in case.question.analysis.keys for t in clause.terms)


def _under_denial(case: Case, reading: Reading) -> bool:
    """The line that introduces the list forbids or denies: what follows is what it speaks of (以下行为被禁止：)."""
    for earlier in reversed(case.readings[: reading.index]):
        if earlier.statement.text.rstrip(" *_").endswith((":", "：")):
            kinds = {c.kind for c in earlier.analysis.cues}
            return bool(kinds & {polarity.PROHIBITION, polarity.EXEMPTION} or earlier.analysis.negations)
    return False


def _told_alike(case: Case, reading: Reading, pair: Pair, turn: int) -> bool:
    """Some other clause of the cited passages speaks of the same with the statement's own sign: nothing is denied.

    A source that states a rule and its exception has both signs; the statement follows one of them.
    """
    lexicon = case.config.lexicon
    if polarity.excepted(case, pair):
        return False
    wanted = polarity.sign(pair.answer, lexicon) * turn
    opposites = opposed(pair, lexicon)
    for unit in case.units(reading.cited):
        for clause in case.clauses(unit.analysis):
            if clause is pair.evidence or polarity.sign(clause, lexicon) != wanted:
                continue
            if rivals(pair.answer.low, clause.low, lexicon, polar=True):
                continue
            if opposites and not any(found.answer in clause.low for found in opposites):
                continue
            if cover(pair.answer.terms, clause.bag).share >= pair.forward.share - _NEARLY:
                return True
            # The predicate stands in the next clause: "a trader below the limit, | is exempt from the levy".
            rest = [t for t in pair.answer.terms if match(t, pair.evidence.bag) < _MATCHED]
            short = not rest and len(clause.terms) <= _FEW and not clause.condition
            whole = unit is not pair.unit and cover(pair.answer.terms, case.bags.unit(unit)).share >= _WHOLE
            if whole and cover(pair.answer.terms, clause.bag).share >= _SURE:
                return True  # one sentence says all of it, this clause of it the predicate
            if unit is pair.unit and (short or (rest and cover(rest, clause.bag).share >= _PREDICATE)):
                return True
    return False


def _denied(case: Case, pair: Pair, turn: int) -> bool:
    lexicon = case.config.lexicon
    if allowed_too_soon(pair):
        return True
    if both_wait(pair) or capped_alike(pair) or denied_in_other_cell(pair):
        return False
    carved = [_carves_out(clause, lexicon) for clause in (pair.answer, pair.evidence)]
    turned_too = [c or clause.turned for c, clause in zip(carved, (pair.answer, pair.evidence), strict=True)]
    if any(carved) and all(turned_too):
        # Both name an exception; which one is for the words to tell. What holds apart from it has to agree.
        signs = [polarity.main_sign(c, lexicon) for c in (pair.answer, pair.evidence)]
        return signs[0] * turn != signs[1] and pair.forward.share >= _SURE and _same_target(pair)
    if _bare_piece(pair, lexicon) or _exception_told(case, pair, lexicon):
        return False
    if _of_other_days(pair) or _same_limit(pair) or _of_other_values(pair):
        return False
    if carved[0] and not polarity.excepted(case, pair):
        return False  # the statement makes an exception of its own: what it denies of that may well be so
    turned = [c for c in opposed(pair, lexicon) if not (_has_quantity(pair) and _BOUND_WORD.fullmatch(c.answer))]
    if turned and _one_clock(pair):
        return False  # it closes at the hour until which it is open
    opposites = [word for found in turned for word in (found.answer, found.evidence)]
    answer = polarity.sign(pair.answer, lexicon, opposites) * turn
    evidence = polarity.sign(pair.evidence, lexicon, opposites)
    if answer != evidence and not turned and words_opposed(pair.answer.low, pair.evidence.low):
        return False  # "must not be kept together" for "must be kept apart"
    if all(lexicon.unless.search(c.analysis.low) for c in (pair.answer, pair.evidence)) and not turned:
        # Both sentences hold but for something: what they hold has to agree, wherever the exception stands.
        answer, evidence = (polarity.main_sign(c, lexicon) for c in (pair.answer, pair.evidence))
        answer *= turn
    excepted = polarity.excepted(case, pair)
    who = subject(pair.answer)
    told = PRONOUN.match(pair.unit.analysis.text) is not None
    if who and not told and not excepted and not any(match(t, case.bags.unit(pair.unit)) for t in who):
        return False
    # The opposite itself cannot match; what remains of the clause must.
    sure = _SURE_OF_EXCEPTION if excepted else _SURE_OF_OPPOSITE if turned else _SURE
    if _INCLUDES.search(pair.answer.low) and pair.forward.share >= _SURE_OF_INCLUSION and answer > 0 > evidence:
        return True  # "open tickets are covered too" where the rules do not apply to open tickets
    if pair.forward.share < sure and not (turned and _continues(case, pair)):
        return False
    if excepted:
        if _INCLUDED.search(pair.answer.low):
            return True
        evidence = -_main_sign(case, pair, evidence)
    if answer * (-1) ** len(turned) == evidence:
        return False
    return bool(turned) or excepted or _same_target(pair)


def _main_sign(case: Case, pair: Pair, sign: int) -> int:
    """The sign of what an exception is made from, where the clause of the evidence is the exception itself."""
    lexicon, low = case.config.lexicon, pair.evidence.low
    told = lexicon.exception.search(low)
    if told is None or (told.start() > _OPENING and not _CLOSES.search(low)) or lexicon.unless.search(pair.answer.low):
        return sign
    clauses = case.clauses(pair.unit.analysis)
    at = next((i for i, c in enumerate(clauses) if c.start == pair.evidence.start), 0)
    beside = clauses[at - 1] if at else clauses[at + 1] if len(clauses) > 1 else None
    return polarity.main_sign(beside, lexicon) if beside is not None else sign


# What the evidence excepts, told as included: whatever is said of it, it is wrong.
_INCLUDED = re.compile(r"^\W*(?:including|whether|(?:not )?even)\b|\bincluded\W*$|^\W*(?:包括|含|连同|甚至|就连)")
_OPENING = 6
_CLOSES = re.compile(r"(?:除外|例外)\W*$")
_INCLUDES = re.compile(
    r"\b(?:too|also|as well|likewise|equally|even)\b|也(?=[要须得需不可能算同会应包]|一样|必须|适用|照"
    r"|没有例外)|同样|照样|不例外"
)
_SURE_OF_INCLUSION = 0.3


_BARE = 3


def _bare_piece(pair: Pair, lexicon: Lexicon) -> bool:
    """A piece of a list without a predicate, which affirms nothing by itself."""
    clause = pair.answer
    if len(clause.terms) > _BARE or clause.cues or has_predicate(clause) or len(clause.analysis.clauses) == 1:
        return False
    negated = any(clause.start <= s < clause.end for s, _ in clause.analysis.negations)
    return not (negated or _NAMES_PART.search(clause.low) or opposed(pair, lexicon))


_NAMES_PART = re.compile(r"includ|even|also|包括|含")


def _exception_told(case: Case, pair: Pair, lexicon: Lexicon) -> bool:
    """The statement's sentence names what the evidence excepts: "on public holidays it opens on Mondays too"."""
    if not pair.evidence.excepting or pair.answer.excepting:
        return False
    scope = [t for c in case.clauses(pair.unit.analysis) for t in polarity.exception_scope(c, lexicon)]
    rest = [t for t in pair.answer.analysis.terms if not pair.answer.start <= t.start < pair.answer.end]
    told = {t.key for t in rest}
    return bool(scope) and all(t.key in told for t in scope if t.weight >= 1 and t.key not in lexicon.meta_words)


def _carves_out(clause: Clause, lexicon: Lexicon) -> bool:
    """The clause, or the one beside it, names an exception."""
    return bool(lexicon.exception.search(clause.low) or clause.excepting)


def _same_limit(pair: Pair) -> bool:
    """ "Nobody may smoke closer than 10 m" and "smoking is prohibited within 10 m": a limit told by a denial."""
    return any(
        polarity.denies_excess(a) and polarity.PROHIBITION in polarity.forces(b)
        for a, b in ((pair.answer, pair.evidence), (pair.evidence, pair.answer))
    )


def _continues(case: Case, pair: Pair) -> bool:
    """The clause is carried by the evidence's clause with its value and by the sentence around it with its words."""
    inside = [q for q in pair.answer.analysis.quantities if pair.answer.start <= q.start < pair.answer.end]
    theirs = [q for q in pair.unit.analysis.quantities if pair.evidence.start <= q.start < pair.evidence.end]
    rest = [t for t in pair.answer.terms if match(t, pair.evidence.bag) == 0]
    valued = any(equal(q, e) for q in inside for e in theirs)
    return valued and cover(rest, case.bags.unit(pair.unit)).share >= _SURE_OF_OPPOSITE


def _denied_item(case: Case, reading: Reading, pair: Pair) -> bool:
    """Something that the clause adds to what its evidence affirms, and that another clause denies by the same word.

    "Lends a laptop and a chair" against "lends a laptop; a chair is not provided".
    """
    lexicon = case.config.lexicon
    if (
        PRONOUN.match(pair.unit.analysis.text)
        or pair.forward.share < _SURE_OF_OPPOSITE
        or polarity.sign(pair.answer, lexicon) < 0
    ):
        return False
    added = {t.key for t in pair.answer.terms if t.weight >= 1 and match(t, pair.evidence.bag) == 0}
    if not added:
        return False
    for unit in case.units([pair.unit.citation]):
        for clause in case.clauses(unit.analysis):
            if (unit is pair.unit and clause.start == pair.evidence.start) or clause.turned or clause.condition:
                continue
            negated = [n for n in clause.analysis.negations if clause.start <= n[0] < clause.end]
            who = [t for t in subject(clause) if t.weight >= 1]
            told = {t.key for t in who} & added
            if negated and told and len(who) <= _FEW and polarity.sign(clause, lexicon) < 0:
                predicate = [t for t in clause.terms if t not in who]
                if all(match(t, pair.answer.bag) or match(t, pair.evidence.bag) for t in predicate[:1]):
                    return True
    return False


_FEW = 3


def _has_quantity(pair: Pair) -> bool:
    """Both clauses give a value: above and below are bounds of it, and the check of values judges them."""
    return all(
        any(clause.start <= q.start < clause.end for q in clause.analysis.quantities)
        for clause in (pair.answer, pair.evidence)
    )


def _of_other_days(pair: Pair) -> bool:
    """The clauses speak of different days or periods: open on one and closed on another is no contradiction."""
    mine, theirs = (
        [m for m in clause.analysis.moments if clause.start <= m.start < clause.end]
        for clause in (pair.answer, pair.evidence)
    )
    return bool(mine and theirs) and not any(same_time(a, b) for a in mine for b in theirs)


def _one_clock(pair: Pair) -> bool:
    """Both clauses tell one clock time, which for one of them is the end of a span."""
    mine, theirs = (
        [m for m in clause.analysis.moments if clause.start <= m.start < clause.end and m.kind == "clock"]
        for clause in (pair.answer, pair.evidence)
    )
    return len(mine) != len(theirs) and any(same_time(a, b) for a in mine for b in theirs)


def _of_other_values(pair: Pair) -> bool:
    """Both clauses give counts or measures, and none in common: 8 that failed are not the 312 that passed; the whole
    that a part is told of (six of the 120 litres, 120升中) is nothing in common."""
    mine, theirs = (
        [
            q
            for q in clause.analysis.quantities
            if clause.start <= q.start < clause.end and not q.weak and not _is_whole(clause, q)
        ]
        for clause in (pair.answer, pair.evidence)
    )
    alike = [(a, e) for a in mine for e in theirs if comparable(*loosely(a, e))]
    return bool(alike) and not any(equal(*loosely(a, e)) for a, e in alike)


def _is_whole(clause: Clause, quantity: Quantity) -> bool:
    low = clause.analysis.low
    before, after = low[clause.start : quantity.start], low[quantity.end : clause.end]
    return _WHOLE_BEFORE.search(before) is not None or _WHOLE_AFTER.match(after) is not None


_WHOLE_BEFORE = re.compile(r"\w (?:out )?of (?:the |its |their |all )*$")
_WHOLE_AFTER = re.compile(r"[\u4e00-\u9fff]{0,4}[中里](?=[有的，]|\d|[一二三四五六七八九十])")


def _same_target(pair: Pair) -> bool:
    """What the negation denies (the word after it) stands in the other clause too."""
    for clause, other in ((pair.answer, pair.evidence), (pair.evidence, pair.answer)):
        for start, end in clause.analysis.negations:
            if not clause.start <= end <= clause.end:
                continue
            after = next((t for t in clause.terms if t.start >= end), None)
            # 免征: the negation is part of the word that it denies.
            around = next((t for t in clause.terms if t.start <= start and end < t.end), None)
            if any(t is not None and match(t, other.bag) == 0 for t in (after, around)):
                return False
    return True


def _contradiction(reading: Reading, unit: Unit) -> Finding:
    return Finding(
        IssueType.NEGATION_MISMATCH, reading.index, "the statement supposes what the evidence denies, or the reverse",
        RemedyKind.REGENERATE, citation=unit.citation, evidence=(unit.start, unit.end),
        found=reading.statement.body.strip(), expected=unit.analysis.text,
    )  # fmt: skip


def _finding(reading: Reading, pair: Pair) -> Finding:
    answer, evidence = pair.answer, pair.evidence
    return Finding(
        IssueType.NEGATION_MISMATCH, reading.index, "the statement and the evidence contradict"
                                                    " each other", RemedyKind.REGENERATE,
        span=(answer.start, answer.end), citation=pair.unit.citation,
        evidence=(pair.unit.start + evidence.start, pair.unit.start + evidence.end),
        found=answer.analysis.text[answer.start : answer.end].strip(),
        expected=evidence.analysis.text[evidence.start : evidence.end].strip(),
    )  # fmt: skip
