"""What a passage lays on one party of a contract is not told of the other: buyer and supplier, 甲方 and 乙方."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.wording.align import PARTIAL, Bag, cover, in_span

# Roles that come in pairs or more: who is one of them is not the other.
_PARTY = Pattern(
    r"\b(?P<en>buyer|seller|supplier|customer|landlord|tenant|lessor|lessee|borrower|lender|employer|employee|contractor"
    r"|client|owner|operator|licensor|licensee|shipper|carrier|insurer|policyholder|controller|processor|provider|agent"
    r"|principal|consignor|consignee|vendor|purchaser|manufacturer|retailer|dealer|donor|recipient|sender|guarantor)s?\b"
    r"|(?P<zh>[甲乙丙丁]方|[买卖供需]方|(?:出租|承租|买受|出卖|委托|受托|发包|承包|转让|受让|投保|保险|借款|出借|贷款|收货"
    r"|发货|托运|承运|招标|投标|寄件|收件|用人|施工|监理|建设)(?:人|方|者|单位)|房东|租客|供应商|采购方|劳动者)"
)
# One party by several words.
_SAME = {
    word: words[0]
    for words in (
        ("buyer", "purchaser", "customer", "client"),
        ("supplier", "seller", "vendor", "provider", "dealer", "retailer"),
        ("landlord", "lessor"),
        ("tenant", "lessee"),
        ("出租人", "出租方", "房东"),
        ("承租人", "承租方", "租客"),
        ("买方", "买受人", "采购方", "需方", "购方"),
        ("卖方", "出卖人", "供应商", "供方"),
        ("发包人", "发包方", "建设单位"),
        ("承包人", "承包方", "施工单位", "施工方"),
        ("用人单位", "用人方"),
    )
    for word in words
}
_CUT = re.compile(
    r"[，；。,;:：]|\b(?:and|while|but|whereas)\b"
    r"(?= (?:the |is |are |must |shall |may |has |have |pays? |bears? |stores? |keeps? ))"
)
_SUBORDINATE = re.compile(
    r"^\W*(?:if|when|where|after|before|once|unless|until|as soon as|while|should)\b"
    r"|^\W*(?:如果?|若|当)|[时后前的][，,]$"
)
_APART = re.compile(r"\b(?:not|neither|nor|unlike|instead|rather)\b|不|非|未")
_TOLD, _AHEAD = 0.6, 0.3


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a sentence with the one party that it speaks of; empty if it names several or none is known."""

    party: str
    terms: tuple[Term, ...]
    bag: Bag
    start: int
    end: int


@register(
    "parties",
    Lock.TRACEABILITY,
    sees="duties, costs and rights that the passage gives to one of two parties told of the other, also where the party"
    " stands in the clause before",
    blind="parties called by names of their own, answers in the other language",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield ENTITY_MISMATCH."""
    for reading in case.reworded:
        if not _PARTY.search(reading.analysis.low):
            continue
        told = [(unit, part) for unit in case.units(reading.cited) for part in _evidence(case, reading, unit)]
        if len({part.party for _, part in told if part.party}) < _PAIR:
            continue
        for part in parts_of(case, reading.analysis, carried=False):
            found = _of_another(part, told) if part.party and not _APART.search(_text(reading.analysis, part)) else None
            if found is not None:
                yield _finding(reading, part, *found)
                return


_PAIR = 2


def _evidence(case: Case, reading: Reading, unit: Unit) -> Sequence[Part]:
    return () if unit.headers or unit.analysis.han != reading.analysis.han else parts_of(case, unit.analysis)


def _text(analysis: Analysis, part: Part) -> str:
    return analysis.low[part.start : part.end]


def parts_of(case: Case, analysis: Analysis, *, carried: bool = True) -> list[Part]:
    """The stretches of a sentence; one that names no party goes on with that of the stretch before, if ``carried``
    and if that is no subordinate clause (after the tenant has left, the deposit is returned)."""
    parts: list[Part] = []
    start, party = 0, ""
    for end in [*(m.end() for m in _CUT.finditer(analysis.low)), len(analysis.low)]:
        found = list(_PARTY.finditer(analysis.low, start, end))
        named = {_SAME.get(word := m["en"] or m["zh"], word) for m in found}
        if named or not carried:
            party = named.pop() if len(named) == 1 else ""
        terms = tuple(
            t for t in in_span(analysis.terms, start, end) if not any(m.start() <= t.start < m.end() for m in found)
        )
        bag = Bag.of([case.analyser.analyse(analysis.text[start:end])])
        parts.append(Part(party, terms, bag, start, end))
        party = "" if _SUBORDINATE.search(analysis.low[start:end]) else party
        start = end
    return parts


def _of_another(part: Part, told: Sequence[tuple[Unit, Part]]) -> tuple[Unit, Part] | None:
    """The stretch of another party that says what this one says, if none of its own party nearly does."""
    if sum(t.weight for t in part.terms) < 1:
        return None
    # A character that two words share tells nothing of what is meant.
    scored = [(cover(part.terms, other.bag, least=PARTIAL).share, unit, other) for unit, other in told]
    own = max((share for share, _, other in scored if other.party in ("", part.party)), default=0.0)
    share, unit, other = max((s for s in scored if s[2].party not in ("", part.party)), key=lambda s: s[0])
    return (unit, other) if share >= _TOLD and share >= own + _AHEAD else None


def _finding(reading: Reading, part: Part, unit: Unit, other: Part) -> Finding:
    return Finding(
        IssueType.ENTITY_MISMATCH, reading.index, f"the passage tells this of {other.party}, not of {part.party}",
        RemedyKind.REGENERATE, span=(part.start, part.end), citation=unit.citation,
        evidence=(unit.start + other.start, unit.start + other.end), found=part.party, expected=other.party,
    )  # fmt: skip
