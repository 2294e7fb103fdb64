"""Whether the retrieved passages can carry an answer: needs, what covers them, what contradicts, a score."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from services.common.domain.document import Chunk
from services.common.domain.question import ParsedQuestion
from services.common.domain.verdict import Conflict, Sufficiency, SufficiencyLabel
from services.validation.domain.agreement import disagreements
from services.validation.domain.align import Bag, cover
from services.validation.domain.analysis import Analyser, Analysis
from services.validation.domain.case import Case
from services.validation.domain.config import ValidationConfig
from services.validation.domain.evidence import Unit
from services.validation.domain.needs import look_for, mostly_covered, needs_of
from services.validation.domain.support import probability

_MAX_CONFLICTS = 8
_ON_TOPIC = 0.5
_WHEN = re.compile(
    r"\bwhen\b|\bwhat (?:year|date|day|month)\b|\bwhich year\b|何时|什么时候|哪年|哪一年|几月|日期", re.I
)
_WHO = re.compile(
    r"\bwho(?:m|se)?\b|\bwhat (?:actor|actress|singer|author|person|president|player|director)\b|谁|何人|哪位", re.I
)
_WHERE = re.compile(
    r"\bwhere\b|\bwhat (?:city|country|state|place|county)\b|\bwhich (?:city|country|state)\b|哪里|何处|哪儿|地点", re.I
)
_HOW_MANY = re.compile(
    r"\bhow (?:many|much|long|old|far|tall|high|big|large|fast|often)\b|\b(?:population|number|amount|height"
    r"|length|area)\b|多少|几(?!乎)|多长|多久|多高|人口|面积",
    re.I,
)
_WHY = re.compile(r"\bwhy\b|\breasons?\b|\bcauses?\b|为什么|原因|为何", re.I)
_LINKS = re.compile(
    r"\b(?:because|due to|since|so that|in order to|as a result|caused|reason|led to|therefore)\b|因为|由于"
    r"|导致|以便|原因",
    re.I,
)
_PROSE = re.compile(r"\b(?:is|are|was|were|has|have|had|the|of|in|by)\b", re.I)


@dataclass(frozen=True, slots=True)
class Topical:
    """How a passage speaks to the question: its best unit, the coverages, and what it holds of the asked kind."""

    citation: int
    unit: Unit
    sentence: float
    passage: float
    names: float
    answers: frozenset[str]


def judge_sufficiency(
    question: str,
    parsed: ParsedQuestion | None,
    chunks: Sequence[Chunk],
    as_of: date | None,
    today: date,
    config: ValidationConfig,
    analyser: Analyser,
) -> Sufficiency:
    """Judge the evidence; see ``validator.check_sufficiency``."""
    case = Case(question, parsed, "", chunks, as_of, today, config, analyser)
    needs = look_for(case, needs_of(case, parsed))
    topical = topical_passages(case)
    conflicts = find_conflicts(case, topical)
    answerable, _ = probability(config.sufficiency, answer_features(case, topical, mostly_covered(needs)))
    clash, _ = probability(config.conflict, conflict_features(case, topical, conflicts))
    score = answerable * (1 - clash) if topical else 0.0
    return Sufficiency(_label(config, answerable, clash, conflicts, bool(topical)), score, needs, conflicts)


def _label(
    config: ValidationConfig, answerable: float, clash: float, conflicts: Sequence[Conflict], any_evidence: bool
) -> SufficiencyLabel:
    if not any_evidence:
        return SufficiencyLabel.INSUFFICIENT
    if any(not c.decided_by for c in conflicts) or clash >= config.conflict.thresholds["conflicting"]:
        return SufficiencyLabel.CONFLICTING
    enough = answerable >= config.sufficiency.thresholds["sufficient"]
    return SufficiencyLabel.SUFFICIENT if enough else SufficiencyLabel.INSUFFICIENT


# --- passages ----------------------------------------------------------------------------------------------------


def topical_passages(case: Case) -> list[Topical]:
    """Every passage with text, read against the question."""
    return [t for p in case.passages if (t := _topical(case, p.citation)) is not None]


def _topical(case: Case, citation: int) -> Topical | None:
    terms = case.question.analysis.terms
    units = list(case.units([citation]))
    if not units:
        return None
    scored = [(cover(terms, case.bags.unit(u)).share, -u.index, u) for u in units]
    share, _, unit = max(scored, key=lambda s: s[:2])
    whole = cover(terms, case.bags.cited([citation])).share
    names = _name_share(case, citation)
    near = [u for u in units if abs(u.index - unit.index) <= 1]
    answers = frozenset(a for u in near for a in asked_kind(case, u.analysis))
    return Topical(citation, unit, share, whole, names, answers)


def _name_share(case: Case, citation: int) -> float:
    """The share of the question's names (capitalised, coded, quoted) that the passage knows; 1 if it has none."""
    names = [n for n in case.question.analysis.names if n.kind != "numbered" or n.strict]
    if not names:
        return 1.0
    low = case.bags.cited([citation]).low
    return sum(n.surface.lower() in low for n in names) / len(names)


def asked_kind(case: Case, analysis: Analysis) -> set[str]:
    """Things in a text that could be the answer: times, values or names, as the question word asks."""
    low = case.question.analysis.low
    asked = case.question.analysis
    if _WHEN.search(low):
        known = {m.key() for m in asked.moments}
        return {f"t{m.year or ''}" if m.year else f"t{m.key()}" for m in analysis.moments if m.key() not in known}
    if _HOW_MANY.search(low):
        return {f"q{q.low:.6g}" for q in analysis.quantities if not q.weak}
    if _WHO.search(low) or _WHERE.search(low):
        known_names = {n.key for n in asked.names} | set(asked.keys)
        return {n.key for n in analysis.names if n.kind in ("proper", "acronym") and n.key not in known_names}
    if _WHY.search(low):
        return {"why"} if _LINKS.search(analysis.low) else set()
    return {t.key for t in analysis.terms if t.key not in asked.keys}


