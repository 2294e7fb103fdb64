"""From a parsed question and the policy to a plan. The policy decides; this only carries it out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from services.common.domain.question import ParsedQuestion
from services.common.domain.time import TimeRelation
from services.orchestrator.domain.plan import Plan, PlanTask, RuleDecision, SearchFilters
from services.orchestrator.domain.policy import ALL_KNOWLEDGE_BASES, Policy, QuerySource, Route

Evaluate = Callable[[str, Mapping[str, Any]], bool]

# Of the contract of retrieval. English words for a long Chinese question are longer than the question.
LONGEST_QUERY = 4000


@dataclass(frozen=True, slots=True)
class PointOfView:
    """The day whose editions count, and whether others may be searched at all.

    ``strict`` filters in the store. Otherwise every edition is searched and version arbitration prefers the one
    in force on ``day``: a question about a past period may be answered by the edition of that period, or by a
    later one that tells history.
    """

    day: date | None
    strict: bool


def point_of_view(parsed: ParsedQuestion, as_of: date | None, today: date) -> PointOfView:
    """The request's day first, then a day the question names as its point of view, then a past period's end."""
    if as_of is not None:
        return PointOfView(as_of, True)
    time = parsed.time
    if time is None or time.interval.end is None:
        return PointOfView(None, True)
    if time.relation is TimeRelation.AS_OF:
        return PointOfView(time.interval.end, True)
    if time.relation in (TimeRelation.IN, TimeRelation.BETWEEN, TimeRelation.BEFORE) and time.interval.end < today:
        return PointOfView(time.interval.end, False)
    return PointOfView(None, True)


@dataclass(frozen=True, slots=True)
class PlanInputs:
    """Everything a plan depends on. ``filters`` are the caller's; ``translation`` is empty where there is none."""

    parsed: ParsedQuestion
    variables: Mapping[str, Any]
    knowledge_bases: tuple[str, ...]
    view: PointOfView
    filters: SearchFilters = SearchFilters()
    translation: str = ""


class Planner:
    """Plans rounds. ``evaluate`` runs a condition over the variables."""

    def __init__(self, evaluate: Evaluate) -> None:
        self._evaluate = evaluate

    def first_round(self, policy: Policy, inputs: PlanInputs) -> Plan:
        """The plan of round 1: the policy's routes whose conditions hold, most important first."""
        decisions: list[RuleDecision] = []
        tasks: list[PlanTask] = []
        for route in policy.routes:
            if self._decide(f"route:{route.id}", route.when, inputs.variables, decisions):
                tasks += self._route_tasks(route, inputs, decisions)
        tasks = _linked(self._overridden(policy, inputs, tasks, decisions))
        kept = _bounded(tasks, policy.limits.max_tasks)
        searched = {t.knowledge_base for t in kept}
        return Plan(
            tasks=kept,
            policy_version=policy.version,
            generation_strategy=self._strategy(policy, inputs.variables, decisions),
            decisions=tuple(decisions),
            left_out=tuple(b for b in dict.fromkeys(t.knowledge_base for t in tasks) if b not in searched),
        )

    def next_round(
        self, policy: Policy, inputs: PlanInputs, queries: Sequence[str], round_number: int, previous: Plan
    ) -> Plan:
        """A plan for exactly what is missing: each query on every knowledge base that round 1 searched."""
        bases = tuple(dict.fromkeys(t.knowledge_base for t in previous.tasks)) or inputs.knowledge_bases
        template = previous.tasks[0] if previous.tasks else None
        tasks = [
            PlanTask(
                task_id=f"r{round_number}-missing-{index}-{base}",
                route_id="missing",
                query=_fitted(query),
                knowledge_base=base,
                search=template.search if template else policy.routes[0].search,
                top_k=template.top_k if template else policy.routes[0].top_k,
                weight=template.weight if template else 1.0,
                priority=1,
                filters=template.filters if template else inputs.filters,
                rerank=template.rerank if template else False,
                reasons=("the evidence lacked this",),
            )
            for index, query in enumerate(dict.fromkeys(queries), start=1)
            for base in bases
        ]
        return Plan(_bounded(tasks, policy.limits.max_tasks), policy.version, previous.generation_strategy)

    def first_match(self, rules: Sequence[tuple[str, str]], variables: Mapping[str, Any]) -> int | None:
        """Index of the first (id, condition) that holds."""
        return next((i for i, (_, when) in enumerate(rules) if self._evaluate(when, variables)), None)

    def _route_tasks(self, route: Route, inputs: PlanInputs, decisions: list[RuleDecision]) -> Iterator[PlanTask]:
        weight, reasons = self._weight(route, inputs.variables, decisions)
        superseded = self._decide(
            f"route:{route.id}.include_superseded", route.include_superseded, inputs.variables, decisions
        )
        everything = route.knowledge_base == ALL_KNOWLEDGE_BASES
        wanted = inputs.knowledge_bases if everything else (route.knowledge_base,)
        bases = [b for b in wanted if b in inputs.knowledge_bases]
        doc_types = _narrowed(inputs.filters.doc_types, route.doc_types)
        languages = _narrowed(inputs.filters.languages, route.languages)
        if doc_types is None or languages is None:
            return
        filters = replace(
            inputs.filters,
            doc_types=doc_types,
            languages=languages,
            in_force_on=inputs.view.day if inputs.view.strict else None,
            include_superseded=superseded or not inputs.view.strict,
        )
        for number, (query, reason) in enumerate(_queries(route, inputs), start=1):
            for base in bases:
                yield PlanTask(
                    task_id=f"{route.id}-{number}-{base}" if everything else f"{route.id}-{number}",
                    route_id=route.id,
                    query=_fitted(query),
                    knowledge_base=base,
                    search=route.search,
                    top_k=route.top_k,
                    weight=weight,
                    priority=route.priority,
                    filters=filters,
                    rerank=route.rerank,
                    depends_on=(route.depends_on,) if route.depends_on else (),
                    reasons=(reason, *reasons),
                    seats=route.seats,
                )

    def _weight(
        self, route: Route, variables: Mapping[str, Any], decisions: list[RuleDecision]
    ) -> tuple[float, tuple[str, ...]]:
        weight, reasons = route.weight, []
        for index, boost in enumerate(route.boosts):
            if self._decide(f"route:{route.id}.boosts[{index}]", boost.when, variables, decisions):
                weight *= boost.multiply
                reasons.append(f"weight x {boost.multiply:g} because {boost.when}")
        return round(min(weight, 1.0), 4), tuple(reasons)

    def _overridden(
        self, policy: Policy, inputs: PlanInputs, tasks: list[PlanTask], decisions: list[RuleDecision]
    ) -> list[PlanTask]:
        for override in policy.overrides:
            if self._decide(f"override:{override.id}", override.when, inputs.variables, decisions):
                reason = f"override {override.id} because {override.when}"
                tasks = [
                    replace(
                        task,
                        search=override.search or task.search,
                        top_k=override.top_k or task.top_k,
                        rerank=task.rerank if override.rerank is None else override.rerank,
                        reasons=(*task.reasons, reason),
                    )
                    for task in tasks
                ]
        return tasks

    def _strategy(self, policy: Policy, variables: Mapping[str, Any], decisions: list[RuleDecision]) -> str:
        for index, rule in enumerate(policy.generation.strategies):
            if self._decide(f"generation.strategies[{index}]", rule.when, variables, decisions):
                return rule.use.value
        return "extractive"

    def _decide(
        self, rule_id: str, condition: str, variables: Mapping[str, Any], decisions: list[RuleDecision]
    ) -> bool:
        matched = self._evaluate(condition, variables)
        if condition not in ("true", "false"):
            decisions.append(RuleDecision(rule_id, condition, matched))
        return matched


