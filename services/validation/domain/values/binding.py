"""What a quantity in a text belongs to: its measure words, names, times and companion quantities."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.reading.names import Name, shape
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.reading.references import Reference
from services.validation.domain.times.moments import Moment, covers, same_time
from services.validation.domain.values.compare import bounds_clash, comparable, equal
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.wording.align import Bag, cover, covered, in_span

_JOINT = Pattern(
    r"[，；、。：;|(（]|,(?!\d)|:(?!\d)|\s(?:and|but|or|while|whereas|against|versus|vs\.?|compared (?:with|to)|than"
    r"|plus|minus)\s|\sto\s(?=(?:about |roughly |around |eur |usd |[$€£¥])?\d)|(?:和|与|及|而|比|以及)"
    # 由2021年的18%提高到2023年的23%
    r"|(?:提高|上升|增加|增长|上调|升|增|涨|降低|下降|减少|下调|回落|降|减|跌|缩短|延长|扩大|缩小|调整|变|改)[到至为]",
    re.I,
)
_GROUP = re.compile(r"[；。！？\n]|;(?=\s)|[.!?](?=\s|$)")
_COMPARED_WITH = re.compile(r"\bthan\b|\bcompared\b|比")
# "Costs 5, which is 2 more than plan B": what the value is compared with does not have it.
_COMPARED_JUST_BEFORE = re.compile(
    r"(?:\b(?:than|versus|vs\.?|compared (?:with|to)|against|unlike)\s+(?:(?:the|in|on|for|that|those|of)\s+)*"
    r"|比|较|相比|不同于|高于|低于)$",
    re.I,
)
_SHORT_GAP = 40
_PAIRED = re.compile(r"respectively|分别|依次", re.I)

Item = Quantity | Moment


@dataclass(frozen=True, slots=True)
class Binding:
    """A quantity with its surroundings in the same text.

    ``own`` are the content words of its stretch, ``group`` those of its sentence part; ``names`` and ``moments``
    are the nearest of its stretch, else of the text before.
    """

    item: Item
    own: tuple[Term, ...]
    group: tuple[Term, ...]
    names: tuple[Name, ...]
    moments: tuple[Moment, ...]
    companions: tuple[Quantity, ...]
    own_bag: Bag
    group_bag: Bag


def bind(analysis: Analysis, quantity: Item, unit: Unit | None = None) -> Binding:
    """Bind a quantity or a time of an analysed text; for a table row the column header and the row label count
    as its own."""
    core, (start, end) = _stretch(analysis, quantity)
    group_start, group_end = _group(analysis, quantity)
    own = in_span(analysis.terms, start, end)
    group = in_span(analysis.terms, group_start, group_end)
    extra: list[Analysis] = []
    if unit is not None and unit.headers:
        for a, b, header in unit.headers:
            if a <= quantity.start < b:
                extra.append(header)
        first = unit.headers[0]
        own = [*in_span(analysis.terms, first[0], first[1]), *(t for header in extra for t in header.terms)]
    names = _nearest_names(analysis, quantity, *core, unit)
    moments = (
        _months_of_row(analysis, extra, unit)
        or tuple(m for h in extra for m in h.moments)
        or _nearest_moments(analysis, quantity, *core, unit)
    )
    companions = tuple(q for q in analysis.quantities if q is not quantity and group_start <= q.start < group_end)
    return Binding(
        quantity, tuple(own), tuple(group), names, moments, companions,
        _bag(analysis, own, (start, end), extra), _bag(analysis, group, (group_start, group_end), extra),
    )  # fmt: skip


def _months_of_row(analysis: Analysis, headers: Sequence[Analysis], unit: Unit | None) -> tuple[Moment, ...]:
    """The month that a row is called by, in the year of the column."""
    years = [m for h in headers for m in h.moments]
    if unit is None or not unit.headers or len(years) != 1 or years[0].kind != "year":
        return ()
    end = unit.headers[0][1]
    label = [m for m in analysis.moments if m.start < end and m.kind in ("month", "quarter", "half")]
    return (replace(label[0], year=years[0].year),) if len(label) == 1 else ()


def _bag(analysis: Analysis, terms: Sequence[Term], span: tuple[int, int], extra: Sequence[Analysis]) -> Bag:
    low = analysis.low[span[0] : span[1]] + " " + " ".join(a.low for a in extra)
    return Bag.of_terms(terms, low, analysis.han)


def _stretch(analysis: Analysis, quantity: Item) -> tuple[tuple[int, int], tuple[int, int]]:
    """From the joint before the item to the joint after it, and the same reaching further back where it has no words.

    Names and times are taken from the first, which never reaches into what belongs to another quantity.
    """
    text = analysis.text
    joints = [m for m in _JOINT.finditer(text) if not _inside(analysis, m.start(), m.end())]
    start = max((m.end() for m in joints if m.end() <= quantity.start), default=0)
    end = min((m.start() for m in joints if m.start() >= quantity.end), default=len(text))
    others = [q for q in analysis.quantities if q is not quantity]
    start = max([start, *(q.end for q in others if start < q.end <= quantity.start and not q.interval)])
    end = min([end, *(q.start for q in others if quantity.end <= q.start < end and not q.interval)])
    wide = start
    while (
        wide > 0
        and not in_span(analysis.terms, wide, quantity.start)
        and not in_span(analysis.terms, quantity.end, end)
    ):
        earlier = [m.end() for m in joints if m.end() < wide - 1]
        wide = max(earlier, default=0) if earlier else 0
    return (start, end), (wide, end)


def _inside(analysis: Analysis, start: int, end: int) -> bool:
    items: tuple[Item | Reference, ...] = (*analysis.quantities, *analysis.moments, *analysis.references)
    return any(item.start < end and start < item.end for item in items)


def _group(analysis: Analysis, quantity: Item) -> tuple[int, int]:
    cuts = [
        0,
        *(m.end() for m in _GROUP.finditer(analysis.text) if not _inside(analysis, m.start(), m.end())),
        len(analysis.text),
    ]
    start = max(c for c in cuts if c <= quantity.start)
    end = min((c for c in cuts if c >= quantity.end), default=len(analysis.text))
    return start, end


def _nearest_names(analysis: Analysis, quantity: Item, start: int, end: int, unit: Unit | None) -> tuple[Name, ...]:
    strict = [n for n in analysis.names if n.strict]
    paired = _pair(analysis, quantity, strict)
    if paired is not None:
        return (paired,)
    own = [n for n in strict if start <= n.start < end]
    if own:
        return tuple(own)
    if unit is not None and unit.headers and strict:
        return tuple(strict)
    before = [
        n for n in strict if n.end <= quantity.start and not _COMPARED_JUST_BEFORE.search(analysis.text[: n.start])
    ]
    if before:
        near = before[-1]
        if len(before) > 1 and _COMPARED_WITH.search(text_between := analysis.text[before[0].end : near.start]):
            # "B is lighter than A, at 2.7": the value is the subject's.
            near = before[0] if len(text_between) < _SHORT_GAP else near
        return tuple(n for n in before if _coordinated(analysis.text, n, near))
    after = [
        n
        for n in strict
        if n.start >= quantity.end
        and not re.search(r"[,，;；:：]", analysis.text[quantity.end : n.start])
        and not _COMPARED_JUST_BEFORE.search(analysis.text[: n.start])
    ]
    return tuple(after) or (unit.names if unit is not None else ())


def _coordinated(text: str, name: Name, near: Name) -> bool:
    gap = text[name.end : near.start]
    return name is near or re.fullmatch(r"\s*(?:and|or|,|、|和|与|及|/|-)\s*(?:the\s+)?", gap) is not None


def _pair(analysis: Analysis, quantity: Item, names: Sequence[Name]) -> Name | None:
    """``A and B ... 1 and 2 respectively``: the first name has the first value."""
    if not _PAIRED.search(analysis.low):
        return None
    if not isinstance(quantity, Quantity):
        return None
    values = [q for q in analysis.quantities if comparable(q, quantity)]
    if len(values) == len(names) > 1 and quantity in values:
        return names[values.index(quantity)]
    return None


def _nearest_moments(analysis: Analysis, quantity: Item, start: int, end: int, unit: Unit | None) -> tuple[Moment, ...]:
    moments = [m for m in analysis.moments if m.kind not in ("clock", "weekday") and m is not quantity]
    own = [m for m in moments if start <= m.start < end]
    if own:
        return tuple(own)
    before = [m for m in moments if m.end <= quantity.start]
    if before:
        return (before[-1],)
    if moments:
        return (moments[0],)
    if unit is not None:
        return tuple(m for m in unit.moments if m.kind not in ("clock", "weekday"))
    return ()


def moments_agree(a: Sequence[Moment], b: Sequence[Moment]) -> float:
    """1 if some times agree, -1 if both name times and none agree, 0 if one side names none."""
    if not a or not b:
        return 0.0
    if any(same_time(x, y) for x in a for y in b):
        return 1.0
    if any(covers(x, y) or covers(y, x) for x in a for y in b):
        return 0.5
    return -1.0


def names_agree(a: Sequence[Name], b: Sequence[Name]) -> float:
    """1 if a strict name is shared, -1 if names of one shape are disjoint, 0 if they do not compare."""
    if not a or not b:
        return 0.0
    if len(a) == len(b) == 1:
        return 1.0 if a[0].key == b[0].key else -1.0 if shape(a[0]) == shape(b[0]) else 0.0
    keys_a, keys_b = {n.key for n in a}, {n.key for n in b}
    if keys_a & keys_b:
        return 1.0 if keys_a <= keys_b or keys_b <= keys_a else 0.8
    return -1.0 if {shape(n) for n in a} & {shape(n) for n in b} else 0.0


def affinity(answer: Binding, evidence: Binding) -> float:
    """How likely the two quantities fill the same place, value aside; about -2 to 4."""
    own = cover(answer.own, evidence.own_bag)
    group = covered(answer.group, evidence.group_bag)
    back = covered(evidence.own, answer.group_bag)
    score = own.share * min(own.weight, 2.0) / 2 + 0.7 * group + 0.6 * back
    score += 0.8 * names_agree(answer.names, evidence.names)
    score += 0.8 * moments_agree(answer.moments, evidence.moments)
    if answer.companions and evidence.companions:
        hits = sum(_companion(q, evidence.companions) for q in answer.companions)
        score += 0.6 * hits / len(answer.companions)
    a, e = answer.item, evidence.item
    if isinstance(a, Quantity) and isinstance(e, Quantity) and a.interval == e.interval:
        score += 0.1
    return score


def _companion(quantity: Quantity, others: Sequence[Quantity]) -> float:
    best = 0.0
    for other in others:
        if comparable(quantity, other) and equal(quantity, other):
            best = max(best, 0.4 if bounds_clash(quantity, other) else 1.0)
    return best
