"""From evidence to a verified answer: draft, validate, remedy, compose, or refuse."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from services.common.domain.verdict import Sufficiency, Verdict
from services.orchestrator.domain.compose import ComposeInputs, compose
from services.orchestrator.domain.concepts import Gloss, no_gloss
from services.orchestrator.domain.draft import Draft, DraftStatement, from_statements
from services.orchestrator.domain.events import Attempted, Event, Method, TokenUsage, Validated
from services.orchestrator.domain.focus import Focus, focused, is_telling, telling_part
from services.orchestrator.domain.growth import GrowthTexts
from services.orchestrator.domain.policy import Strategy
from services.orchestrator.domain.prompts import one_statement, read_one, read_whole, whole_answer
from services.orchestrator.domain.remedies import (
    Chances,
    Decision,
    RepairKit,
    beside_the_point,
    blocking,
    decide,
    feedback,
    repaired,
    retrieval_queries,
    unanswered,
)
from services.orchestrator.ports import PartUnavailable, Validation, Writer
from services.orchestrator.session import Session

GROWTH_MESSAGES = ("growth_up", "growth_down", "quarter", "year")
# Quote; quote what was missing instead; quote it as well and say what cannot be found.
MOST_COMPOSITIONS = 3
# Most of the time left that one writing attempt may take.
WRITING_SHARE = 0.6


@dataclass
class Outcome:
    """How writing ended; filled in by :meth:`AnswerWriter.run`. ``decision``: on the last draft that was judged."""

    draft: Draft | None = None
    verdict: Verdict | None = None
    method: Method = Method.NONE
    withheld: bool = False
    queries: tuple[str, ...] = ()
    attempts: int = 0
    dropped: int = 0
    unanswered: tuple[str, ...] = ()
    problems: Sequence[str] = field(default_factory=tuple)
    decision: Decision | None = None


@dataclass(frozen=True, slots=True)
class AnswerWriter:
    """Writes with the language model as the strategy says, else from quotations."""

    writer: Writer
    validation: Validation
    gloss: Gloss = no_gloss

    async def run(
        self, session: Session, strategy: Strategy, sufficiency: Sufficiency | None, outcome: Outcome
    ) -> AsyncIterator[Event]:
        """Tries the model within its attempts, then the composer. ``outcome.queries`` asks for another round."""
        limits = session.policy.limits
        while strategy is not Strategy.EXTRACTIVE and outcome.attempts < limits.max_attempts:
            if session.deadline.remaining(limits.reserve_seconds) <= 0:
                session.partial = True
                session.caution("DEADLINE_NEAR")
                break
            outcome.attempts += 1
            draft, error = await self._generate(session, strategy, outcome)
            text = draft.render() if draft else ""
            yield Attempted(outcome.attempts, Method.GENERATED, strategy.value, text, error)
            if draft is None:
                break
            sure = session.policy.generation.per_evidence_min_confidence if strategy is Strategy.PER_EVIDENCE else 0.0
            async for event in self._judge(session, draft, Method.GENERATED, limits.max_attempts, outcome, sure):
                yield event
            if outcome.draft is not None or outcome.withheld or outcome.queries:
                return
            if outcome.decision is Decision.COMPOSE:  # another attempt has nothing to mend
                break
        async for event in self._compose(session, sufficiency, outcome):
            yield event

    async def _compose(
        self, session: Session, sufficiency: Sufficiency | None, outcome: Outcome
    ) -> AsyncIterator[Event]:
        """Quotes; what the verdict finds unanswered is quoted instead, then as well and said to be missing."""
        draft = Draft(())
        for tries in range(MOST_COMPOSITIONS):
            outcome.attempts += 1
            with session.stage("compose", outcome.attempts):
                better = self._composition(session, sufficiency, outcome.unanswered, tries)
            if better == draft or not better.claims:
                return
            draft = better
            yield Attempted(outcome.attempts, Method.EXTRACTIVE, Strategy.EXTRACTIVE.value, draft.render())
            async for event in self._judge(session, draft, Method.EXTRACTIVE, outcome.attempts, outcome):
                yield event
            if outcome.draft is not None or outcome.withheld or outcome.queries or not outcome.unanswered:
                return

    def _composition(
        self, session: Session, sufficiency: Sufficiency | None, unanswered: tuple[str, ...], tries: int
    ) -> Draft:
        text, language = session.messages.text, session.language
        draft = compose(
            ComposeInputs(
                session.parsed,
                session.evidence,
                sufficiency,
                session.policy.generation.max_statements,
                text(language, "conflict_lead_in"),
                session.day,
                self.gloss,
                unanswered,
                tuple(session.successors_of),
                tries == 1,
                {
                    known: GrowthTexts(*(session.messages.template(known, n) for n in GROWTH_MESSAGES))
                    for known in session.messages.languages
                },
            )
        )
        if tries <= 1 or not draft.claims:
            return draft
        declined = tuple(DraftStatement(text(language, "part_not_found", part=part)) for part in unanswered)
        return Draft((*draft.statements, *declined))

    async def _judge(
        self, session: Session, draft: Draft, method: Method, max_attempts: int, outcome: Outcome, sure: float = 0.0
    ) -> AsyncIterator[Event]:
        """Validates a draft, and once more after a repair; sets the outcome if something can be accepted.

        A valid draft that the verifier is less than ``sure`` of is put aside for quotations.
        """
        limits = session.policy.limits
        kit = RepairKit(
            [e.chunk.text for e in session.evidence], session.messages.text(session.language, "conflict_lead_in")
        )
        repaired_once = False
        while True:
            verdict = await self._validate(session, draft, outcome)
            if verdict is None:
                outcome.withheld = True
                yield Validated(outcome.attempts, None, Decision.WITHHOLD.value)
                return
            in_time = session.deadline.remaining(limits.reserve_seconds) > limits.reserve_seconds
            rounds = limits.max_rounds - session.rounds if in_time else 0
            chances = Chances(rounds, max_attempts - outcome.attempts, repaired_once)
            decision = decide(draft, verdict, chances, kit)
            if method is Method.EXTRACTIVE and decision in (Decision.REGENERATE, Decision.COMPOSE):
                decision = Decision.REFUSE
            if method is Method.EXTRACTIVE and decision is Decision.ACCEPT and beside_the_point(verdict):
                decision = Decision.REFUSE
            if decision is Decision.ACCEPT and verdict.confidence < sure:
                decision = Decision.COMPOSE
            outcome.decision = decision
            yield Validated(outcome.attempts, verdict, decision.value)
            if decision is Decision.REPAIR:
                better = repaired(draft, verdict, kit)
                assert better is not None
                outcome.dropped = max(0, draft.claims - better.claims)
                draft, repaired_once = better, True
                continue
            break
        if decision is Decision.ACCEPT:
            outcome.draft, outcome.verdict, outcome.method = draft, verdict, method
            return
        outcome.dropped = 0
        outcome.problems = feedback(verdict)
        if method is Method.EXTRACTIVE:
            # What the model left out the quotations may have anyhow.
            outcome.unanswered = tuple(dict.fromkeys((*outcome.unanswered, *unanswered(verdict))))
        if decision is Decision.RETRIEVE:
            outcome.queries = retrieval_queries(verdict)
        if method is Method.GENERATED:
            kinds = sorted({i.type.value for i in blocking(verdict)}) or ["LOW_CONFIDENCE"]
            session.caution("DRAFT_REJECTED", issues=", ".join(kinds))

    async def _validate(self, session: Session, draft: Draft, outcome: Outcome) -> Verdict | None:
        with session.stage("validate", outcome.attempts):
            assert session.inputs is not None
            view = session.inputs.view
            try:
                return await self.validation.validate_answer(
                    session.ask.question,
                    session.parsed,
                    draft.render(),
                    [e.chunk for e in session.evidence],
                    session.ask.as_of or (view.day if view.strict else None),
                    session.deadline.bounded(session.policy.limits.call_timeout_seconds),
                )
            except PartUnavailable as error:
                session.caution("VALIDATION_UNAVAILABLE", degraded=True, reason=error.reason)
                return None

    async def _generate(self, session: Session, strategy: Strategy, outcome: Outcome) -> tuple[Draft | None, str]:
        """A draft, or None with the reason in words."""
        with session.stage("generate", outcome.attempts):
            try:
                if strategy is Strategy.WHOLE:
                    draft = await self._whole(session, outcome.problems)
                else:
                    draft = await self._per_evidence(session, outcome.problems)
            except PartUnavailable as error:
                session.caution("LLM_UNAVAILABLE", degraded=True, reason=error.reason)
                return None, str(error)
            except ValueError as error:
                return None, str(error)
        return (draft, "") if draft.claims else (None, "the model found no answer in the sources")

    async def _whole(self, session: Session, problems: Sequence[str]) -> Draft:
        generation = session.policy.generation
        prompt = whole_answer(
            session.ask.question, session.evidence, session.language, generation.max_statements, problems
        )
        reply, usage = await self.writer.complete(
            prompt, generation.max_tokens, generation.temperature, self._timeout(session)
        )
        session.usage = session.usage + usage
        return from_statements(read_whole(reply), len(session.evidence), generation.max_statements)

    async def _per_evidence(self, session: Session, problems: Sequence[str]) -> Draft:
        """One call for each chosen passage, at once; a passage whose call fails is left out."""
        generation = session.policy.generation
        chosen = focused(session.parsed, session.evidence, self.gloss, session.day, generation.per_evidence_passages)
        replies = await asyncio.gather(*(self._one(session, f, problems) for f in chosen), return_exceptions=True)
        pairs: list[tuple[str, list[int]]] = []
        for focus, reply in zip(chosen, replies, strict=True):
            if isinstance(reply, tuple):
                session.usage = session.usage + reply[1]
                told = telling_part(reply[0], focus, self.gloss) if is_telling(reply[0], focus, self.gloss) else ""
                if told:
                    pairs.append((told, [focus.number]))
        failures = [r for r in replies if isinstance(r, BaseException)]
        unexpected = [f for f in failures if not isinstance(f, (PartUnavailable, ValueError))]
        if unexpected or len(failures) == len(chosen):
            raise (unexpected or failures or [ValueError("no passage speaks of the question")])[0]
        return from_statements(pairs, len(session.evidence), generation.max_statements)

    async def _one(self, session: Session, focus: Focus, problems: Sequence[str]) -> tuple[str, TokenUsage]:
        generation = session.policy.generation
        prompt = one_statement(focus.question, focus.evidence, session.language, problems)
        reply, usage = await self.writer.complete(
            prompt, generation.max_tokens, generation.temperature, self._timeout(session)
        )
        return read_one(reply), usage

    @staticmethod
    def _timeout(session: Session) -> float:
        """A model that hangs must leave time to quote and to verify."""
        remaining = session.deadline.remaining(session.policy.limits.reserve_seconds)
        return session.deadline.bounded(min(session.policy.generation.timeout_seconds, remaining * WRITING_SHARE))
