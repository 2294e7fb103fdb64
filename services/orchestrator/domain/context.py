"""Fits evidence into a token budget; heavier evidence gets more room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from services.orchestrator.domain.evidence import Evidence
from services.orchestrator.domain.policy import ContextBudget
from services.orchestrator.domain.sentences import estimate_tokens, overlap, sentences, terms


def build_context(evidence: Sequence[Evidence], question: str, budget: ContextBudget) -> tuple[Evidence, ...]:
    """At most ``max_passages`` passages whose excerpts hold at most ``max_tokens`` tokens together.

    Room is shared out by weight; what a short passage leaves over goes to the others. A passage that does not
    fit is cut to the sentences that speak of the question, in their order.
    """
    chosen = list(evidence[: budget.max_passages])
    remaining = budget.max_tokens
    weight_left = sum(e.weight for e in chosen) or 1.0
    wanted = terms(question)
    filled: list[Evidence] = []
    for item in chosen:
        share = int(remaining * item.weight / weight_left) if weight_left > 0 else remaining
        room = min(remaining, max(share, budget.min_tokens_per_passage))
        if room < budget.min_tokens_per_passage and filled:
            break
        excerpt = _excerpt(item.chunk.text, wanted, room)
        filled.append(replace(item, excerpt=excerpt))
        remaining -= estimate_tokens(excerpt)
        weight_left -= item.weight
    return tuple(filled)


def _excerpt(text: str, wanted: frozenset[str], room: int) -> str:
    if estimate_tokens(text) <= room:
        return text
    parts = sentences(text)
    ranked = sorted(range(len(parts)), key=lambda i: (-overlap(wanted, terms(parts[i].text)), i))
    kept: set[int] = set()
    used = 0
    for index in ranked:
        cost = estimate_tokens(parts[index].text)
        if used + cost <= room:
            kept.add(index)
            used += cost
    if not kept:
        return parts[ranked[0]].text
    return " ".join(parts[i].text for i in sorted(kept))
