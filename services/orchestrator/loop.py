"""The loop of one Ask: perceive, plan, search, judge, write, validate, and answer or refuse."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

from services.common.domain.question import Action
from services.common.domain.verdict import Sufficiency
from services.common.errors import Unavailable
from services.orchestrator.domain.conflicts import open_conflicts
from services.orchestrator.domain.events import Answer, Answered, Ask, Event, Judged, Planned, Status
from services.orchestrator.domain.messages import Messages
from services.orchestrator.domain.policy import Policy, Strategy
from services.orchestrator.gather import RETRY_AFTER_SECONDS, Gatherer
from services.orchestrator.session import Deadline, Session
from services.orchestrator.write import AnswerWriter, Outcome

MAX_TITLES = 3


@dataclass(frozen=True, slots=True)
class AskLoop:
    """Answers questions. Every event is told as it happens; the last one is ``Answered``."""

    gatherer: Gatherer
    writer: AnswerWriter

    async def run(self, ask: Ask, policy: Policy, messages: Messages, seconds: float | None) -> AsyncIterator[Event]:
        """Runs one Ask within ``seconds`` (None, or more than the policy's ``max_seconds``: those).

        Raises:
            Unavailable: nothing could be searched.
            NotFound: none of the knowledge bases named exists.
        """
        session = Session(ask, policy, messages, Deadline.of_call(seconds, policy.limits))
        yield await self.gatherer.perceive(session)
        if _is_vague(session):
            yield self._end(session, self._clarification(session))
            return
        plan = self.gatherer.first_plan(session)
        strategy = Strategy.EXTRACTIVE if ask.extractive_only else Strategy(plan.generation_strategy)
        outcome = Outcome()
        judged: Judged | None = None
        while True:
            async for event in self.gatherer.rounds(session, plan):
                yield event
                if isinstance(event, Judged):
                    judged = event
                elif isinstance(event, Planned):
                    plan = event.plan
            assert judged is not None
            if judged.decision == "refuse":
                break
            async for event in self.writer.run(session, strategy, judged.sufficiency, outcome):
                yield event
            if not outcome.queries:
                break
            queries, outcome.queries = outcome.queries, ()
            plan = self.gatherer.next_plan(session, queries, plan)
        yield self._end(session, self._answer(session, judged.sufficiency, outcome))

    def _answer(self, session: Session, sufficiency: Sufficiency | None, outcome: Outcome) -> Answer:
        if outcome.withheld:
            return self._evidence_only(session)
        if outcome.draft is None or outcome.verdict is None:
            return self._refusal(session, sufficiency)
        if outcome.dropped:
            session.caution("STATEMENTS_DROPPED", count=str(outcome.dropped))
        for found in open_conflicts(sufficiency, session.evidence):
            if any(found.concerns(n, s.text) for s in outcome.draft.statements for n in s.citations):
                conflict = found.conflict
                session.caution(
                    "CONFLICTING_SOURCES", about=conflict.about, value_a=conflict.value_a, value_b=conflict.value_b
                )
        confidence = outcome.verdict.confidence
        if confidence < session.policy.limits.min_confidence:
            session.caution("LOW_CONFIDENCE")
        return Answer(
            status=Status.ANSWERED,
            text=outcome.draft.render(),
            evidence=session.evidence,
            cited=outcome.draft.cited(),
            confidence=confidence,
            verdict=outcome.verdict,
            method=outcome.method,
        )

    def _evidence_only(self, session: Session) -> Answer:
        """The verifier is down: fail closed. Evidence may be seen, written text may not."""
        text = session.messages.text(session.language, "evidence_only")
        return Answer(Status.EVIDENCE_ONLY, text, session.evidence)

    def _clarification(self, session: Session) -> Answer:
        missing = session.parsed.missing
        separator = "、" if session.language == "zh" else ", "
        text = session.messages.text(session.language, "clarification", missing=separator.join(missing))
        return Answer(Status.CLARIFICATION_NEEDED, text, missing=missing)

    def _refusal(self, session: Session, sufficiency: Sufficiency | None) -> Answer:
        """Says what was found, what is missing and whom to ask.

        Raises:
            Unavailable: a part of the documents could not be searched, so nobody knows what they say.
        """
        unsearched = sorted({o.knowledge_base for o in session.outcomes if o.unsearched})
        if unsearched:
            raise Unavailable(
                "RETRIEVAL_INCOMPLETE",
                f"what could be searched holds no answer, and {', '.join(unsearched)} could not be searched; try again",
                metadata={"knowledge_bases": ",".join(unsearched)},
                retry_after=RETRY_AFTER_SECONDS,
            )
        messages, language = session.messages, session.language
        separator = "、" if language == "zh" else ", "
        titles = list(dict.fromkeys(e.chunk.document.title or e.chunk.document.document_id for e in session.evidence))
        missing = tuple(n.description for n in sufficiency.needs if not n.covered_by) if sufficiency else ()
        contact = _contact(session)
        parts = [messages.text(language, "refusal")]
        if titles:
            parts.append(messages.text(language, "refusal_found", titles=separator.join(titles[:MAX_TITLES])))
        else:
            parts.append(messages.text(language, "refusal_found_nothing"))
        # That the whole question is unanswered is what a refusal says already.
        told = [m for text in missing if (m := text.rstrip(" ?？.。")) != session.ask.question.rstrip(" ?？.。")]
        if told:
            parts.append(messages.text(language, "refusal_missing", missing=separator.join(told)))
        if contact:
            parts.append(messages.text(language, "refusal_contact", contact=contact))
        joint = "" if language == "zh" else " "
        return Answer(Status.REFUSED, joint.join(parts), session.evidence, missing=missing, contact=contact)

    @staticmethod
    def _end(session: Session, answer: Answer) -> Answered:
        finished = replace(
            answer,
            warnings=tuple(session.cautions.values()),
            degraded=session.degraded,
            partial=session.partial,
        )
        return Answered(finished, tuple(session.timings), session.usage, session.elapsed_ms(), session.policy.version)


def _is_vague(session: Session) -> bool:
    parsed = session.parsed
    return parsed.action is Action.UNKNOWN and bool(parsed.missing)


def _contact(session: Session) -> str:
    """Whom the policy names for the knowledge base of the best passage, else its default."""
    contacts = session.policy.contacts
    base = session.evidence[0].chunk.document.knowledge_base if session.evidence else ""
    contact = contacts.get(base, contacts.get("default", ""))
    if isinstance(contact, str):
        return contact
    return contact.get(session.language) or contact.get(session.messages.default_language, "")
