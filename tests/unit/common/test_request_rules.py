"""What a request is refused for, on messages of the contracts: field, words and reason of every violation."""

from __future__ import annotations

import math

import pytest
from google.protobuf.message import Message

from services.common.request_rules import MAX_VIOLATIONS, violations
from trirag.orchestrator.v1 import orchestrator_pb2
from trirag.retrieval.v1 import retrieval_pb2

ASK = {"question": "How long is the leave?"}
TASK = {"task_id": "t", "query": "leave", "knowledge_base": "hr"}


def ask(**fields: object) -> Message:
    return orchestrator_pb2.AskRequest(**{**ASK, **fields})


def search(*tasks: dict[str, object]) -> Message:
    return retrieval_pb2.SearchRequest(tasks=[retrieval_pb2.SearchTask(**{**TASK, **task}) for task in tasks])


@pytest.mark.parametrize(
    "request_",
    [
        ask(),
        ask(question="字" * 4000),
        ask(knowledge_bases=["hr"] * 16, filter={"min_authority": 5}),
        search({}, {"top_k": 200}),
    ],
)
def test_a_request_within_the_rules_is_let_through(request_: Message) -> None:
    assert violations(request_) == []


@pytest.mark.parametrize(
    ("request_", "field", "reason", "told"),
    [
        (orchestrator_pb2.AskRequest(), "question", "REQUIRED", "is required and must not be blank"),
        (ask(question=" \n "), "question", "REQUIRED", "is required and must not be blank"),
        (ask(question="字" * 4001), "question", "TOO_LONG", "takes at most 4000 characters, has 4001"),
        (ask(request_id="a b"), "request_id", "PATTERN", "'a b' does not match [A-Za-z0-9._:-]+"),
        (ask(request_id="ok\n"), "request_id", "PATTERN", "'ok\\n' does not match [A-Za-z0-9._:-]+"),
        (ask(knowledge_bases=["hr", "../hr"]), "knowledge_bases[1]", "PATTERN", "'../hr' does not match"),
        (ask(knowledge_bases=["hr"] * 17), "knowledge_bases", "TOO_MANY_ITEMS", "takes at most 16 elements, has 17"),
        (ask(filter={"min_authority": 6}), "filter.min_authority", "TOO_LARGE", "must be at most 5, is 6"),
        (ask(filter={"min_authority": -1}), "filter.min_authority", "TOO_SMALL", "must be at least 0, is -1"),
        (search(), "tasks", "TOO_FEW_ITEMS", "needs at least 1 element(s), has 0"),
        (search({}, {"query": ""}), "tasks[1].query", "REQUIRED", "is required and must not be blank"),
        (search({"top_k": 1234567}), "tasks[0].top_k", "TOO_LARGE", "must be at most 200, is 1234567"),
        (
            search({"diversity": {"novelty": math.nan}}),
            "tasks[0].diversity.novelty",
            "NOT_A_NUMBER",
            "must be a number, is NaN",
        ),
        (search({"diversity": {"novelty": 1.5}}), "tasks[0].diversity.novelty", "TOO_LARGE", "at most 1, is 1.5"),
        (
            search({"diversity": {"novelty": math.inf}}),
            "tasks[0].diversity.novelty",
            "TOO_LARGE",
            "must be at most 1, is inf",
        ),
        (orchestrator_pb2.AskStreamRequest(), "ask", "REQUIRED", "is required"),
    ],
)
def test_a_broken_rule_is_named(request_: Message, field: str, reason: str, told: str) -> None:
    [found] = violations(request_)
    assert (found.field, found.reason) == (field, reason)
    assert told in found.description


def test_every_broken_rule_is_named_up_to_a_limit() -> None:
    assert [v.field for v in violations(ask(question="", request_id="?"))] == ["question", "request_id"]
    assert len(violations(search(*[{"query": "", "task_id": ""}] * 32))) == MAX_VIOLATIONS
