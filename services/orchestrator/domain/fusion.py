"""From the hits of many searches to a ranked, de-duplicated list of evidence.

The same search in several knowledge bases is merged into one list first: the best hit of a knowledge base that
has nothing to say must not rank beside the best of one that does. Then weighted reciprocal rank fusion (Cormack,
Clarke and Buettcher, SIGIR 2009) times credibility, and in the end one passage for each text and, within a family
of versions, the version in force.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from services.common.domain.document import Chunk, DocumentMetadata
from services.common.domain.question import ParsedQuestion
from services.orchestrator.domain.credibility import combined, factors
from services.orchestrator.domain.evidence import Evidence, Hit, RouteOutcome
from services.orchestrator.domain.policy import ContextBudget, Credibility

WORD = re.compile(r"[A-Za-z0-9.%]+|[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class FusionPolicy:
    """What fusion needs of the policy."""

    context: ContextBudget
    credibility: Credibility


def fuse(
    outcomes: Iterable[RouteOutcome],
    parsed: ParsedQuestion,
    day: date,
    policy: FusionPolicy,
    keep_versions: bool,
) -> tuple[Evidence, ...]:
    """Best first. ``day`` is the point of view; ``keep_versions`` leaves superseded versions in."""
    scores, chunks, seated = _reciprocal_ranks(outcomes, policy.context.rrf_k)
    if not scores:
        return ()
    best = max(scores.values())
    ranked: list[Evidence] = []
    for chunk_id, score in scores.items():
        credibility = factors(chunks[chunk_id], parsed, day, policy.credibility)
        trust = combined(credibility, policy.credibility)
        influence = policy.credibility.influence
        weight = (score / best) * (1 - influence + influence * trust)
        ranked.append(Evidence(chunks[chunk_id], round(weight, 6), credibility))
    ranked.sort(key=lambda e: (-e.weight, e.chunk.chunk_id))
    if not keep_versions:
        ranked = _arbitrate_versions(ranked, day)
    return tuple(_deduplicate(ranked, policy.context, seated))


def _key(chunk: Chunk) -> str:
    return f"{chunk.document.knowledge_base}/{chunk.chunk_id}"


def _reciprocal_ranks(outcomes: Iterable[RouteOutcome], k: int) -> tuple[dict[str, float], dict[str, Chunk], set[str]]:
    """Scores and chunks by key, and the keys of each search's best hits, which have a seat in the context.

    Searches within one language bring in what the others missed and lift nothing over what those found: the best of
    the documents in another language is on their first rank even where it has nothing to do with the question.
    """
    groups: dict[str, list[RouteOutcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[outcome.group or outcome.task_id].append(outcome)
    whole: dict[str, float] = defaultdict(float)
    narrowed: dict[str, float] = defaultdict(float)
    chunks: dict[str, Chunk] = {}
    seated: set[str] = set()
    for members in groups.values():
        scores = narrowed if members[0].narrowed else whole
        for rank, hit in _merged(members):
            key = _key(hit.chunk)
            scores[key] += members[0].weight / (k + rank)
            chunks[key] = hit.chunk
            if rank <= members[0].seats:
                seated.add(key)
    return {key: max(whole[key], narrowed[key]) for key in chunks}, chunks, seated


def _merged(members: Sequence[RouteOutcome]) -> list[tuple[int, Hit]]:
    """(rank, hit) pairs; one knowledge base keeps its ranks, several are merged by their scores.

    Ranks of different collections say nothing about each other, so the raw scores are scaled to [0, 1] over the
    merged list and added up (CombSUM with min-max scaling; Fox and Shaw, TREC-2, 1994).
    """
    hits = [h for m in members for h in m.hits]
    if sum(1 for m in members if m.hits) < 2 or not all(h.components for h in hits):
        return [(h.rank, h) for h in hits]
    names = [n for n in ("rerank", "dense", "keyword") if any(n in h.components for h in hits)]
    if "rerank" in names:
        names = ["rerank"]
    scaled = {n: _scaled([h.components.get(n) for h in hits]) for n in names}
    totals = [sum(scaled[n][i] for n in names) for i in range(len(hits))]
    order = sorted(range(len(hits)), key=lambda i: (-totals[i], hits[i].chunk.chunk_id))
    return [(position, hits[i]) for position, i in enumerate(order, start=1)]


def _scaled(values: Sequence[float | None]) -> list[float]:
    """Min-max scaling; what a list does not have counts as its least."""
    known = [v for v in values if v is not None]
    least, most = min(known), max(known)
    spread = most - least
    return [0.0 if v is None or spread == 0 else (v - least) / spread for v in values]


def _arbitrate_versions(ranked: Sequence[Evidence], day: date) -> list[Evidence]:
    """Drops passages of versions that lose to another version of their family among the hits.

    Ids are those of a knowledge base: two may each have a ``handbook``, of which nothing in the other is a version.
    """
    found: dict[str, list[DocumentMetadata]] = defaultdict(list)
    for item in ranked:
        found[item.chunk.document.knowledge_base].append(item.chunk.document)
    winners = {
        (base, max(family, key=lambda d: _version_order(d, day)).document_id)
        for base, documents in found.items()
        for family in version_families(documents)
    }
    return [e for e in ranked if (e.chunk.document.knowledge_base, e.chunk.document.document_id) in winners]


def version_families(documents: Iterable[DocumentMetadata]) -> list[list[DocumentMetadata]]:
    """The documents of one knowledge base that are linked by ``supersedes``, each once."""
    by_id = {d.document_id: d for d in documents}
    families: dict[str, list[DocumentMetadata]] = defaultdict(list)
    for document in by_id.values():
        root, seen = document.document_id, {document.document_id}
        while (parent := by_id[root].supersedes if root in by_id else "") and parent not in seen:
            root = parent
            seen.add(root)
        families[root].append(document)
    return list(families.values())


def _version_order(document: DocumentMetadata, day: date) -> tuple[bool, int, date, str]:
    """In force first, then the later edition among those that had begun; never by upload.

    A document that claims to supersede one of more authority does not win over it while that is in force.
    """
    begun = document.effective_from or document.published_at or date.min
    in_force = document.in_force_on(day)
    rank = document.authority if in_force else 0
    return in_force, rank, begun if begun <= day else date.min, document.version


def _deduplicate(ranked: Sequence[Evidence], budget: ContextBudget, seated: set[str]) -> list[Evidence]:
    """Leaves out what a better passage says already; the best hits of every search keep their seats."""
    kept: list[Evidence] = []
    shingles: list[set[str]] = []
    waiting = {key for e in ranked if (key := _key(e.chunk)) in seated}
    for evidence in ranked:
        key = _key(evidence.chunk)
        if len(kept) >= budget.max_passages:
            break
        if key not in waiting and len(kept) + len(waiting) >= budget.max_passages:
            continue
        waiting.discard(key)
        words = _shingle(evidence.chunk.text)
        if any(_alike(words, other, budget.duplicate_similarity) for other in shingles):
            continue
        kept.append(evidence)
        shingles.append(words)
    return kept


def _shingle(text: str) -> set[str]:
    words = WORD.findall(text.lower())
    return {" ".join(words[i : i + 3]) for i in range(max(1, len(words) - 2))}


def _alike(a: set[str], b: set[str], similarity: float) -> bool:
    """Jaccard similarity of at least ``similarity``; sets of very unlike sizes cannot reach it."""
    small, large = sorted((len(a), len(b)))
    if small < similarity * large:
        return False
    common = len(a & b)
    return common >= similarity * (small + large - common)
