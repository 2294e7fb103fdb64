"""Things in an altered place of a sentence: a limit left out, another name, another noun of the passages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.common.domain.verdict import IssueType
from services.validation.domain.analysis import Analysis
from services.validation.domain.case import Case, Reading
from services.validation.domain.reading.nouns import nominal
from services.validation.domain.reading.text import Word
from services.validation.domain.roles.actors import is_actor
from services.validation.domain.wording.align import match
from services.validation.domain.wording.edits import Edit, Followed, terms_of

# --- exceptions ------------------------------------------------------------------------------------------------------

# A condition is often that of the question, in other words; an exception is not.
_LIMITING = re.compile(r"\W*(?:unless|except|other than|apart from|with the exception of|除非|除了?)(?![a-z])")
_NEARLY_WHOLE = 0.9


def exception_dropped(case: Case, reading: Reading, found: Followed) -> Edit | None:
    """An exception of a rule left out of a sentence else told whole, and told nowhere else."""
    if found.alike < _NEARLY_WHOLE or not found.unit.analysis.cues:
        return None
    told = case.question.analysis.keys.union(*(r.analysis.keys for r in case.readings))
    for edit in found.edits:
        if edit.mine or not edit.theirs or not _LIMITING.match(found.unit.analysis.low, edit.theirs[0].start):
            continue
        left_out = terms_of(found.unit.analysis, edit.theirs)
        if len(left_out) >= _PHRASE and not any(t.key in told for t in left_out if nominal(found.unit.analysis, t)):
            return edit
    return None


# --- limits -----------------------------------------------------------------------------------------------------------


def limit_lifted(case: Case, reading: Reading, found: Followed) -> Edit | None:
    """ "All batteries" where the passage has "damaged batteries": a word for all in the place of what limits a noun."""
    degrees = case.config.lexicon.degrees
    title = case.title_bag(case.passage(found.unit.citation))
    told = case.bags.said(reading.analysis), case.bags.said(case.question.analysis), title
    for edit in found.edits:
        kinds = {degrees.get(w.key) for w in edit.mine if w.surface not in _OF}
        limits = terms_of(found.unit.analysis, edit.theirs)
        if kinds != {"all"} or not limits or not (edit.before and edit.after) or len(limits) > _PHRASE:
            continue
        if any(w.key in degrees for w in edit.theirs) or any(match(t, bag) for t in limits for bag in told):
            continue
        if _BEFORE_NOUN.match(reading.analysis.low, edit.mine[-1].end):
            return edit
    return None


# What stands for all things stands before them, "always" and 都 before what they do.
_BEFORE_NOUN = re.compile(r"\s+(?!of\b|day|year|month|week|time)[a-z]|[\u4e00-\u9fff]")


_OF = frozenset(("of", "the", "的"))


# --- names -----------------------------------------------------------------------------------------------------------


def other_name(case: Case, reading: Reading, found: Followed, edit: Edit) -> IssueType | None:
    """One proper name for another, of which neither is a part or an abbreviation of the other."""
    if not _proper(reading.analysis, edit.mine) or not _proper(found.unit.analysis, edit.theirs):
        return None
    mine, theirs = ({w.key for w in side} for side in (edit.mine, edit.theirs))
    answer, unit = case.bags.said(reading.analysis), case.bags.unit(found.unit)
    if mine & theirs or mine & unit.keys or theirs & answer.keys:
        return None
    title = case.passage(found.unit.citation).title
    if mine & (title.keys | case.question.analysis.keys) or _initials(edit.mine, edit.theirs):
        return None
    if any(match(t, unit) for t in terms_of(reading.analysis, edit.mine)):
        return None
    return IssueType.ENTITY_MISMATCH


def _proper(analysis: Analysis, words: Sequence[Word]) -> bool:
    """Capitalised words that do not only open the sentence."""
    solid = [w for w in words if len(w.surface) > 1]
    if any(q.start <= w.start < q.end for q in analysis.quantities for w in solid):
        return False
    return bool(solid) and all(
        analysis.text[w.start].isupper() and any(n.start <= w.start < n.end for n in analysis.names) for w in solid
    )


def _initials(one: Sequence[Word], other: Sequence[Word]) -> bool:
    """One side abbreviates the other: PIV-compliant, Personal Identity Verification-compliant."""
    heads = [[w.surface.split("-")[0] for w in side] for side in (one, other)]
    letters = ["".join(h[0] for h in side) for side in heads]
    return letters[0] in heads[1] or letters[1] in heads[0]


# --- things ----------------------------------------------------------------------------------------------------------

_CLOSELY = 0.85


def other_thing(case: Case, reading: Reading, found: Followed, edit: Edit) -> IssueType | None:
    """One noun for another that the passages have elsewhere, in a sentence in which nothing else was changed."""
    mine, theirs = terms_of(reading.analysis, edit.mine), terms_of(found.unit.analysis, edit.theirs)
    if not mine or not theirs or found.alike_around(edit) < _CLOSELY or max(len(mine), len(theirs)) > _PHRASE:
        return None
    if len(edit.mine) > len(mine) + 1 or len(edit.theirs) > len(theirs) + 1 or _POINTS.search(_before(found, edit)):
        return None
    answer, unit = case.bags.said(reading.analysis), case.bags.unit(found.unit)
    known = case.bags.cited(reading.cited)
    new = [t for t in mine if t.weight >= 1 and nominal(reading.analysis, t)]
    old = [t for t in theirs if t.weight >= 1 and nominal(found.unit.analysis, t)]
    if len(new) != len(mine) or len(old) != len(theirs) or any(match(t, unit) > _AKIN for t in new):
        return None
    if any(match(t, answer) > _AKIN for t in old) or not all(t.key in known.keys for t in new):
        return None
    if reading.analysis.han and not all(is_actor(t) for t in (*new, *old)):
        return None  # a Chinese noun is easily told by another one of the passage; a party is not
    title = case.passage(found.unit.citation).title
    told = title.keys | case.question.analysis.keys
    characters = {c for t in new for c in t.word.surface} & {c for t in old for c in t.word.surface}
    if any(t.key in told for t in new) or (reading.analysis.han and characters):
        return None
    return IssueType.ENTITY_MISMATCH


_PHRASE, _AKIN = 2, 0.3
# "The company", 该公司: stands for what was named before, and may be called by its name.
_POINTS = re.compile(r"(?:\b(?:the|this|that|these|those|such|said|its|their|his|her)|[该此本其这那各])\s*$")


def _before(found: Followed, edit: Edit) -> str:
    return found.unit.analysis.low[: edit.theirs[0].start]
