"""Remote rerankers: each API is asked in its own words, and what fails is told in ours."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from services.common.errors import Unavailable
from services.retrieval.adapters.rerankers.http import HttpReranker
from services.retrieval.domain.ports import ChunkRow
from services.retrieval.domain.versions.families import Window
from services.retrieval.service.reranking import Candidate
from tests.loopback import LoopbackServer, Request

Answer = Callable[[str, dict[str, Any]], Any]


def _candidates(count: int) -> list[Candidate]:
    rows = [
        ChunkRow(
            "d", "r", n, f"passage {n}", "", (), 0, 9, 0, 9, 0, 2, 0.0, (), "", "en", 3, "", 0, Window(1, 2), "public"
        )
        for n in range(count)
    ]  # fmt: skip
    return [Candidate(row, "Title", 0.5, 1, 0.0, 0) for row in rows]


class Endpoint(LoopbackServer):
    """A server that answers by ``answer`` and remembers what it was asked; None is an error of the server's."""

    def __init__(self, answer: Answer) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        asked = self.asked

        def reply(request: Request) -> tuple[int, bytes]:
            body = json.loads(request.body)
            asked.append((request.path, body))
            found = answer(request.path, body)
            return 500 if found is None else 200, json.dumps(found).encode()

        super().__init__(reply)


@pytest.fixture
def endpoint() -> Iterator[Callable[[Answer], Endpoint]]:
    started: list[Endpoint] = []

    def start(answer: Answer) -> Endpoint:
        started.append(Endpoint(answer))
        return started[-1]

    yield start
    for one in started:
        one.close()


def _longest_number_first(texts: list[str], name: str) -> list[dict[str, float]]:
    """Scores that are the passages' numbers, best first as the servers answer."""
    return [{"index": place, name: float(text.split()[-1])} for place, text in reversed(list(enumerate(texts)))]


def test_each_api_is_asked_in_its_own_words(endpoint: Callable[[Answer], Endpoint]) -> None:
    def answer(path: str, body: dict[str, Any]) -> Any:
        if "texts" in body:
            return _longest_number_first(body["texts"], "score")
        if path.endswith("/score"):
            return {"data": _longest_number_first(body["text_2"], "score")}
        return {"results": _longest_number_first(body["documents"], "relevance_score")}

    server = endpoint(answer)
    for api, base, paths in (
        ("rerank", "/v1", ["/v1/rerank"]),
        ("score", "/v1/", ["/v1/score"]),
        ("tei", "", ["/rerank"] * 3),
    ):
        server.asked.clear()
        found = HttpReranker(server.url + base, "m", api=api).rerank("question", _candidates(70))
        assert [one.score for one in found] == [float(n) for n in range(70)], api
        assert [path for path, _ in server.asked] == paths
    assert [len(body["texts"]) for _, body in server.asked] == [32, 32, 6]
    assert server.asked[0][1]["truncate"] is True


def test_failures_are_told_in_words(endpoint: Callable[[Answer], Endpoint]) -> None:
    broken = endpoint(lambda *_: None)
    with pytest.raises(Unavailable, match="HTTP 500"):
        HttpReranker(broken.url, "m").rerank("question", _candidates(2))
    other = endpoint(lambda *_: [{"index": 0, "score": 1.0}])
    with pytest.raises(Unavailable, match="not of the rerank API; see TRIRAG_RETRIEVAL_RERANKER_API"):
        HttpReranker(other.url, "m").rerank("question", _candidates(2))
    assert HttpReranker("http://127.0.0.1:9", "m").rerank("question", []) == []
