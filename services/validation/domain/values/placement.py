"""Whether a value that the evidence states stands in the statement where the evidence has it.

A statement says a value in words of its own, so likeness alone proves nothing. A value is displaced only by set
inclusion: something that the statement says of it (a word of its measure, a name, a period, a companion value) belongs
to the place of another value of the evidence and not to its own, and nothing belongs to its own place alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.validation.domain.analysis import Term
from services.validation.domain.case import Case, Reading
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.reading.tables import Row, label_spots
from services.validation.domain.values import binding
from services.validation.domain.values.binding import Binding
from services.validation.domain.values.compare import bounds_clash, comparable, equal, loosely
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import COUNT, TALLIES, is_rate
from services.validation.domain.values.value_findings import Candidate
from services.validation.domain.wording.align import Bag, match

_MARGIN = 0.25
_MOST_RIVALS = 6
_SURE, _ACROSS, _EXACT = 0.6, 0.8, 1.0
_NOT_ITS_OWN = re.compile(
    r"(?:against|than|versus|vs\.?|compared (?:with|to)|instead of|not|rather than|unlike|over|above|below|比"
    r"|相比|而非|不是|较|高于|低于)"
    r"\s*(?:that of |those of |the\s+|only\s+)*$",
    re.I,
)
_IN_ORDER = re.compile(r"respectively|in that order|in turn|分别|依次|顺序|次序", re.I)


def displaced_by(
    case: Case, reading: Reading, quantity: Quantity, bound: Binding, right: Sequence[Candidate],
    wrong: Sequence[Candidate],
) -> Candidate | None:  # fmt: skip
    """The candidate whose place the statement gives the value, None unless that is sure."""
    if _IN_ORDER.search(reading.analysis.low):
        return None
    best = max(c.affinity for c in right)
    beside = {(c.unit.citation, c.unit.index) for c in right}
    # Within one sentence set inclusion is sure enough; elsewhere the rival's place has to be the likelier one too.
    rivals = sorted(
        (
            c
            for c in wrong
            if ((c.unit.citation, c.unit.index) in beside and c.unit.analysis.han == reading.analysis.han)
            or c.affinity > best + _MARGIN
        ),
        key=lambda c: -c.affinity,
    )[:_MOST_RIVALS]
    for rival in rivals:
        weak = rival.quantity.weak and not rival.quantity.interval
        if weak or rival.quantity.interval != quantity.interval or equal(*loosely(quantity, rival.quantity)):
            continue
        if rival.quantity.interval and rival.quantity.unit.dimension != quantity.unit.dimension:
            continue
        if _in_formula(reading, quantity) or not _of_a_kind(quantity, rival.quantity):
            continue
        if _takes_denominator(quantity, right, rival):
            return rival
        if _keeps_its_place(case, reading, quantity, right, rival):
            continue
        if all(_compete(r.unit, r.quantity, rival.unit, rival.quantity) for r in right) and _included(
            case, reading, bound, right, rival
        ):
            return rival
    return None


def _takes_denominator(quantity: Quantity, right: Sequence[Candidate], rival: Candidate) -> bool:
    """Told as a rate: the sentence has the value as a plain amount and another as that rate (5% for 0.5% a week)."""
    return (
        quantity.amount is not None
        and rival.quantity.unit.dimension == quantity.unit.dimension
        and all(r.quantity.amount is None and r.unit is rival.unit for r in right)
    )


def _keeps_its_place(
    case: Case, reading: Reading, quantity: Quantity, right: Sequence[Candidate], rival: Candidate
) -> bool:
    """The statement has the rival value too, and not in the place of this one: the two are not exchanged."""
    for other in reading.analysis.quantities:
        if other is quantity or not comparable(other, rival.quantity) or not equal(other, rival.quantity):
            continue
        bound = binding.bind(reading.analysis, other)
        if not any(_included(case, reading, bound, [rival], r) for r in right):
            return True
    return False


def _in_formula(reading: Reading, quantity: Quantity) -> bool:
    text = reading.analysis.text
    return re.search(r"[×*/÷=+≈]\s*[$€£¥]?$", text[: quantity.start]) is not None or (
        re.match(r"\s*[×*/÷=+≈]\s*[\d$€£¥]", text[quantity.end :]) is not None
    )


def _compete(unit: Unit, quantity: Quantity, other_unit: Unit, other: Quantity) -> bool:
    """Two values may stand for one another: in a table those of one column, or of one row and one kind; counts of
    one thing."""
    if _rate(quantity) != _rate(other) and quantity.unit.dimension != other.unit.dimension:
        return False
    if not _of_a_kind(quantity, other):
        return False
    if not unit.headers and not other_unit.headers:
        return True
    if bool(unit.headers) != bool(other_unit.headers) or unit.citation != other_unit.citation:
        return bool(unit.headers) == bool(other_unit.headers) and quantity.unit.dimension == other.unit.dimension
    if unit is other_unit:
        return quantity.unit.dimension == other.unit.dimension != COUNT
    return _column(unit, quantity) == _column(other_unit, other)


def _of_a_kind(quantity: Quantity, other: Quantity) -> bool:
    """Counts of one thing, or bare figures; anything else is told apart by its dimension."""
    if quantity.unit.dimension not in TALLIES or other.unit.dimension not in TALLIES:
        return True
    if _counted(quantity) != _counted(other):
        return False
    mine, theirs = quantity.surface[-1:], other.surface[-1:]
    if mine > "\u3000" and theirs > "\u3000" and mine != theirs and quantity.unit.dimension == other.unit.dimension:
        return False  # 两场 and 5人 count different things
    return not (quantity.noun and other.noun and quantity.noun.rstrip("s") != other.noun.rstrip("s"))


def _rate(quantity: Quantity) -> bool:
    return is_rate(quantity.unit)


def _counted(quantity: Quantity) -> bool:
    """A number of things told by word or classifier, not a figure."""
    return quantity.unit.dimension != COUNT or not quantity.surface[:1].isdigit()


def _column(unit: Unit, quantity: Quantity) -> int:
    return next((i for i, (a, b, _) in enumerate(unit.headers) if a <= quantity.start < b), -1)


def _included(case: Case, reading: Reading, bound: Binding, right: Sequence[Candidate], rival: Candidate) -> bool:
    """Something said of the value belongs to the rival's place only, and nothing to the places of the value only."""
    theirs = mine = 0.0
    sure = _ACROSS if rival.unit.analysis.han != reading.analysis.han else _SURE
    own_places = [_place(case, r, rival) for r in right]
    place = _place(case, rival, right[0])
    for term in (*_telling(case, reading, bound), *_asked_of(case, reading, bound)):
        there = match(term, place)
        here = max(match(term, p) for p in own_places)
        if there >= sure and here == 0:
            theirs += term.weight
        elif here > 0 and there < here:
            mine += term.weight
    names = binding.names_agree(bound.names, rival.binding.names)
    own_names = max(binding.names_agree(bound.names, r.binding.names) for r in right)
    theirs += 1.0 if names > 0 > own_names else 0.0
    mine += 1.0 if own_names > 0 >= names else 0.0
    times = binding.moments_agree(bound.moments, rival.binding.moments)
    own_times = max(binding.moments_agree(bound.moments, r.binding.moments) for r in right)
    stated = any(m in rival.unit.analysis.moments for m in rival.binding.moments) or rival.unit.headers
    theirs += 1.0 if times > 0 > own_times and stated else 0.0
    mine += 1.0 if own_times > 0 >= times else 0.0
    if all(r.unit is not rival.unit or r.binding.group != rival.binding.group for r in right):
        # Another passage of the text: whatever the sentence says that only the value's own place says, speaks for it.
        wide = [t for t in bound.group if t.weight >= 1 and not _says_nothing(case, t)]
        told = [t for t in wide if t.end <= bound.item.start and t not in bound.own]
        theirs += sum(1.0 for t in told if match(t, place) >= _EXACT and all(match(t, p) == 0 for p in own_places))
        mine += sum(1.0 for t in wide if match(t, place) == 0 and any(match(t, p) >= sure for p in own_places))
    if (
        mine == 0
        and theirs >= 1
        and all(r.unit is rival.unit and r.binding.group != rival.binding.group for r in right)
    ):
        # Two halves of one sentence set two things against each other; the subject decides, whatever else was moved.
        return True
    for companion in _in_its_clause(reading, bound):
        if comparable(companion, rival.quantity) and equal(companion, rival.quantity):
            continue
        there = _accompanies(companion, rival)
        here = max(_accompanies(companion, r) for r in right)
        mine += 1.0 if here > there else 0.0
        telling = _tells(companion) and all(_near_by(r, rival) for r in right) and _alone_with(bound, companion)
        theirs += 1.0 if there > here and telling else 0.0
    return theirs >= 1.0 and mine == 0.0


