"""The support score of a statement: interpretable features, learnt weights, every contribution visible."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from services.common.domain.question import Span
from services.common.domain.verdict import Contribution, EvidenceLink
from services.validation.domain.analysis import Analysis
from services.validation.domain.case import Aligned, Case, Reading
from services.validation.domain.config import SupportModel
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.times.moments import covers
from services.validation.domain.values.compare import equal
from services.validation.domain.wording.align import RELATED, SYNONYM, TRANSLATION, Bag, cover, in_span, match
from services.validation.domain.wording.doubt import doubts, matches_of

# So many values or numbers without a match are as bad as more.
_MANY = 4
# Pairs grow with the square of the words; no sentence that people write has more.
_PAIRED_WORDS = 60
# Sentences shown to an embedder, which is slow.
_EMBEDDED = 4
_BEFORE_MARK = re.compile(r"\s+(?=[.,;:!?。，；：！？])")
_FIGURE = re.compile(r"\d[\d,.]*\d|\d")


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
    """Score a statement against the passages it cites, a claim without a known citation against all."""
    if not reading.is_claim and not reading.cited:
        return Support(1.0, (), ())
    if not reading.cited:
        if not case.passages:
            return Support(0.0, (), ())
        reading = replace(reading, cited=tuple(p.citation for p in case.passages))
    aligned = case.align(reading, reading.cited)
    features = statement_features(case, reading)
    model = case.config.support
    near = similarity(case, reading, aligned)
    if near is not None and case.config.support_with_similarity is not None:
        features, model = features | {"similarity": near}, case.config.support_with_similarity
    value, contributions = probability(model, features)
    return Support(value, contributions, tuple(aligned[:3]))


def similarity(case: Case, reading: Reading, aligned: Sequence[Aligned]) -> float | None:
    """How near the statement is to its best sentences, each with the next one; None without an embedder."""
    if case.config.similarity is None or not aligned:
        return None
    texts = []
    for unit in (a.unit for a in aligned[:_EMBEDDED]):
        following = case.passage(unit.citation).units[unit.index + 1 : unit.index + 2]
        texts.append(" ".join((unit.analysis.text, *(u.analysis.text for u in following))))
    # Where the citation stood, the body has blanks.
    body = _BEFORE_MARK.sub("", " ".join(reading.statement.body.split()))
    return case.config.similarity.best(body, texts)


def statement_features(case: Case, reading: Reading) -> dict[str, float]:
    """The features of one statement against its cited passages, each in [0, 1]; 1 speaks for support.

    coverage: the share of content words that stand in the passages; worst_part: the least covered stretch between
    joints; together: pairs of words that some one sentence holds both of; facts, figures: how few values and times,
    and how few written numbers, are not found; names: the share of capitalised words and identifiers found;
    weakest, weakest_three: how little doubt the most doubtful word leaves, and the three most doubtful (``doubt``).
    """
    analysis, terms = reading.analysis, reading.analysis.terms
    bag = case.bags.cited(reading.cited)
    units = case.units(reading.cited)
    matches = matches_of(terms, bag, [case.bags.unit(u) for u in units])
    weights = [t.weight for t in terms]
    parts = [cover(in_span(terms, a, b), bag, least=RELATED) for a, b in segments(analysis)]
    across = analysis.han != bag.han
    config = case.config
    doubtful = doubts(analysis, matches, units, config.words, config.word_weights, across_languages=across)
    weakest = [d.chance for d in doubtful[:3]]
    return {
        "coverage": _mean(weights, matches.whole),
        "worst_part": min((p.share for p in parts if p.weight), default=1.0),
        "together": _together(weights, matches.by_unit),
        "facts": _few(_facts_missing(reading, units)),
        "figures": _few(_figures_missing(analysis, bag)),
        "names": _names_found(analysis, bag),
        "weakest": 1 - weakest[0] if weakest else 1.0,
        "weakest_three": 1 - sum(weakest) / len(weakest) if weakest else 1.0,
    }


def _mean(weights: Sequence[float], scores: Sequence[float]) -> float:
    """The weighted mean; nothing to cover counts as covered."""
    total = sum(weights)
    return sum(w * s for w, s in zip(weights, scores, strict=True)) / total if total else 1.0


def _few(count: int) -> float:
    """1 for none, 0 for ``_MANY`` and more; the first ones weigh most."""
    return max(0.0, 1 - math.log1p(count) / math.log1p(_MANY))


def _together(weights: Sequence[float], table: Sequence[Sequence[float]]) -> float:
    """The share of pairs of words, by weight, of which one unit holds both."""
    held = [sum(1 << i for i, score in enumerate(row) if score >= RELATED) for row in table[:_PAIRED_WORDS]]
    total = shared = 0.0
    for (i, a), (j, b) in itertools.combinations(enumerate(held), 2):
        weight = weights[i] * weights[j]
        total += weight
        shared += weight if a & b else 0.0
    return shared / total if total else 1.0


def _facts_missing(reading: Reading, units: Sequence[Unit]) -> int:
    quantities = [q for q in reading.analysis.quantities if not q.weak]
    missing = sum(not any(equal(q, e) for u in units for e in u.analysis.quantities) for q in quantities)
    return missing + sum(
        not any(covers(m, e) for u in units for e in u.analysis.moments) for m in reading.analysis.moments
    )


def _figures_missing(analysis: Analysis, bag: Bag) -> int:
    """Numbers in digits that the passages do not write, whatever they count."""
    written = {f.replace(",", "") for f in _FIGURE.findall(bag.low)}
    return sum(f.replace(",", "") not in written for f in _FIGURE.findall(analysis.text))


def _names_found(analysis: Analysis, bag: Bag) -> float:
    """The share of capitalised words inside the statement, and of its identifiers, that the passages know."""
    close = SYNONYM if analysis.han == bag.han else TRANSLATION
    inside = [t for t in analysis.terms if t.start and analysis.text[t.start].isupper()]
    found = [match(t, bag) >= close for t in inside]
    found += [n.surface.lower() in bag.low for n in analysis.names if n.strict]
    return sum(found) / len(found) if found else 1.0


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
