"""One Milvus server, one embedding endpoint and one service for the tests that do not break them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.integration.retrieval.parts import EmbeddingEndpoint, MilvusServer, RetrievalProcess


@pytest.fixture(scope="session")
def endpoint() -> Iterator[EmbeddingEndpoint]:
    """An embedding endpoint."""
    running = EmbeddingEndpoint()
    yield running
    running.close()


@pytest.fixture(scope="session")
def milvus(tmp_path_factory: pytest.TempPathFactory, free_port: Callable[[], int]) -> Iterator[MilvusServer]:
    """A Milvus server."""
    server = MilvusServer(tmp_path_factory.mktemp("milvus"), free_port())
    yield server
    server.process.kill()


@pytest.fixture(scope="session")
def service(
    tmp_path_factory: pytest.TempPathFactory,
    free_port: Callable[[], int],
    milvus: MilvusServer,
    endpoint: EmbeddingEndpoint,
) -> Iterator[RetrievalProcess]:
    """The service."""
    running = RetrievalProcess(tmp_path_factory.mktemp("retrieval"), free_port(), milvus, endpoint)
    running.wait_serving()
    yield running
    running.stop()