def _fitted(query: str) -> str:
    """A query that retrieval takes; a longer one loses its last words."""
    return query if len(query) <= LONGEST_QUERY else query[:LONGEST_QUERY].rsplit(" ", 1)[0]


def _queries(route: Route, inputs: PlanInputs) -> list[tuple[str, str]]:
    """(query, why) pairs of a route, without repetition."""
    parsed = inputs.parsed
    attributes = " ".join(m.text for m in parsed.attributes)
    items: list[tuple[str, str]]
    match route.query:
        case QuerySource.QUESTION:
            return [(parsed.question, "the whole question")]
        case QuerySource.TRANSLATION:
            return [(inputs.translation, "English words for the Chinese ones")] if inputs.translation else []
        case QuerySource.BEST_PASSAGE:
            return [(parsed.question, f"the wording of the best passage of {route.depends_on}")]
        case QuerySource.EACH_ENTITY:
            items = [(m.canonical, f"entity {m.text}") for m in parsed.entities]
        case QuerySource.EACH_SIDE:
            items = [(m.canonical, f"side {m.text}") for m in parsed.sides]
        case QuerySource.EACH_CODE:
            items = [(m.canonical, f"code {m.text}") for m in parsed.codes]
        case QuerySource.EACH_PART:
            items = [(p.text, "part of the question") for p in parsed.parts] if len(parsed.parts) > 1 else []
        case QuerySource.EACH_REWRITE:
            items = [(r.text, f"{r.kind} rewriting by {r.origin.rule_id}") for r in parsed.rewrites]
    unique: dict[str, str] = {}
    for item, why in items:
        unique.setdefault(item, why)
    filled = []
    for item, why in list(unique.items())[: route.limit]:
        query = route.template.format(item=item, attributes=attributes, question=parsed.question)
        filled.append((" ".join(query.split()), why))
    return filled


def _linked(tasks: Sequence[PlanTask]) -> list[PlanTask]:
    """Route names in ``depends_on`` become the tasks of that route in the same knowledge base."""
    return [
        replace(
            task,
            depends_on=tuple(
                other.task_id
                for other in tasks
                if other.route_id in task.depends_on and other.knowledge_base == task.knowledge_base
            ),
        )
        if task.depends_on
        else task
        for task in tasks
    ]


def _bounded(tasks: Sequence[PlanTask], limit: int) -> tuple[PlanTask, ...]:
    """Most important first, the same search only once, at most ``limit``; dependents lose their place first.

    A search is made in all knowledge bases or in none: made in the first few of them, it would rank what those have
    over everything that the others have. Only the most important one is, rather than nothing, made in some.
    """
    ordered = sorted(tasks, key=lambda t: (t.priority, -t.weight))
    unique: dict[tuple[object, ...], PlanTask] = {}
    for task in ordered:
        key = (task.query, task.knowledge_base, task.search, task.filters, bool(task.depends_on))
        unique.setdefault(key, task)
    groups: dict[str, list[PlanTask]] = {}
    for task in unique.values():
        groups.setdefault(task.group, []).append(task)
    kept: list[PlanTask] = []
    for group in groups.values():
        if len(kept) + len(group) <= limit:
            kept += group
        elif not kept:
            kept = group[:limit]
    names = {t.task_id for t in kept}
    return tuple(t for t in kept if not t.depends_on or any(d in names for d in t.depends_on))


def _narrowed(asked: tuple[str, ...], route: tuple[str, ...]) -> tuple[str, ...] | None:
    """What both the caller and a route allow, empty for everything; None if there is nothing that both do."""
    if not asked or not route:
        return asked or route
    return tuple(v for v in route if v in asked) or None
