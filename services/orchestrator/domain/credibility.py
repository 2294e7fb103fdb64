"""How far a passage can be trusted, from what its document carries. Every factor is in [0, 1]."""

from __future__ import annotations

from datetime import date

from services.common.domain.document import Chunk
from services.common.domain.question import ParsedQuestion
from services.orchestrator.domain.policy import Credibility

UNDATED = 0.5
NOT_IN_FORCE = 0.2
NUMBERS_THAT_SATURATE = 0.15


def factors(chunk: Chunk, parsed: ParsedQuestion, day: date, policy: Credibility) -> dict[str, float]:
    """Recency, authority, number density, validity and source health."""
    document = chunk.document
    dated = document.updated_at or document.published_at or document.effective_from
    age_days = max(0, (day - dated).days) if dated else None
    recency = UNDATED if age_days is None else 0.5 ** (age_days / policy.recency_half_life_days)
    wants_numbers = parsed.asks_number
    density = min(1.0, chunk.number_density / NUMBERS_THAT_SATURATE) if wants_numbers else 1.0
    return {
        "recency": round(recency, 4),
        "authority": round(document.authority / 5, 4),
        "number_density": round(density, 4),
        "validity": 1.0 if document.in_force_on(day) else NOT_IN_FORCE,
        "health": round(document.content_health, 4),
    }


def combined(values: dict[str, float], policy: Credibility) -> float:
    """Weighted mean of the factors; 1 if the policy weighs none."""
    weights = {name: float(getattr(policy, name)) for name in values}
    total = sum(weights.values())
    return 1.0 if total == 0 else sum(values[n] * w for n, w in weights.items()) / total
