"""Whether two texts under one title are versions of one document, or documents on different things that look alike.

A version that is put out of force is not found any more, so the doubt goes the other way: what may be on another site,
period or customer stays in force.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from services.retrieval.domain.quality.minhash import similarity
from services.retrieval.domain.versions.particulars import days, labelled, named, openings, periods, sentences, years

# Share of word sequences that versions have in common (Jaccard, estimated by MinHash): a quarter of the sentences may
# be new.
_LARGELY_THE_SAME = 0.6

Slots = Mapping[str, frozenset[str]]


class Relation(Enum):
    """What two texts are to each other whose wording is largely the same."""

    VERSIONS = "versions"
    UNCLEAR = "unclear"
    OTHER_THINGS = "other things"


@dataclass(frozen=True, slots=True)
class Particulars:
    """What a text says of which thing it is on, by the slot that it fills: names, periods, the value of each label.

    Two that fill a slot of ``telling`` each in their own way are on different things; of ``doubtful``, perhaps.
    """

    telling: Slots
    doubtful: Slots


def largely_the_same(one: bytes, other: bytes) -> bool:
    """True if two texts, by their MinHash signatures, have most of their wording in common."""
    return similarity(one, other) >= _LARGELY_THE_SAME


def particulars(text: str) -> Particulars:
    """What ``text`` is on. Takes some milliseconds for a long one."""
    parts = sentences(text)
    telling, doubtful = labelled(text, parts)
    telling += [("named", name) for name in named(parts)]
    telling += [("period", period) for period in periods(parts)]
    doubtful += [("day", day) for day in days(parts)]
    doubtful += [("year", year) for year in years(parts)]
    doubtful += openings(parts)
    return Particulars(_slots(telling), _slots(doubtful))


def relation(one: Particulars, other: Particulars) -> Relation:
    """What two texts are to each other whose wording is largely the same.

    Two sites may keep one checklist word for word; neither puts the other out of force. A version may name one thing
    more than another, but not each something of its own.
    """
    if _apart(one.telling, other.telling):
        return Relation.OTHER_THINGS
    return Relation.UNCLEAR if _apart(one.doubtful, other.doubtful) else Relation.VERSIONS


def _apart(one: Slots, other: Slots) -> bool:
    return any(one[slot] - other[slot] and other[slot] - one[slot] for slot in one.keys() & other.keys())


def _slots(found: Iterable[tuple[str, str]]) -> Slots:
    slots: dict[str, set[str]] = defaultdict(set)
    for slot, value in found:
        slots[slot].add(value)
    return {slot: frozenset(values) for slot, values in slots.items()}