# --- features ----------------------------------------------------------------------------------------------------


def answer_features(case: Case, topical: Sequence[Topical], needs: float) -> dict[str, float]:
    """What speaks for an answer in the passages, each in [0, 1]."""
    if not topical:
        return dict.fromkeys(("best_sentence", "best_passage", "names", "answer_kind", "needs", "prose", "rare"), 0.0)
    best = max(topical, key=lambda t: (t.sentence + t.passage, -t.citation))
    return {
        "best_sentence": max(t.sentence for t in topical),
        "best_passage": max(t.passage for t in topical),
        "names": max(t.names for t in topical),
        "answer_kind": 1.0 if best.answers else 0.0,
        "needs": needs,
        "prose": _prose(best.unit.analysis.low),
        "rare": max(_rare(case, t.citation) for t in topical),
    }


def _prose(low: str) -> float:
    """Running text against lists of links and names: function words a word, at most 1."""
    words = len(low.split()) or 1
    return 1.0 if any(c > "\u2fff" for c in low) else min(1.0, 4 * len(_PROSE.findall(low)) / words)


def _rare(case: Case, citation: int) -> float:
    """The share of the question's long words (which tend to be the rare ones) that stand in the passage."""
    terms = [t for t in case.question.analysis.terms if len(t.word.surface) >= (2 if t.word.han else 7)]
    return cover(terms, case.bags.cited([citation])).share if terms else 0.5


def conflict_features(case: Case, topical: Sequence[Topical], conflicts: Sequence[Conflict]) -> dict[str, float]:
    """What speaks for contradiction among the passages that speak to the question, each in [0, 1]."""
    on_topic = [t for t in topical if t.passage >= _ON_TOPIC and t.names >= 0.5]
    pairs = [(a, b) for i, a in enumerate(on_topic) for b in on_topic[i + 1 :]]
    return {
        "several": min(1.0, max(0, len(on_topic) - 1) / 2),
        "disjoint": max((_disjoint(a, b) for a, b in pairs), default=0.0),
        "stated": 1.0 if any(not c.decided_by for c in conflicts) else 0.0,
        "foreign": max((_foreign(case, a, b) for a, b in pairs), default=0.0),
        "near_copies": max((_near_copy(case, a, b) for a, b in pairs), default=0.0),
    }


def _disjoint(a: Topical, b: Topical) -> float:
    """Both hold answers of the asked kind and share none of them."""
    if not a.answers or not b.answers:
        return 0.0
    return 1.0 - len(a.answers & b.answers) / min(len(a.answers), len(b.answers))


def _foreign(case: Case, a: Topical, b: Topical) -> float:
    """How little two passages on one topic have in common beyond the question's words."""
    asked = case.question.analysis.keys
    mine, theirs = (
        {t.key for u in case.units([x.citation]) for t in u.analysis.terms if t.key not in asked} for x in (a, b)
    )
    if not mine or not theirs:
        return 0.0
    return 1.0 - len(mine & theirs) / min(len(mine), len(theirs))


def _near_copy(case: Case, a: Topical, b: Topical) -> float:
    """Sentences that agree in almost everything and differ in a value or a name."""
    best = 0.0
    for unit in case.units([a.citation])[:_UNITS_COMPARED]:
        for other in case.units([b.citation])[:_UNITS_COMPARED]:
            if len(unit.analysis.terms) < 4 or unit.analysis.low == other.analysis.low:
                continue
            share = cover(unit.analysis.terms, case.bags.unit(other), least=0.9).share
            if share >= 0.7 and _differ(unit.analysis, other.analysis):
                best = max(best, share)
    return best


_UNITS_COMPARED = 12


def _differ(a: Analysis, b: Analysis) -> bool:
    values = ({round(q.low, 6) for q in a.quantities}, {round(q.low, 6) for q in b.quantities})
    times = ({m.key() for m in a.moments}, {m.key() for m in b.moments})
    names = ({n.key for n in a.names}, {n.key for n in b.names})
    return any(x and y and not (x <= y or y <= x) for x, y in (values, times, names))


# --- conflicts ---------------------------------------------------------------------------------------------------


def find_conflicts(case: Case, topical: Sequence[Topical]) -> tuple[Conflict, ...]:
    """Units on the topic that give different values for the same thing, each pair of passages once."""
    found: dict[tuple[int, int], Conflict] = {}
    terms = case.question.analysis.terms
    relevant = {t.citation for t in topical}
    for unit in case.units(sorted(relevant)):
        if cover(terms, Bag.of([unit.analysis, case.passage(unit.citation).title])).share < _ON_TOPIC:
            continue
        for clash in disagreements(case, unit, [c for c in relevant if c > unit.citation]):
            if len(found) >= _MAX_CONFLICTS:
                break
            key = (unit.citation, clash.second.unit.citation)
            about = " ".join(t.word.surface for t in unit.analysis.terms[:8])
            found.setdefault(
                key,
                Conflict(
                    *key,
                    clash.first.surface,
                    clash.second.surface,
                    about,
                    unit.analysis.text,
                    clash.second.unit.analysis.text,
                    clash.decided_by,
                ),
            )
    return tuple(found.values())
