"""From the question to evidence: perceive, plan, search, fuse, judge, and search again for what is missing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import date

from services.common.domain.verdict import Sufficiency
from services.common.errors import NotFound, Unavailable
from services.orchestrator.domain.concepts import Gloss, no_gloss, translation
from services.orchestrator.domain.context import build_context
from services.orchestrator.domain.events import Event, Judged, Parsed, Planned, Searched
from services.orchestrator.domain.evidence import RouteOutcome
from services.orchestrator.domain.followup import resolved
from services.orchestrator.domain.fusion import FusionPolicy, fuse
from services.orchestrator.domain.messages import Reason
from services.orchestrator.domain.plan import Plan, PlanTask
from services.orchestrator.domain.planner import PlanInputs, Planner, point_of_view
from services.orchestrator.domain.question_text import unparsed
from services.orchestrator.domain.variables import question_variables, with_sufficiency
from services.orchestrator.ports import PartUnavailable, Perception, Retrieval, Validation
from services.orchestrator.session import Session

RETRY_AFTER_SECONDS = 2.0
MAX_MISSING_QUERIES = 4


@dataclass(frozen=True, slots=True)
class Gatherer:
    """Runs the first half of the loop on a session."""

    planner: Planner
    perception: Perception
    retrieval: Retrieval
    validation: Validation
    llm_model: str
    gloss: Gloss = no_gloss

    async def perceive(self, session: Session) -> Parsed:
        """Parses the question; with perception down the raw question is searched and the answer marked."""
        ask, limits = session.ask, session.policy.limits
        degraded = False
        reason: Reason | None = None
        with session.stage("perceive"):
            try:
                timeout = session.deadline.bounded(limits.call_timeout_seconds)
                # "Today" in the question is the day it is asked about.
                parsed = await self.perception.parse(ask.question, ask.as_of or ask.today, ask.time_zone, timeout)
            except PartUnavailable as error:
                degraded, reason = True, error.reason
                parsed = unparsed(ask.question, ask.as_of or ask.today)
        bases = await self._knowledge_bases(session)
        variables = question_variables(parsed, bases, degraded, "" if ask.extractive_only else self.llm_model)
        view = point_of_view(parsed, ask.as_of, ask.today)
        session.inputs = PlanInputs(parsed, variables, bases, view, ask.filters, translation(ask.question, self.gloss))
        if degraded:
            session.caution("DEGRADED_PERCEPTION", degraded=True, reason=reason)
        return Parsed(None if degraded else parsed, degraded)

    async def _knowledge_bases(self, session: Session) -> tuple[str, ...]:
        if session.ask.knowledge_bases:
            return session.ask.knowledge_bases
        try:
            timeout = session.deadline.bounded(session.policy.limits.call_timeout_seconds)
            return await self.retrieval.knowledge_bases(timeout)
        except PartUnavailable as error:
            raise _no_retrieval(error.detail) from None

    async def rounds(self, session: Session, plan: Plan) -> AsyncIterator[Event]:
        """Searches what a plan says, then as many rounds as the policy allows while something is missing."""
        while True:
            async for event in self.search(session, plan):
                yield event
            judged = await self.judge(session)
            yield judged
            if judged.decision != "search_again":
                return
            plan = self.next_plan(session, missing_queries(judged.sufficiency), plan)

    def first_plan(self, session: Session) -> Plan:
        """The plan of round 1; a knowledge base that it has no room for is named."""
        assert session.inputs is not None
        with session.stage("plan"):
            plan = self.planner.first_round(session.policy, session.inputs)
        if plan.left_out:
            most = str(session.policy.limits.max_tasks)
            session.caution("NOT_SEARCHED", most=most, knowledge_bases=", ".join(plan.left_out))
        return plan

    def next_plan(self, session: Session, queries: Sequence[str], previous: Plan) -> Plan:
        """The plan of the round after those that were searched, for exactly these queries."""
        assert session.inputs is not None
        number = session.rounds + 1
        with session.stage("plan", number):
            return self.planner.next_round(session.policy, session.inputs, queries, number, previous)

    async def search(self, session: Session, plan: Plan) -> AsyncIterator[Event]:
        """Runs a plan stage by stage and fuses what it brings with the rounds before.

        Raises:
            Unavailable: nothing could be searched and no earlier round brought evidence.
            NotFound: every knowledge base named does not exist or may not be read.
        """
        session.rounds += 1
        yield Planned(session.rounds, plan)
        outcomes: list[RouteOutcome] = []
        codes = [m.canonical for m in session.parsed.codes]
        for stage in plan.stages():
            tasks, places = resolved(stage, outcomes, codes)
            session.successors_of += dict.fromkeys(places)
            outcomes += await self._search_stage(session, tasks)
        session.outcomes += outcomes
        self._report_gaps(session, outcomes)
        with session.stage("fuse", session.rounds):
            self._fuse(session, plan)
        yield Searched(session.rounds, tuple(outcomes), session.evidence)

    async def _search_stage(self, session: Session, tasks: Sequence[PlanTask]) -> list[RouteOutcome]:
        if not tasks:
            return []
        limits = session.policy.limits
        with session.stage("search", session.rounds):
            try:
                timeout = session.deadline.bounded(limits.search_timeout_seconds, limits.reserve_seconds)
                return await self.retrieval.search(tasks, timeout)
            except PartUnavailable as error:
                return [
                    RouteOutcome(
                        t.task_id, t.knowledge_base, t.weight, _status(error.reason), error.detail, group=t.group
                    )
                    for t in tasks
                ]

    def _report_gaps(self, session: Session, outcomes: Sequence[RouteOutcome]) -> None:
        """Names every route that brought nothing because it could not; refuses if none could."""
        if outcomes and not any(o.ok for o in outcomes) and not session.evidence:
            if all(o.status == "NOT_FOUND" for o in outcomes):
                names = sorted({o.knowledge_base for o in outcomes})
                raise NotFound(
                    "KNOWLEDGE_BASE_NOT_FOUND",
                    f"there is no knowledge base {', '.join(names)}, or you may not read it; "
                    "`trirag kb list` shows those there are",
                    metadata={"knowledge_bases": ",".join(names)},
                )
            raise _no_retrieval(next(o.message for o in outcomes if not o.ok))
        for outcome in outcomes:
            if outcome.status == "NOT_FOUND":
                session.caution("UNKNOWN_KNOWLEDGE_BASE", knowledge_base=outcome.knowledge_base)
            elif not outcome.ok:
                session.caution(
                    "ROUTE_UNAVAILABLE",
                    degraded=True,
                    knowledge_base=outcome.knowledge_base,
                    reason=_STATUS_REASONS.get(outcome.status, Reason.FAILED),
                )

    def _fuse(self, session: Session, plan: Plan) -> None:
        assert session.inputs is not None
        policy, view = session.policy, session.inputs.view
        keep = any(t.filters.include_superseded for t in plan.tasks) and view.strict
        ranked = fuse(
            session.outcomes,
            session.parsed,
            view.day or session.ask.today,
            FusionPolicy(policy.context, policy.credibility),
            keep_versions=keep,
        )
        session.evidence = build_context(ranked, session.ask.question, policy.context)

    async def judge(self, session: Session) -> Judged:
        """Asks whether the evidence suffices; the policy's rules turn the judgement into a decision."""
        sufficiency: Sufficiency | None = None
        limits = session.policy.limits
        with session.stage("sufficiency", session.rounds):
            try:
                sufficiency = await self.validation.check_sufficiency(
                    session.ask.question,
                    session.parsed,
                    [e.chunk for e in session.evidence],
                    self._as_of(session),
                    session.deadline.bounded(limits.call_timeout_seconds, limits.reserve_seconds),
                )
            except PartUnavailable as error:
                session.caution("DEGRADED_SUFFICIENCY", degraded=True, reason=error.reason)
        return Judged(session.rounds, sufficiency, self._decision(session, sufficiency))

    def _decision(self, session: Session, sufficiency: Sufficiency | None) -> str:
        assert session.inputs is not None
        if not session.evidence:
            return "refuse"
        if sufficiency is None:
            return "answer"
        limits = session.policy.limits
        variables = with_sufficiency(
            session.inputs.variables, sufficiency, len(session.evidence), session.rounds, limits.max_rounds
        )
        rules = session.policy.sufficiency
        chosen = self.planner.first_match([(r.id, r.when) for r in rules], variables)
        decision = rules[chosen].then if chosen is not None else "answer"
        searchable = session.rounds < limits.max_rounds and bool(missing_queries(sufficiency))
        if decision == "search_again" and not (searchable and session.deadline.remaining(limits.reserve_seconds) > 0):
            # The rule wants what cannot be had: go on to the first rule that does not ask for another round.
            rest = [r for r in rules if r.then != "search_again"]
            chosen = self.planner.first_match([(r.id, r.when) for r in rest], variables)
            decision = rest[chosen].then if chosen is not None else "answer"
        return decision

    @staticmethod
    def _as_of(session: Session) -> date | None:
        assert session.inputs is not None
        return session.ask.as_of or (session.inputs.view.day if session.inputs.view.strict else None)


def missing_queries(sufficiency: Sufficiency | None) -> tuple[str, ...]:
    """Ready-made searches for what is missing, without repetition."""
    if sufficiency is None:
        return ()
    found = dict.fromkeys(q for n in sufficiency.needs if not n.covered_by for q in n.queries if q.strip())
    return tuple(found)[:MAX_MISSING_QUERIES]


_STATUS_REASONS = {"UNAVAILABLE": Reason.UNAVAILABLE, "TIMEOUT": Reason.TIMEOUT}


def _status(reason: Reason) -> str:
    """A search call that failed as a whole, as the status of each of its tasks."""
    return "TIMEOUT" if reason is Reason.TIMEOUT else "UNAVAILABLE"


def _no_retrieval(reason: str) -> Unavailable:
    return Unavailable(
        "RETRIEVAL_UNAVAILABLE",
        f"the documents cannot be searched ({reason}); nothing is answered from a model's memory; try again",
        retry_after=RETRY_AFTER_SECONDS,
    )
