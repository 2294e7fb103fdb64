"""Fixtures that every kind of test may use."""

from __future__ import annotations

import gc
import os
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.collector import Collector
from tests.stack import LocalStack

REPOSITORY = Path(__file__).resolve().parent.parent


# Python looks through all objects again and again for those that only hold each other. Nearly all that there are here
# stay to the end: tests, imported modules, dictionaries. Looking seldom takes a tenth off the time of the unit tests.
gc.set_threshold(50_000, 50, 100)


def pytest_collection_finish() -> None:
    """What has been collected is not looked through again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def repository() -> Path:
    """Root of the checkout."""
    return REPOSITORY


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real development data beside the checkout; tests that need it skip where it is absent."""
    folder = Path(os.environ.get("TRIRAG_SHARED_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no development data at {folder}; set TRIRAG_SHARED_DATA to run this test")
    return folder


@pytest.fixture(scope="session")
def free_port() -> Callable[[], int]:
    """Gives a loopback port that nothing listens on."""

    def find() -> int:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return int(probe.getsockname()[1])

    return find


@pytest.fixture(scope="session")
def vllm_installed(repository: Path) -> bool:
    """Whether the local vLLM can be started; `make test` installs it first."""
    venv = Path(os.environ.get("TRIRAG_VLLM_VENV", repository / ".venv-vllm"))
    return (venv / "bin" / "python").is_file() and (repository / ".run" / "models").is_dir()


@pytest.fixture(scope="session")
def collector() -> Iterator[Collector]:
    """A real OTLP receiver."""
    receiver = Collector()
    yield receiver
    receiver.stop()


@pytest.fixture(scope="session")
def stack(
    tmp_path_factory: pytest.TempPathFactory, repository: Path, vllm_installed: bool, collector: Collector
) -> Iterator[LocalStack]:
    """The whole stack with the example corpus in it, once for all tests that need it."""
    run_dir = tmp_path_factory.mktemp("stack")
    if vllm_installed:
        (run_dir / "models").symlink_to(repository / ".run" / "models")
    telemetry = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.endpoint,
        "OTEL_BSP_SCHEDULE_DELAY": "200",
        "TRIRAG_RETRIEVAL_DATA_DIR": str(run_dir / "retrieval"),
        "TRIRAG_PERCEPTION_TITLES_EVERY_SECONDS": "1",
    }
    running = LocalStack(run_dir, telemetry)
    try:
        running.start(with_vllm=vllm_installed)
        for folder in sorted((repository / "examples" / "corpus").iterdir()):
            done = running.trirag("ingest", str(folder), "--kb", folder.name, timeout=300)
            assert done.status == 0, done.stderr
        _wait_for_titles(running)
        running.wait_for_model()
        yield running
    finally:
        running.stop()


def _wait_for_titles(running: LocalStack) -> None:
    """Perception knows the titles of what was ingested: from here on every question parses the same way."""
    give_up = time.monotonic() + 60
    while True:
        parsed = running.trirag("perceive", "What are the incident severity levels?", "--json").json
        if any(entity["origin"]["kind"] == "ORIGIN_KIND_GAZETTEER" for entity in parsed.get("entities", ())):
            return
        assert time.monotonic() < give_up, "perception does not know the titles of the examples"
        time.sleep(0.5)
