"""What an operator watches about answers."""

from __future__ import annotations

from prometheus_client import REGISTRY, CollectorRegistry, Counter, Histogram

from services.orchestrator.domain.events import Answered, Event, Validated

# Stages that wait for another service; the rest of an Ask is the orchestrator's own time.
WAITING = frozenset({"perceive", "search", "sufficiency", "generate", "validate"})
OWN_BUCKETS = (0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.025, 0.05, 0.1, 0.25)


class AskMetrics:
    """Answers by status and method, verdicts on drafts, own time."""

    def __init__(self, registry: CollectorRegistry = REGISTRY) -> None:
        self._answers = Counter(
            "trirag_answers_total",
            "Answers by status, method and degradation.",
            ("status", "method", "degraded"),
            registry=registry,
        )
        self._verdicts = Counter(
            "trirag_draft_verdicts_total",
            "What was done about each verdict on a draft.",
            ("decision",),
            registry=registry,
        )
        self._own = Histogram(
            "trirag_ask_own_seconds",
            "An Ask's time minus the calls it waits for.",
            registry=registry,
            buckets=OWN_BUCKETS,
        )
        self._tokens = Counter("trirag_llm_tokens_total", "Tokens by kind.", ("kind",), registry=registry)

    def observe(self, event: Event) -> None:
        """Counts one event."""
        if isinstance(event, Validated):
            self._verdicts.labels(event.decision).inc()
        elif isinstance(event, Answered):
            answer = event.answer
            self._answers.labels(answer.status.value, answer.method.value, str(answer.degraded).lower()).inc()
            self._own.observe(own_ms(event) / 1000)
            self._tokens.labels("prompt").inc(event.usage.prompt_tokens)
            self._tokens.labels("completion").inc(event.usage.completion_tokens)


def own_ms(answered: Answered) -> float:
    """Milliseconds of an Ask that were not spent waiting for another service."""
    waited = sum(t.duration_ms for t in answered.timings if t.stage in WAITING)
    return max(0.0, answered.latency_ms - waited)
