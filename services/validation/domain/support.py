"""The support score of a statement: interpretable features, learnt weights, every contribution visible."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.common.domain.question import Span
from services.common.domain.verdict import Contribution, EvidenceLink
from services.validation.domain.align import RELATED, SYNONYM, Bag, cover, in_span, match
from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.case import Aligned, Case, Reading
from services.validation.domain.compare import equal
from services.validation.domain.config import SupportModel
from services.validation.domain.evidence import Unit
from services.validation.domain.moments import covers

_SENTENCES = 12
_FOUND = 0.5
_MUCH_LOST = 6.0


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
    """The features of one statement against its cited passages, each in [0, 1]; 1 speaks for support.

    coverage, exact: the matched share of content words, all matches and close ones; best_sentence: the same in one
    sentence; informative, best_informative: weighted by rarity; lost: how little rare weight is unmatched;
    worst_part: the least covered stretch; numbers, names: the share found.
    """
    analysis, terms = reading.analysis, reading.analysis.terms
    bag = case.bags.cited(reading.cited)
    weights = [case.config.word_weights.get(t.key, 1.0) for t in terms]
    total = sum(weights) or 1.0
    scores = [match(t, bag) for t in terms]
    parts = [cover(in_span(terms, a, b), bag, least=RELATED) for a, b in segments(analysis)]
    units = [a.unit for a in aligned]
    return {
        "coverage": cover(terms, bag).share,
        "exact": cover(terms, bag, least=SYNONYM).share,
        "best_sentence": max((a.coverage.share for a in aligned), default=0.0),
        "informative": sum(w * s for w, s in zip(weights, scores, strict=True)) / total if terms else 1.0,
        "best_informative": _best_informative(case, terms, weights, aligned[:_SENTENCES]) if terms else 1.0,
        "lost": 1 - min(1.0, sum(w for w, s in zip(weights, scores, strict=True) if s < _FOUND) / _MUCH_LOST),
        "worst_part": min((p.share for p in parts if p.weight), default=1.0),
        "numbers": _facts_found(reading, units),
        "names": _names_found(analysis, bag),
    }


def _best_informative(case: Case, terms: Sequence[Term], weights: Sequence[float], aligned: Sequence[Aligned]) -> float:
    total = sum(weights) or 1.0
    return max(
        (
            sum(w * match(t, case.bags.unit(a.unit)) for t, w in zip(terms, weights, strict=True)) / total
            for a in aligned
        ),
        default=0.0,
    )


def _facts_found(reading: Reading, units: Sequence[Unit]) -> float:
    quantities = [q for q in reading.analysis.quantities if not q.weak]
    facts = [any(equal(q, e) for u in units for e in u.analysis.quantities) for q in quantities]
    facts += [any(covers(m, e) for u in units for e in u.analysis.moments) for m in reading.analysis.moments]
    return sum(facts) / len(facts) if facts else 1.0


def _names_found(analysis: Analysis, bag: Bag) -> float:
    names = [n.surface.lower() in bag.low for n in analysis.names]
    return sum(names) / len(names) if names else 1.0


_SEGMENT = re.compile(
    r"[，；、：。,;:()（）]|\s(?:and|or|but|because|since|due to|owing to|so that|in order to|as well as|along with"
    r"|together with|"
    r"with|without|including|such as|unless|if|when|while|for|by|after|before|during|from|via|through|using|except)\s"
    r"|\sto\s(?=avoid|prevent|ensure|protect|reduce|improve|save|limit|keep|allow|help|comply|make)|(?:和|与|及|以及"
    r"|或|并|因|由于|以便|为了)",
    re.I,
)


def segments(analysis: Analysis) -> list[tuple[int, int]]:
    """The stretches of a text between punctuation, conjunctions and prepositions."""
    cuts = sorted({0, len(analysis.text), *(m.end() for m in _SEGMENT.finditer(analysis.text))})
    return list(itertools.pairwise(cuts))


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
