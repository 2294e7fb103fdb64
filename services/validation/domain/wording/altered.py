"""What an altered place of a sentence does to its meaning: a word of number or frequency, an opposite, a denial,
"only", a possibility taken for certain, another name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from services.common.domain.verdict import IssueType
from services.validation.domain.analysis import Analysis
from services.validation.domain.case import Case, Reading
from services.validation.domain.force.contrast import rivals
from services.validation.domain.reading.text import Word
from services.validation.domain.wording.altered_things import exception_dropped, limit_lifted, other_name, other_thing
from services.validation.domain.wording.edits import Edit, Followed


@dataclass(frozen=True, slots=True)
class Alteration:
    """A place of the statement that says something else than the same place of the evidence."""

    type: IssueType
    mine: tuple[Word, ...]
    theirs: tuple[Word, ...]


def alterations(case: Case, reading: Reading, found: Followed) -> Iterator[Alteration]:
    """Those of a statement, in its order."""
    dropped = exception_dropped(case, reading, found)
    if dropped is not None:
        yield Alteration(IssueType.UNSUPPORTED_STATEMENT, dropped.mine, dropped.theirs)
    lifted = limit_lifted(case, reading, found)
    if lifted is not None:
        yield Alteration(IssueType.UNSUPPORTED_STATEMENT, lifted.mine, lifted.theirs)
    exempt = _excepts(case, reading, found)
    for edit in found.edits:
        if not edit.anchored or found.alike_around(edit) < _COPIED or max(len(edit.mine), len(edit.theirs)) > _LONGEST:
            continue
        for told in _READINGS if not exempt else _WITH_EXCEPTION:
            kind = told(case, reading, found, edit)
            if kind is not None:
                yield Alteration(kind, edit.mine, edit.theirs)
                break


# Longer stretches are told in words of their own, in which one word decides nothing.
_LONGEST = 4
_COPIED = 0.75


def _excepts(case: Case, reading: Reading, found: Followed) -> bool:
    """An exception or an "unless" is told otherwise: "except X, all" is "X is not", "not unless" is "only if"."""
    lexicon = case.config.lexicon
    for analysis, sides in (
        (reading.analysis, [e.mine for e in found.edits]),
        (found.unit.analysis, [e.theirs for e in found.edits]),
    ):
        places = [m.span() for p in (lexicon.exception, lexicon.unless) for m in p.finditer(analysis.low)]
        changed = [w for side in sides for w in side if not _DENIES.fullmatch(w.surface)]
        if any(w.start < b and a < w.end for a, b in places for w in changed):
            return True
    return False


# --- how many, how often ---------------------------------------------------------------------------------------------


def _degree(case: Case, reading: Reading, found: Followed, edit: Edit) -> IssueType | None:
    """All for some, few for many; a degree that only one side names is for other checks."""
    degrees = case.config.lexicon.degrees
    mine, theirs = ({degrees[w.key] for w in side if w.key in degrees} for side in (edit.mine, edit.theirs))
    if len(mine) != 1 or len(theirs) != 1 or mine == theirs:
        return None
    pair = mine | theirs
    return IssueType.UNSUPPORTED_STATEMENT if pair & {"all", "few"} else None


# --- opposites -------------------------------------------------------------------------------------------------------


def _opposite(case: Case, reading: Reading, found: Followed, edit: Edit) -> IssueType | None:
    """A word for its opposite, and no denial beside either of them."""
    if _other_way_round(found):
        return None
    opposites = case.config.lexicon.opposites
    told = [(s, w) for w in edit.theirs for s in opposites.get(w.key, ())]
    if (
        not edit.mine
        or not edit.theirs
        or any(_denials(s) or _NEGATIVE.match(s[0].surface) for s in (edit.mine, edit.theirs))
    ):
        return None
    if any(_beside_value(a, side) for a, side in ((reading.analysis, edit.mine), (found.unit.analysis, edit.theirs))):
        return None  # above and below, more and less of a value are bounds
    kept = {w.key for e in found.edits for w in e.mine} & {w.key for e in found.edits for w in e.theirs}
    exchanged = _rivals(case, found, edit)
    if exchanged is not None:
        return exchanged
    for word in edit.mine:
        for row, side in opposites.get(word.key, ()):
            if word.key not in kept and any((row, -side) == s and w.key not in kept for s, w in told):
                return IssueType.NEGATION_MISMATCH
    return None


def _rivals(case: Case, found: Followed, edit: Edit) -> IssueType | None:
    """Words of a set of rivals (``contrasts`` of the lexicon): lessor and lessee, open and closed."""
    mine, theirs = (("" if side[0].han else " ").join(w.surface for w in side) for side in (edit.mine, edit.theirs))
    moved = {w.surface for e in found.edits for w in e.mine} & {w.surface for e in found.edits for w in e.theirs}
    for polar in (False, True):
        for rival in rivals(mine, theirs, case.config.lexicon, polar=polar):
            if rival.answer not in moved and rival.evidence not in moved:
                return _TYPES[rival.set.kind]
    return None


_TYPES = {
    "entity": IssueType.ENTITY_MISMATCH, "date": IssueType.DATE_MISMATCH, "negation": IssueType.NEGATION_MISMATCH,
}  # fmt: skip


def _beside_value(analysis: Analysis, words: Sequence[Word]) -> bool:
    return any(-_NEAR <= q.start - words[-1].end <= _NEAR or -_NEAR <= words[0].start - q.end <= _NEAR
               for q in analysis.quantities if words)  # fmt: skip


_NEAR = 4


# 不合格: a denial inside a word.
_NEGATIVE = re.compile("[不未无非]")

# --- denials ---------------------------------------------------------------------------------------------------------

_DENIES = re.compile(
    r"not|no|never|neither|nor|without|cannot|none|nothing|[a-z]+n't|不|未|没有|没|无|并不|并未|从不|从未|非"
)
_AUXILIARY = frozenset((
    "do", "does", "did", "be", "is", "are", "was", "were", "to", "any", "a", "an", "the", "can", "have", "has", "had",
    "will", "的", "了", "有", "过", "是",
))  # fmt: skip


def _denials(words: Sequence[Word]) -> list[str]:
    return [w.surface for w in words if _DENIES.fullmatch(w.surface)]


def _denial(case: Case, reading: Reading, found: Followed, edit: Edit) -> IssueType | None:
    """A denial put in or left out, and nothing else changed there but for the form of the verb."""
    if edit.mine and _ANSWERS.match(reading.analysis.low, edit.mine[0].start):
        return None
    if len(_denials(edit.mine)) % 2 == len(_denials(edit.theirs)) % 2:
        return None
    rest = [
        {w.key for w in side if not _DENIES.fullmatch(w.surface) and w.surface not in _AUXILIARY}
        for side in (edit.mine, edit.theirs)
    ]
    if rest[0] != rest[1] or any(_turns(e, case) for e in found.edits if e is not edit):
        return None
    return IssueType.NEGATION_MISMATCH


_UNTIL = frozenset(("until", "till", "unless", "before", "直到", "之前", "除非"))
# "No, ...": denies the question.
_ANSWERS = re.compile(r"(?:no|not at all|不|没有|不是)\s*[,，:：]")


def _turns(edit: Edit, case: Case) -> bool:
    """The edit denies or turns something too, so that two changes may undo each other."""
    opposites = case.config.lexicon.opposites
    return bool(
        len(_denials(edit.mine)) != len(_denials(edit.theirs))
        or any(_SOLE.fullmatch(w.surface) or w.surface in _UNTIL for w in (*edit.mine, *edit.theirs))
        or (any(w.key in opposites for w in edit.mine) and any(w.key in opposites for w in edit.theirs))
    )


_AFTER = frozenset(("after", "once", "when", "之后", "后", "以后"))
_FORBIDS = frozenset(("不得", "不准", "不许", "不能", "不可", "禁止"))


def _other_way_round(found: Followed) -> bool:
    """ "May not enter until the alarm has stopped" for "may enter only after the alarm has stopped"."""
    mine = [w for e in found.edits for w in e.mine]
    theirs = [w for e in found.edits for w in e.theirs]
    bounds = [{w.surface for w in words} for words in (mine, theirs)]
    crossed = any(one & _UNTIL and other & _AFTER for one, other in (bounds, bounds[::-1]))
    denied = [len(_denials(w)) + sum(x.surface in _FORBIDS for x in w) for w in (mine, theirs)]
    return crossed and denied[0] % 2 != denied[1] % 2


# --- only ------------------------------------------------------------------------------------------------------------

_SOLE = re.compile(r"only|solely|exclusively|merely|只|仅|只能|只有|仅仅|仅限|唯一|只可|才")


def _sole(case: Case, reading: Reading, found: Followed, edit: Edit) -> IssueType | None:
    """ "Only" put in, or left out of a rule; beside a number it only weighs."""
    mine, theirs = (any(_SOLE.fullmatch(w.surface) for w in side) for side in (edit.mine, edit.theirs))
    if mine == theirs or _other_way_round(found):
        return None
    side, analysis = (edit.mine, reading.analysis) if mine else (edit.theirs, found.unit.analysis)
    word = next(w for w in side if _SOLE.fullmatch(w.surface))
    end = analysis.clause_at(word.start)[1]
    if (
        mine
        and edit.theirs
        and any(
            c.kind in ("obligation", "prohibition") and c.start < edit.theirs[-1].end and edit.theirs[0].start < c.end
            for c in found.unit.analysis.cues
        )
    ):
        return None  # who must use one gate may only use that
    weighs = _COUNTS.match(analysis.low, word.end) or any(word.end <= q.start < end for q in analysis.quantities)
    if weighs or (theirs and not analysis.cues) or _denials(edit.theirs if mine else edit.mine):
        return None
    return IssueType.UNSUPPORTED_STATEMENT


_COUNTS = re.compile(
    r"\s*(?:about |around |some )?(?:\d|(?:an?|one|two|three|four|five|six|few|half|once)\b"
    r"|[一二两三四五六七八九十百几半约])"
)


# --- possibility -----------------------------------------------------------------------------------------------------

_PERHAPS = re.compile(
    r"may|might|could|possibly|probably|perhaps|likely|reportedly|allegedly|可能|也许|或许|大概|似乎|疑似|据称"
)
_SAID_TO_BE = frozenset((
    "believ", "think", "say", "consid", "report", "alleg", "appear", "seem", "be", "to", "会", "是", "有",
))  # fmt: skip


def _certain(case: Case, reading: Reading, found: Followed, edit: Edit) -> IssueType | None:
    """ "May cause" told as "causes": the possibility is left out and nothing else changed."""
    theirs = [w for w in edit.theirs if _PERHAPS.fullmatch(w.surface)]
    hedged = any(_PERHAPS.fullmatch(w.surface) or w.surface in ("can", "能", "能够", "可以") for w in edit.mine)
    if not theirs or hedged or case.config.lexicon.hedge.search(reading.analysis.low):
        return None
    rest = [{w.key for w in side if w not in theirs and w.surface not in _AUXILIARY and w.key not in _SAID_TO_BE}
            for side in (edit.mine, edit.theirs)]  # fmt: skip
    return IssueType.MODALITY_MISMATCH if rest[0] == rest[1] else None


# --- force -----------------------------------------------------------------------------------------------------------

_FORCES = {
    "obligation": "duty", "recommendation": "advice", "permission": "right", "capability": "right", "option": "right",
}  # fmt: skip


def _force(case: Case, reading: Reading, found: Followed, edit: Edit) -> IssueType | None:
    """May for must, should for shall, and nothing else changed there."""
    if any(_SOLE.fullmatch(w.surface) for e in found.edits for w in (*e.mine, *e.theirs)):
        return None
    told = [_cued(a, side) for a, side in ((reading.analysis, edit.mine), (found.unit.analysis, edit.theirs))]
    if None in told or told[0] == told[1]:
        return None
    return IssueType.MODALITY_MISMATCH


def _cued(analysis: Analysis, words: Sequence[Word]) -> str | None:
    """The force of words that tell nothing but one; None where they tell more, or a denial."""
    if not words or _denials(words):
        return None
    start, end = words[0].start, words[-1].end
    cues = [c for c in analysis.cues if c.start < end and start < c.end]
    rest = [w for w in words if not any(c.start <= w.start < c.end for c in cues) and w.surface not in _AUXILIARY]
    kinds = {_FORCES.get(c.kind) for c in cues}
    return kinds.pop() if len(kinds) == 1 and not rest else None


_READINGS: tuple[Callable[[Case, Reading, Followed, Edit], IssueType | None], ...] = (
    _degree, _opposite, _denial, _sole, _certain, _force, other_name, other_thing,
)  # fmt: skip
_WITH_EXCEPTION = (_opposite, _certain, _force, other_name, other_thing)