def _in_its_clause(reading: Reading, bound: Binding) -> list[Quantity]:
    """The companions of a value, without those of another clause where its own clause has one of their kind."""
    if len(bound.companions) < _SEVERAL:
        return list(bound.companions)
    start, end = reading.analysis.clause_at(bound.item.start)
    near = {(q.amount or q).unit.dimension for q in bound.companions if start <= q.start < end}
    return [q for q in bound.companions if start <= q.start < end or (q.amount or q).unit.dimension not in near]


_SEVERAL = 2


def _alone_with(bound: Binding, companion: Quantity) -> bool:
    """No other value of the kind stands between the value and its companion, which would have it rather."""
    item = bound.item
    start, end = min(item.end, companion.end), max(item.start, companion.start)
    return not any(
        start <= q.start < end and q is not companion and isinstance(item, Quantity) and comparable(item, q)
        for q in bound.companions
    )


def _near_by(right: Candidate, rival: Candidate) -> bool:
    return right.unit.citation == rival.unit.citation


def _tells(quantity: Quantity) -> bool:
    """Small counts accompany anything."""
    return not quantity.weak and (quantity.unit.dimension not in TALLIES or abs(quantity.low) > _SMALL)


_SMALL = 20


def _accompanies(quantity: Quantity, candidate: Candidate) -> float:
    """How well the companion stands beside the candidate too, in [0, 1]."""
    best = 0.0
    for q in candidate.binding.companions:
        # 每月40GB beside 40GB: a denominator that only one of them names is no difference.
        if comparable(*loosely(quantity, q)) and equal(*loosely(quantity, q)):
            best = max(best, 0.4 if bounds_clash(quantity, q) else 1.0)
    return best


