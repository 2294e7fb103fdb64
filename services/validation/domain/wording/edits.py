"""What a statement changes in a sentence of the evidence that it else tells word for word.

Who retells freely changes everything a little, and a single word proves nothing. Where words run in the same order but
for one place, that place was changed on purpose, and what stands there can be read by itself.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.case import Case, Reading
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.reading.text import Word

# A sentence is followed if its words carry this much of the statement, and this share of the statement's words runs
# alike, or all but this share of its own.
_CARRIED, _ALIKE, _WHOLE = 0.5, 0.65, 0.8
_FEWEST = 5
_LOOKED_AT, _NEARLY_ALL = 2, 0.85


@dataclass(frozen=True, slots=True)
class Edit:
    """Words of a statement in the place of words of the evidence; either side may be empty.

    ``run`` is the number of words that stand on both sides of it alike, at most ``_REACH`` on each; an edge of both
    sentences counts as one.
    """

    mine: tuple[Word, ...]
    theirs: tuple[Word, ...]
    before: int
    after: int

    @property
    def anchored(self) -> bool:
        """The same words stand on both sides of the place."""
        return self.before > 0 and self.after > 0 and self.before + self.after >= _ANCHOR


@dataclass(frozen=True, slots=True)
class Followed:
    """The sentence that a statement follows, and where it leaves it, in the order of the statement.

    ``same`` of the statement's ``length`` words run alike.
    """

    unit: Unit
    edits: tuple[Edit, ...]
    same: int
    length: int

    @property
    def alike(self) -> float:
        """The share of the statement that runs alike."""
        return self.same / self.length

    def alike_around(self, edit: Edit) -> float:
        """The same of what the statement says besides one place."""
        return self.same / (self.length - len(edit.mine))


_REACH, _ANCHOR = 3, 3


def followed(case: Case, reading: Reading) -> Followed | None:
    """The sentence of the cited passages of which the statement repeats most words in order; None if none."""
    if reading.index not in case.followed:
        case.followed[reading.index] = _followed(case, reading)
    found: Followed | None = case.followed[reading.index]
    return found


def _followed(case: Case, reading: Reading) -> Followed | None:
    best: Followed | None = None
    for aligned in case.align(reading, reading.cited)[:_LOOKED_AT]:
        unit = aligned.unit
        if aligned.coverage.share < _CARRIED or unit.headers or unit.analysis.han != reading.analysis.han:
            continue
        found = _compare(reading.analysis, unit)
        if found is not None and (best is None or found.alike > best.alike):
            best = found
        if best is not None and best.alike >= _NEARLY_ALL:
            break
    return best


def _compare(analysis: Analysis, unit: Unit) -> Followed | None:
    mine, theirs = analysis.words, unit.analysis.words
    if len(mine) < _FEWEST:
        return None
    matcher = SequenceMatcher(None, [w.key for w in mine], [w.key for w in theirs], autojunk=False)
    blocks = matcher.get_matching_blocks()
    same = sum(b.size for b in blocks)
    if same < _ALIKE * len(mine) and not (same >= _FEWEST and same >= _WHOLE * len(theirs)):
        return None
    edits = []
    i = j = size = 0
    for block in blocks:
        if i < block.a or j < block.b:
            before = min(size, _REACH) or int(i == 0 and j == 0)
            after = min(block.size, _REACH) or int(block.a == len(mine) and block.b == len(theirs))
            edits.append(Edit(mine[i : block.a], theirs[j : block.b], before, after))
        i, j, size = block.a + block.size, block.b + block.size, block.size
    return Followed(unit, tuple(edits), same, len(mine))


def terms_of(analysis: Analysis, edited: Sequence[Word]) -> list[Term]:
    """The content words among some words."""
    if not edited:
        return []
    return [t for t in analysis.terms if edited[0].start <= t.start < edited[-1].end]


def items_reordered(case: Case, reading: Reading) -> bool:
    """The statement has the words of the sentence that it follows, but for items that stand in another order."""
    found = followed(case, reading)
    if found is None or not found.edits:
        return False
    mine = Counter(w.key for e in found.edits for w in e.mine)
    # What is left out altogether, such as words in brackets, was not moved.
    theirs = Counter(w.key for e in found.edits if any(w.key in mine for w in e.theirs) for w in e.theirs)
    return bool(mine) and mine == theirs and all(_in_list(reading.analysis, e.mine) for e in found.edits if e.mine)


def _in_list(analysis: Analysis, moved: Sequence[Word]) -> bool:
    """Words with a joint of a list on one side."""
    before, after = analysis.low[: moved[0].start], analysis.low[moved[-1].end :]
    return (
        moved[-1].surface in _JOINTS
        or moved[0].surface in _JOINTS
        or bool(_JOINT_BEFORE.search(before) or _JOINT_AFTER.match(after))
    )


_JOINTS = frozenset(("and", "or", "和", "与", "及", "或"))
_JOINT_BEFORE = re.compile(r"(?:[,、/]|\b(?:and|or)|[和与及或])\s*$")
_JOINT_AFTER = re.compile(r"\s*(?:[,、/]|(?:and|or)\b|[和与及或])")
