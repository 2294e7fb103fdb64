"""The second opinion over HTTP: who is asked, how often, what a vote does, and what a broken server does not."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from services.common.config_file import ConfigError
from services.common.domain.document import Chunk, DocumentMetadata
from services.common.domain.verdict import Verdict
from services.common.offload import BlockingPool
from services.validation.adapters.config import (
    DEFAULT_DIRECTORY,
    default_config,
    load_judge_policy,
    load_similarity_policy,
)
from services.validation.adapters.config_files import JudgePolicy, SimilarityPolicy
from services.validation.adapters.second_opinion import SecondOpinion
from services.validation.adapters.similarity import EmbeddingSimilarity, similarity_of
from services.validation.domain.config import ValidationConfig
from services.validation.servicer import ValidationServicer
from services.validation.validator import validate_answer
from tests.loopback import LoopbackServer, Request
from trirag.common.v1 import types_pb2
from trirag.validation.v1 import validation_pb2

TODAY = date(2026, 11, 30)
PUMP = Chunk("c1", DocumentMetadata("d1", title="Pump P-7"), "Pump P-7 delivers 35 litres per minute.")
ANSWER = "Pump P-7 delivers 35 litres per minute [1]."
Reply = Callable[[dict[str, Any]], tuple[int, bytes]]


class MockModelServer(LoopbackServer):
    """A small HTTP server on loopback that answers as told and keeps what it was asked."""

    def __init__(self, reply: Reply) -> None:
        self.asked: list[tuple[str, dict[str, Any], str]] = []
        asked = self.asked

        def answer(request: Request) -> tuple[int, bytes]:
            body = json.loads(request.body)
            asked.append((request.path, body, request.headers.get("Authorization", "")))
            return reply(body)

        super().__init__(answer)


def says(supported: bool) -> Reply:
    """A chat completion with some talk around its JSON, as small models write it."""
    content = f"Here is my verdict: {json.dumps({'supported': supported})} Done."
    return lambda _: (200, json.dumps({"choices": [{"message": {"content": content}}]}).encode())


def content_of(text: str) -> Reply:
    return lambda _: (200, json.dumps({"choices": [{"message": {"content": text}}]}).encode())


def chat(url: str, **more: Any) -> JudgePolicy:
    return JudgePolicy(kind="openai", url=f"{url}/v1", model="judge", **more)


def grey(reject: float = 0.0, accept: float = 1.01) -> ValidationConfig:
    """Every confidence from ``reject`` to below ``accept`` is grey."""
    config = default_config()
    return replace(config, support=replace(config.support, thresholds={"reject": reject, "accept": accept}))


def judged(config: ValidationConfig, answer: str = ANSWER) -> Verdict:
    return validate_answer("What does pump P-7 deliver?", None, answer, (PUMP,), None, TODAY, config)


def review(policy: JudgePolicy, config: ValidationConfig, answer: str = ANSWER, key: str = "") -> Verdict:
    opinion = SecondOpinion.of(policy, key)
    assert opinion is not None
    return opinion.review(judged(config, answer), (PUMP,), config)


def test_the_shipped_policy_asks_nobody() -> None:
    assert load_judge_policy().kind == "off"
    assert load_similarity_policy().kind == "off"
    assert SecondOpinion.of(load_judge_policy(), "key") is None
    assert similarity_of(load_similarity_policy(), "key") is None
    assert default_config().similarity is None


def test_a_chat_model_is_asked_with_the_texts_as_data_and_its_vote_is_shown() -> None:
    with MockModelServer(says(False)) as mock:
        verdict = review(chat(mock.url), grey(), key="secret")
    (path, body, authorization) = mock.asked[0]
    assert (path, authorization, body["model"], body["temperature"]) == (
        "/v1/chat/completions", "Bearer secret", "judge", 0,
    )  # fmt: skip
    assert json.loads(body["messages"][1]["content"]) == {"passage": PUMP.text, "statement": ANSWER}
    assert verdict.valid
    assert [(i.check_id, i.severity.value) for i in verdict.issues] == [("second_opinion", "warn")]
    votes = [c for c in verdict.statements[0].evidence[0].contributions if c.feature == "second_opinion"]
    assert [(vote.value, vote.weight) for vote in votes] == [(0.0, 0.5)]
    assert verdict.confidence == pytest.approx(judged(grey()).statements[0].confidence / 2)


def test_a_vote_for_support_raises_the_statement_and_warns_of_nothing() -> None:
    with MockModelServer(says(True)) as mock:
        verdict = review(chat(mock.url), grey())
    assert not verdict.issues
    assert verdict.statements[0].confidence == pytest.approx((judged(grey()).statements[0].confidence + 1) / 2)


def test_an_entailment_endpoint_gets_premise_and_hypothesis() -> None:
    with MockModelServer(lambda _: (200, b'{"entailment": 0.25}')) as mock:
        verdict = review(JudgePolicy(kind="nli", url=f"{mock.url}/nli"), grey())
    assert mock.asked[0][:2] == ("/nli", {"premise": PUMP.text, "hypothesis": ANSWER})
    assert [i.check_id for i in verdict.issues] == ["second_opinion"]


@pytest.mark.parametrize(("reject", "accept"), [(0.999, 1.01), (0.0, 0.001)], ids=["below the zone", "above the zone"])
def test_only_the_grey_zone_is_asked(reject: float, accept: float) -> None:
    confidence = judged(grey()).statements[0].confidence
    assert 0.001 < confidence < 0.999
    with MockModelServer(says(False)) as mock:
        opinion = SecondOpinion.of(chat(mock.url), "")
        assert opinion is not None
        verdict = judged(grey())
        assert opinion.review(verdict, (PUMP,), grey(reject, accept)) == verdict
    assert mock.asked == []


def test_blocked_statements_and_uncited_ones_are_not_asked_about() -> None:
    answer = "Pump P-7 delivers 95 litres per minute [1]. Pump P-7 is blue."
    with MockModelServer(says(True)) as mock:
        verdict = review(chat(mock.url), grey(), answer)
    assert mock.asked == []
    assert not verdict.valid


def test_the_budget_goes_to_the_least_certain() -> None:
    answer = f"{ANSWER} The unit P-7 delivers 35 litres per minute to users [1]. P-7 delivers 35 litres [1]."
    config = grey()
    config = replace(config, checks=dict.fromkeys(config.checks, "off"))
    order = sorted(judged(config, answer).statements, key=lambda s: s.confidence)
    with MockModelServer(says(True)) as mock:
        review(chat(mock.url, budget=2), config, answer)
    asked = [json.loads(body["messages"][1]["content"])["statement"] for _, body, _ in mock.asked]
    assert asked == [s.text for s in order[:2]]


def test_no_vote_is_begun_when_the_time_of_the_request_is_over() -> None:
    ticks = iter([0.0, 0.5, 2.5, 2.6])
    given: list[float] = []

    class Slow:
        def vote(self, statement: str, passage: str, timeout: float) -> float:
            given.append(timeout)
            return 1.0

    answer = f"{ANSWER} P-7 delivers 35 litres [1]. Pump P-7 delivers litres [1]."
    config = replace(grey(), checks=dict.fromkeys(default_config().checks, "off"))
    opinion = SecondOpinion(Slow(), budget=3, timeout=1.9, total=2.0, clock=lambda: next(ticks))
    opinion.review(judged(config, answer), (PUMP,), config)
    assert given == [1.5]


@pytest.mark.parametrize(
    "reply",
    [
        lambda _: (500, b"down"),
        lambda _: (200, b"not json"),
        lambda _: (200, b'{"choices": []}'),
        lambda _: (200, b'{"choices": [{"message": {"content": "yes"}}]}'),
        lambda _: (200, b"[]"),
        lambda _: (200, b"[" * 100_000),
        lambda _: (200, b"null"),
        lambda _: (302, b""),
        content_of('{"supported": "perhaps"}'),
        content_of("{}"),
        content_of('{"supported":' + "[" * 100_000 + "}"),
    ],
    ids=["error", "no json", "no choice", "no verdict", "a list", "deep", "null", "elsewhere", "no vote", "empty",
         "deep vote"],
)  # fmt: skip
def test_a_broken_judge_changes_nothing(reply: Reply) -> None:
    with MockModelServer(reply) as mock:
        assert review(chat(mock.url), grey()) == judged(grey())
    assert len(mock.asked) == 1


@pytest.mark.parametrize("entailment", ["NaN", "1e400", "-1", "97", "null", '"yes"'])
def test_what_is_no_probability_is_no_vote(entailment: str) -> None:
    with MockModelServer(lambda _: (200, f'{{"entailment": {entailment}}}'.encode())) as mock:
        policy = JudgePolicy(kind="nli", url=f"{mock.url}/check")
        assert review(policy, grey()) == judged(grey())
    assert len(mock.asked) == 1


@pytest.mark.parametrize(
    "reply",
    [b"HTTP/1.1 200 OK\r\n\r\n" + b" " * 500, b"HTTP/1.1 200 OK\r\nX: " + b"y" * 500],
    ids=["a body in drops", "a header in drops"],
)
def test_the_time_of_a_vote_is_that_of_the_whole_reply(reply: bytes) -> None:
    """Each drop comes in time; a limit on each of them would wait for all."""
    sent: list[int] = []
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def trickle() -> None:
            connection, _ = server.accept()
            with connection, contextlib.suppress(OSError):
                for drop in reply:
                    if over.wait(0.01):
                        return
                    connection.sendall(bytes([drop]))
                    sent.append(drop)

        thread = threading.Thread(target=trickle, daemon=True)
        thread.start()
        policy = chat(f"http://127.0.0.1:{server.getsockname()[1]}", timeout_ms=150)
        assert review(policy, grey()) == judged(grey())
        assert len(sent) < len(reply)
        over.set()
        thread.join()


def test_an_absent_judge_changes_nothing() -> None:
    with MockModelServer(says(True)) as mock:
        url = mock.url
    assert review(chat(url), grey()) == judged(grey())


def test_the_service_shows_the_vote() -> None:
    request = validation_pb2.ValidateAnswerRequest(
        question="What does pump P-7 deliver?",
        answer=ANSWER,
        chunks=[types_pb2.Chunk(chunk_id="c1", document=types_pb2.DocumentMetadata(document_id="d1"), text=PUMP.text)],
    )
    pool = BlockingPool(1, "validate")
    try:
        with MockModelServer(says(False)) as mock:
            servicer = ValidationServicer(grey(), pool, SecondOpinion.of(chat(mock.url), ""))
            response = asyncio.run(servicer.ValidateAnswer(request, None))  # type: ignore[arg-type]
    finally:
        pool.close()
    features = [c.feature for c in response.verdict.statements[0].evidence[0].contributions]
    assert "second_opinion" in features
    assert response.verdict.valid


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ('judge: {kind: "openai", url: "", model: m}', "judge: url: '' is no http address"),
        ('judge: {kind: "openai", url: "http://x/v1"}', "model: is empty"),
        ('judge: {kind: "nli", url: "ftp://x"}', "is no http address"),
        ('similarity: {kind: "openai", url: "http://x/v1"}', "model: is empty"),
    ],
)
def test_a_judge_that_cannot_be_reached_stops_the_start(tmp_path: Path, entry: str, words: str) -> None:
    shipped = (DEFAULT_DIRECTORY / "policy.yaml").read_text(encoding="utf-8")
    (tmp_path / "policy.yaml").write_text(shipped.split("\n# Statements whose support")[0] + f"\n{entry}\n")
    with pytest.raises(ConfigError, match=words.replace("(", r"\(")):
        load_judge_policy(tmp_path)


# --- embedding similarity ----------------------------------------------------------------------------------------


def test_an_embedding_server_adds_a_feature_to_the_support_score() -> None:
    def embed(body: dict[str, Any]) -> tuple[int, bytes]:
        # Vectors out of order, as the contract allows: the index says which is whose.
        rows = [{"index": i, "embedding": [1.0, 0.1 * i]} for i, _ in enumerate(body["input"])]
        return 200, json.dumps({"data": rows[::-1]}).encode()

    with MockModelServer(embed) as mock:
        near = similarity_of(SimilarityPolicy(kind="openai", url=f"{mock.url}/v1", model="e5"), "secret")
        verdict = judged(replace(default_config(), similarity=near))
    assert [(path, body["input"], key) for path, body, key in mock.asked] == [
        ("/v1/embeddings", ["Pump P-7 delivers 35 litres per minute."], "Bearer secret"),
        ("/v1/embeddings", [PUMP.text], "Bearer secret"),
    ]
    shown = {c.feature: c.value for c in verdict.statements[0].evidence[0].contributions}
    assert shown["similarity"] == pytest.approx(1.0)
    assert "similarity" not in {c.feature for c in judged(default_config()).statements[0].evidence[0].contributions}


def test_without_vectors_the_score_is_the_one_without_similarity() -> None:
    with MockModelServer(lambda _: (503, b"busy")) as mock:
        near = similarity_of(SimilarityPolicy(kind="openai", url=f"{mock.url}/v1", model="e5"), "")
        assert judged(replace(default_config(), similarity=near)) == judged(default_config())


def test_similarity_is_the_best_cosine_stretched() -> None:
    vectors = {"s": [1.0, 0.0], "near": [0.85, (1 - 0.85**2) ** 0.5], "far": [0.0, 1.0]}
    near = EmbeddingSimilarity(lambda texts, _: [vectors[t] for t in texts])
    assert near.best("s", ["far", "near"]) == pytest.approx(0.5)
    assert near.best("s", ["far"]) == 0.0
    assert near.best("s", []) is None
