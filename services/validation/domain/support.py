"""The support score of a statement: interpretable features, learnt weights, every contribution visible."""

from __future__ import annotations

import math
from dataclasses import dataclass

from services.common.domain.question import Span
from services.common.domain.verdict import Contribution, EvidenceLink
from services.validation.domain.align import cover
from services.validation.domain.case import Aligned, Case, Reading
from services.validation.domain.compare import equal
from services.validation.domain.config import SupportModel
from services.validation.domain.moments import covers


@dataclass(frozen=True, slots=True)
class Support:
    """A calibrated probability with the features behind it and the units that carry the statement."""

    probability: float
    contributions: tuple[Contribution, ...]
    best: tuple[Aligned, ...]


def probability(model: SupportModel, features: dict[str, float]) -> tuple[float, tuple[Contribution, ...]]:
    """The logistic model's probability and each feature's share."""
    contributions = tuple(
        Contribution(name, value, model.weights[name]) for name, value in features.items() if name in model.weights
    )
    total = model.intercept + sum(c.value * c.weight for c in contributions)
    return 1 / (1 + math.exp(-max(-40.0, min(40.0, total)))), contributions


def support_of(case: Case, reading: Reading) -> Support:
    """Score a statement against the passages it cites."""
    if not reading.cited:
        return Support(0.0 if reading.is_claim else 1.0, (), ())
    aligned = case.align(reading, reading.cited)
    features = statement_features(case, reading, aligned)
    value, contributions = probability(case.config.support, features)
    return Support(value, contributions, tuple(aligned[:3]))


def statement_features(case: Case, reading: Reading, aligned: list[Aligned]) -> dict[str, float]:
    """The features of one statement against its cited passages, each in [0, 1]."""
    analysis = reading.analysis
    union = cover(analysis.terms, case.bags.cited(reading.cited))
    best = aligned[0].coverage.share if aligned else 0.0
    units = case.units(reading.cited)
    quantities = [q for q in analysis.quantities if not q.weak]
    numbers = [any(equal(q, e) for u in units for e in u.analysis.quantities) for q in quantities]
    moments = [any(covers(m, e) for u in units for e in u.analysis.moments) for m in analysis.moments]
    low = case.bags.cited(reading.cited).low
    names = [n.surface.lower() in low for n in analysis.names]
    facts = numbers + moments
    return {
        "coverage": union.share,
        "best_sentence": best,
        "numbers": sum(facts) / len(facts) if facts else 1.0,
        "names": sum(names) / len(names) if names else 1.0,
    }


def evidence_links(case: Case, reading: Reading, support: Support) -> tuple[EvidenceLink, ...]:
    """The best evidence sentence of each cited passage, with the matched parts."""
    links: list[EvidenceLink] = []
    seen: set[int] = set()
    for aligned in case.align(reading, reading.cited) if reading.cited else []:
        unit = aligned.unit
        if unit.citation in seen:
            continue
        seen.add(unit.citation)
        links.append(
            EvidenceLink(
                citation=unit.citation,
                chunk_id=case.passage(unit.citation).chunk.chunk_id,
                span=Span(unit.start, unit.end),
                score=max(0.0, min(1.0, aligned.score)),
                matched=_matched(reading, aligned),
                contributions=support.contributions,
            )
        )
    return tuple(links)


def _matched(reading: Reading, aligned: Aligned) -> tuple[Span, ...]:
    """The stretches of the chunk that match: words, quantities, times and names."""
    unit, analysis = aligned.unit, aligned.unit.analysis
    keys = {t.key for t in reading.analysis.terms}
    groups = {g for t in reading.analysis.terms for g in t.groups}
    glosses = {g for t in reading.analysis.terms for g in t.glosses}
    spans = [
        (t.start, t.end) for t in analysis.terms
        if t.key in keys or t.key in glosses or not t.groups.isdisjoint(groups) or not t.glosses.isdisjoint(keys)
    ]  # fmt: skip
    spans += [(e.start, e.end) for e in analysis.quantities if any(equal(q, e) for q in reading.analysis.quantities)]
    spans += [(e.start, e.end) for e in analysis.moments if any(covers(m, e) for m in reading.analysis.moments)]
    names = {n.key for n in reading.analysis.names}
    spans += [(n.start, n.end) for n in analysis.names if n.key in names]
    return tuple(Span(unit.start + a, unit.start + b) for a, b in sorted(set(spans)))