def _says_nothing(case: Case, term: Term) -> bool:
    """A word of computing, of regularity or of the answer itself, which belongs to no place."""
    meta = case.config.lexicon.meta_words
    return term.key in meta or term.word.surface in meta or term.word.surface in _REGULAR


_REGULAR = frozenset(
    ("once", "twice", "thrice", "times", "daily", "weekly", "monthly", "yearly", "hourly", "each", "every")
)


def _telling(case: Case, reading: Reading, bound: Binding) -> list[Term]:
    """The words of the value's stretch that may tell what it is a value of."""
    return [
        t for t in bound.own
        if t.weight >= 1 and not _says_nothing(case, t)
        and not any(n.strict and n.start <= t.start < n.end for n in reading.analysis.names)
    ]  # fmt: skip


def _asked_of(case: Case, reading: Reading, bound: Binding) -> list[Term]:
    """ "Ten years from the date of purchase": an answer that opens with its value has its subject in the question."""
    if reading.analysis.low[: bound.item.start].strip(" *_-") not in _OPENINGS:
        return []
    return [t for t in case.question.analysis.terms if t.weight >= 1 and not _says_nothing(case, t)]


_OPENINGS = ("", "about", "yes,", "only", "约", "大约")


def _place(case: Case, candidate: Candidate, other: Candidate) -> Bag:
    """The words of a value's place: its stretch where both stand in one part of a sentence, else that part, else its
    whole unit."""
    if candidate.unit is not other.unit:
        return case.bags.unit(candidate.unit)
    if _one_change(candidate, other):
        return candidate.binding.group_bag
    apart = candidate.binding.group != other.binding.group
    return candidate.binding.group_bag if apart else candidate.binding.own_bag


def _one_change(a: Candidate, b: Candidate) -> bool:
    """Both ends of one change, "from 18 to 23 percent": they are of one measure, told before the first of them."""
    first, second = sorted((a.quantity, b.quantity), key=lambda q: q.start)
    text = a.unit.analysis.low
    between = text[first.end : second.start]
    return len(between) <= _NEAR and _TO.search(between) is not None and _FROM.search(text[: first.start]) is not None


_FROM = re.compile(r"(?:\bfrom|由|从|自)[^,;，；。]{0,16}$")
_TO = re.compile(r"\bto\b|[到至为]")


def exchanged(
    case: Case, reading: Reading, quantity: Quantity, right: Sequence[Candidate], rows: Sequence[Row]
) -> Row | None:
    """The row of a table that the statement names right beside the value, if no place of the value is in it."""
    if not rows or not all(c.unit.headers for c in right) or _IN_ORDER.search(reading.analysis.low):
        return None
    tables = {c.unit.citation for c in right}
    holders = {id(c.unit) for c in right}
    spots = sorted(label_spots(reading.analysis.low, [r for r in rows if r.unit.citation in tables]))
    text = reading.analysis.text
    before = [s for s in spots if s[1] <= quantity.start]
    after = [s for s in spots if s[0] >= quantity.end]
    near = before[-1] if before else None
    if near is None or _NOT_ITS_OWN.search(text[: near[0]]) or _NOT_ITS_OWN.search(text[: quantity.start]):
        return None
    if any(id(row.unit) in holders for row in near[2]):
        return None
    # "345 in Cedar Lodge": the value before its label; and labels told together share what follows.
    if after and _adjoins(text[quantity.end : after[0][0]]) and any(id(r.unit) in holders for r in after[0][2]):
        return None
    joint = [s for s in before[:-1] if _joined(text[s[1] : near[0]])]
    if any(id(row.unit) in holders for s in joint for row in s[2]):
        return None
    between = text[near[1] : quantity.start]
    if len(between) > _NEAR or re.search(r"[;；。]|\b(?:while|whereas|but|compared)\b|而|但", between):
        return None
    return near[2][0]


_NEAR = 40


def _adjoins(gap: str) -> bool:
    return len(gap) <= _NEAR and not re.search(r"[,，;；。、]|\band\b", gap)


def _joined(gap: str) -> bool:
    return len(gap) <= _NEAR and re.search(r"\d", gap) is None
