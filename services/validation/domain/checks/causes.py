"""A reason that the passages do not give as one: both facts stand there, the link between them does not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.wording.align import RELATED, cover, in_span, match
from services.validation.domain.wording.doubt_words import UNKNOWN

_BECAUSE = Pattern(
    r"\b(?:because of|because|due to|owing to|as a result of|as a consequence of|caused by|on account of|thanks to"
    r"|attributable to)\b|是?因为|由于|(?<![原起诱])因(?![此而素子公病特网])"
)
_ITEM = re.compile(r"、|，以及|以及|\band\b|\bas well as\b")
_END = re.compile(r"[,;.，。；：:]")
_PART = re.compile(r"[;；]")
# What links two facts, in whatever direction: therefore, led to, to avoid; 导致, 所以, 以免.
_LINK = re.compile(
    r"\b(?:therefore|thus|hence|so|consequently|result(?:s|ed|ing)?|led|leads?|leading|caus(?:e|es|ed|ing)|triggers?"
    r"|triggered|reasons?|why|because|since|due|owing|given|prevents?|avoids?|ensures?|makes?|made|forced|explains?)\b"
    r"|导致|致使|造成|引起|引发|所以|因此|因而|原因|使|令|故|以致|因|由于|为了?|以免|以防|防止|避免|鉴于"
)
# What may give a reason or a purpose in passing: as, so that, in order to, to protect; 以便, 用于.
_HINT = re.compile(
    r"\bas\b(?! (?:well|soon|long|far|of|from))|\bfor (?:\w+ )?(?:reasons?|safety|security|protection|fear)\b"
    r"|\bin order\b|\b(?:to|which|that|and) (?:protect|keep|save|reduce|limit|allow|help|give|show|mean)s?\b"
    r"|以便|便于|用于|(?:^|[，。；：])\s*为|为(?:了|防|避免|保证|保障|确保|方便|便于|减少|提高)"
)
_STANDS, _BESIDE, _SCATTERED = 0.6, 0.4, 0.45


@register(
    "causes",
    Lock.TRACEABILITY,
    sees="because, due to, 因为 and the like before something that the passages tell, but nowhere as a reason",
    blind="causes told by verbs (led to, 导致), answers in the other language",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield UNSUPPORTED_STATEMENT."""
    for reading in case.reworded:
        found = _BECAUSE.search(reading.analysis.low)
        left_open = _left_open(case, reading) if found is not None else None
        if left_open is not None:
            yield Finding(
                IssueType.UNSUPPORTED_STATEMENT, reading.index, "the passage leaves the cause open",
                RemedyKind.REGENERATE, citation=left_open.citation, evidence=(left_open.start, left_open.end),
                found=reading.analysis.text.strip(), expected=left_open.analysis.text,
            )  # fmt: skip
            continue
        if found is None or any(u.analysis.han != reading.analysis.han for u in case.units(reading.cited)):
            continue
        end = _END.search(reading.analysis.low, found.end())
        span = found.end(), end.start() if end else len(reading.analysis.low)
        parts = [m.start() for m in _PART.finditer(reading.analysis.low)]
        begins = max((p for p in parts if p < found.start()), default=0)
        ends = min((p for p in parts if p > found.start()), default=len(reading.analysis.low))
        effect = [t for t in in_span(reading.analysis.terms, begins, ends) if not span[0] <= t.start < span[1]]
        for start, stop in _items(reading.analysis, span):
            reason = in_span(reading.analysis.terms, start, stop)
            if sum(t.weight for t in reason) >= _LEAST_WEIGHT and not _linked(case, reading, reason, effect):
                yield Finding(
                    IssueType.UNSUPPORTED_STATEMENT, reading.index, "the passages do not give this as the reason",
                    RemedyKind.REGENERATE, span=(start, stop), citation=reading.cited[0],
                    found=reading.analysis.text[start:stop].strip(),
                )  # fmt: skip
                break


_LEAST_WEIGHT, _LEAST_WORDS = 1.5, 2


def _left_open(case: Case, reading: Reading) -> Unit | None:
    """The sentence that says of the effect, or of what the passage speaks of, that its cause is not known."""
    if UNKNOWN.search(reading.analysis.low):
        return None
    for unit in case.units(reading.cited):
        open_ = UNKNOWN.search(unit.analysis.low)
        if open_ is None or not _CAUSE.search(unit.analysis.low):
            continue
        words = [t for t in unit.analysis.terms if not _CAUSE.search(t.word.surface) and not _within(t, open_)]
        topic = [t for t in words if t.start < open_.start()] or words
        bag = case.bags.said(reading.analysis)
        if not topic or any(match(t, bag) >= RELATED for t in topic):
            return unit
    return None


def _within(term: Term, found: re.Match[str]) -> bool:
    return found.start() <= term.start < found.end()


_CAUSE = re.compile(r"\b(?:caus\w*|reasons?|why|origins?)\b|原因|起因|成因|为何|为什么")


def _items(analysis: Analysis, span: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """The reasons of an enumeration, one by one."""
    start = span[0]
    for joint in _ITEM.finditer(analysis.low, *span):
        yield start, joint.start()
        start = joint.end()
    yield start, span[1]


def _linked(case: Case, reading: Reading, reason: Sequence[Term], effect: Sequence[Term]) -> bool:
    """A sentence that tells the reason tells the effect too, or links it to something; or no sentence tells it.

    Where the passages link nothing at all, a reason that no sentence tells was made up, if only of their words.
    """
    units = [u for u in case.units(reading.cited) if u.kind != "heading"]
    told = [(u, cover(reason, case.bags.unit(u)).share) for u in units]
    telling = [u for u, share in told if share >= _STANDS]
    if telling:
        return any(_links(case, units, unit, effect) for unit in telling)
    scattered = all(share < _SCATTERED for _, share in told) and len(reason) >= _LEAST_WORDS
    return not scattered or any(p.search(u.analysis.low) for u in units for p in (_LINK, _HINT))


def _links(case: Case, units: Sequence[Unit], unit: Unit, effect: Sequence[Term]) -> bool:
    following = [u for u in units if u.citation == unit.citation and 0 <= u.index - unit.index <= 1]
    if any(_LINK.search(u.analysis.low) for u in following):
        return True
    return not effect or cover(effect, case.bags.unit(unit)).share >= _BESIDE
