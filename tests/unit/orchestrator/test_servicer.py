"""What a request_id promises: one answer for one question, whoever asks first."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry

from services.common.errors import InvalidInput
from services.common.identity import Identity, acting_as
from services.orchestrator.adapters.migrate import migrate
from services.orchestrator.adapters.policy_file import WatchedFile, parse_messages, parse_policy
from services.orchestrator.adapters.trace_store import TraceStore
from services.orchestrator.metrics import AskMetrics
from services.orchestrator.servicer import OrchestratorServicer
from tests.unit.orchestrator.builders import (
    CONFIG,
    FakePerception,
    FakeRetrieval,
    FakeValidation,
    FakeWriter,
    chunk,
    loop,
    parse,
    valid,
)
from trirag.orchestrator.v1 import orchestrator_pb2 as pb

QUESTION = "How many days of annual leave are there?"
LEAVE = chunk("leave#1", "There are 25 days of annual leave.", title="Leave policy")
GOOD = json.dumps({"statements": [{"text": "Annual leave is 25 days.", "sources": [1]}]})
REQUEST = pb.AskRequest(question=QUESTION, request_id="desk-1")
HANGS_AFTER_SECONDS = 10
HR = Identity("mei", ("hr",))


class Context:
    """A call without a deadline."""

    @staticmethod
    def time_remaining() -> None:
        return None


class HurriedContext:
    """A call of a caller who waits half a second."""

    @staticmethod
    def time_remaining() -> float:
        return 0.5


class GatedRetrieval(FakeRetrieval):
    """Searches only after ``release`` is set; ``entered`` tells that a search waits."""

    def __init__(self) -> None:
        super().__init__(lambda _task: (LEAVE,))
        self.entered, self.release = asyncio.Event(), asyncio.Event()

    async def search(self, tasks, timeout):
        self.entered.set()
        await self.release.wait()
        return await super().search(tasks, timeout)


@asynccontextmanager
async def serving(
    tmp_path, retrieval: FakeRetrieval, perception: FakePerception | None = None, policy: Path = CONFIG / "policy.yaml"
) -> AsyncIterator[OrchestratorServicer]:
    url = f"sqlite:///{tmp_path}/traces.db"
    migrate(url)
    registry = CollectorRegistry()
    perception = perception or FakePerception(parse(QUESTION))
    ask_loop = loop(perception, retrieval, FakeValidation(lambda _answer: valid()), FakeWriter(GOOD))
    async with TraceStore(url, 10, registry) as store:
        yield OrchestratorServicer(
            ask_loop,
            WatchedFile(policy, parse_policy),
            WatchedFile(CONFIG / "messages.yaml", parse_messages),
            store,
            AskMetrics(registry),
        )


def found() -> FakeRetrieval:
    return FakeRetrieval(lambda _task: (LEAVE,))


async def test_a_repeated_request_id_brings_the_first_answer(tmp_path):
    retrieval = found()
    async with serving(tmp_path, retrieval) as servicer:
        first = await servicer.Ask(REQUEST, Context())
        again = await servicer.Ask(REQUEST, Context())
    assert (first.replayed, again.replayed) == (False, True)
    assert (again.trace_id, len(retrieval.calls)) == (first.trace_id, 1)


async def test_of_two_calls_at_once_one_is_answered_and_the_other_gets_its_answer(tmp_path):
    retrieval = found()
    async with serving(tmp_path, retrieval) as servicer:
        both = await asyncio.gather(servicer.Ask(REQUEST, Context()), servicer.Ask(REQUEST, Context()))
    assert sorted(r.replayed for r in both) == [False, True]
    assert len({r.trace_id for r in both}) == len(retrieval.calls) == 1


async def test_a_request_id_in_use_is_refused_for_another_question(tmp_path):
    retrieval = GatedRetrieval()
    other = pb.AskRequest(question="What is the notice period?", request_id="desk-1")
    async with serving(tmp_path, retrieval) as servicer:
        running = asyncio.create_task(servicer.Ask(REQUEST, Context()))
        await retrieval.entered.wait()
        # Without the refusal this call would wait for the gate below.
        with pytest.raises(InvalidInput, match="REQUEST_ID_REUSED"):
            await asyncio.wait_for(servicer.Ask(other, Context()), HANGS_AFTER_SECONDS)
        retrieval.release.set()
        assert (await running).answer.text
        with pytest.raises(InvalidInput, match="REQUEST_ID_REUSED"):
            await servicer.Ask(other, Context())


async def test_who_waited_for_a_call_that_was_cut_off_is_answered(tmp_path):
    retrieval = GatedRetrieval()
    async with serving(tmp_path, retrieval) as servicer:
        first = asyncio.create_task(servicer.Ask(REQUEST, Context()))
        await retrieval.entered.wait()
        second = asyncio.create_task(servicer.Ask(REQUEST, Context()))
        await asyncio.sleep(0)
        retrieval.release.set()
        first.cancel()
        response = await second
    assert response.answer.text
    assert not response.replayed


async def test_an_answer_from_hidden_documents_is_not_given_again_without_the_group(tmp_path):
    retrieval = found()
    async with serving(tmp_path, retrieval) as servicer:
        with acting_as(HR):
            inside = await servicer.Ask(REQUEST, Context())
        with acting_as(Identity("mei")):
            outside = await servicer.Ask(REQUEST, Context())
    assert not outside.replayed
    assert outside.trace_id != inside.trace_id


@pytest.mark.parametrize("token", ["x", "|", "2026-11-30|t1", "2026-11-30T00:00:00|t1", "2026-11-30T00:00:00+00:00"])
async def test_a_page_token_of_ones_own_making_is_refused(tmp_path, token):
    async with serving(tmp_path, FakeRetrieval(lambda _task: (LEAVE,))) as servicer:
        await servicer.Ask(REQUEST, Context())  # what is not written yet is compared with the token, too
        with pytest.raises(InvalidInput, match="page_token"):
            await servicer.ListTraces(pb.ListTracesRequest(page_token=token), Context())


async def test_a_plan_is_explained_as_the_same_ask_would_be_planned(tmp_path):
    named = ["handbook", "handbook"]
    async with serving(tmp_path, found()) as servicer:
        explained = await servicer.ExplainPlan(
            pb.ExplainPlanRequest(question=QUESTION, knowledge_bases=named), Context()
        )
        asked = servicer.AskStream(
            pb.AskStreamRequest(ask=pb.AskRequest(question=QUESTION, knowledge_bases=named)), Context()
        )
        planned = [event.planned.plan async for event in asked if event.HasField("planned")]
    assert explained.plan == planned[0]


async def test_a_plan_is_explained_within_the_callers_deadline(tmp_path):
    perception = FakePerception(parse(QUESTION))
    async with serving(tmp_path, found(), perception) as servicer:
        await servicer.ExplainPlan(pb.ExplainPlanRequest(question=QUESTION), HurriedContext())
    assert perception.timeouts[0] <= HurriedContext.time_remaining()


async def test_a_trail_names_the_policy_that_planned_it_though_another_came_meanwhile(tmp_path):
    text = (CONFIG / "policy.yaml").read_text(encoding="utf-8")
    (policy := tmp_path / "policy.yaml").write_text(text, encoding="utf-8")
    retrieval = GatedRetrieval()
    async with serving(tmp_path, retrieval, policy=policy) as servicer:
        asked = asyncio.create_task(servicer.Ask(REQUEST, Context()))
        await retrieval.entered.wait()
        policy.write_text(text.replace("max_rounds: 2", "max_rounds: 1"), encoding="utf-8")
        assert servicer._policy.reload()
        retrieval.release.set()
        response = await asked
        record = await servicer._store.get(response.trace_id)
    assert record is not None
    assert record.policy_version == response.policy_version


async def test_trails_for_others_take_no_places_in_a_page(tmp_path):
    async with serving(tmp_path, found()) as servicer:
        first = await servicer.Ask(pb.AskRequest(question=QUESTION), Context())
        with acting_as(HR):
            for _ in range(5):
                await servicer.Ask(pb.AskRequest(question=QUESTION), Context())
        second = await servicer.Ask(pb.AskRequest(question=QUESTION), Context())
        page = await servicer.ListTraces(pb.ListTracesRequest(page_size=1), Context())
        after = await servicer.ListTraces(pb.ListTracesRequest(page_size=1, page_token=page.next_page_token), Context())
        end = await servicer.ListTraces(pb.ListTracesRequest(page_size=1, page_token=after.next_page_token), Context())
    assert [t.trace_id for t in page.traces] == [second.trace_id]
    assert [t.trace_id for t in after.traces] == [first.trace_id]
    assert (len(end.traces), end.next_page_token) == (0, "")
