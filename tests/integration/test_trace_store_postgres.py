"""The trace store on a real PostgreSQL, started for these tests."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from services.orchestrator.adapters.migrate import migrate
from services.orchestrator.adapters.trace_store import TraceStore, open_engine
from tests.stack import until
from tests.unit.orchestrator.test_trace_store import record

DEBIAN_BINARIES = Path("/usr/lib/postgresql")


def _binary(name: str) -> str:
    found = shutil.which(name) or next((str(p) for p in sorted(DEBIAN_BINARIES.glob(f"*/bin/{name}"))), None)
    if found is None:
        pytest.skip(f"PostgreSQL's {name} is not installed; `apt-get install postgresql` brings it")
    return found


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory, free_port: Callable[[], int]) -> Iterator[str]:
    """URL of a server in a temporary folder. It refuses to run as root, so root starts it as `postgres`."""
    initdb, server = _binary("initdb"), _binary("postgres")
    folder, port = tmp_path_factory.mktemp("postgres"), free_port()
    user: dict[str, object] = {}
    if os.geteuid() == 0:
        account = pwd.getpwnam("postgres")
        os.chown(folder, account.pw_uid, account.pw_gid)
        for parent in folder.parents[:3]:
            parent.chmod(parent.stat().st_mode | 0o011)
        user = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": [], "cwd": folder}
    data = folder / "data"
    subprocess.run(
        [initdb, "-D", data, "-U", "trirag", "-A", "trust", "--no-sync"], check=True, capture_output=True, **user
    )
    command = [server, "-D", data, "-p", str(port), "-c", "listen_addresses=127.0.0.1", "-k", folder, "-F"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **user)
    url = f"postgresql+psycopg://trirag@127.0.0.1:{port}/postgres"
    try:
        until(lambda: _answers(url), "PostgreSQL does not start", seconds=30)
        yield url
    finally:
        process.terminate()
        process.wait(30)


def _answers(url: str) -> bool:
    engine = open_engine(url)
    try:
        with engine.connect() as connection:
            connection.execute(text("SELECT 1"))
    except OperationalError:
        return False
    finally:
        engine.dispose()
    return True


async def test_trails_are_written_read_and_listed(postgres: str):
    migrate(postgres)
    migrate(postgres)
    async with TraceStore(postgres, 100, CollectorRegistry()) as store:
        for number in range(5):
            store.put(record(number, request_id=f"r{number}"))
        page = await store.page(3, None)
        rest = await store.page(3, (page[-1].started_at, page[-1].trace_id))
    assert [r.trace_id for r in page + rest] == ["t004", "t003", "t002", "t001", "t000"]
    async with TraceStore(postgres, 100, CollectorRegistry()) as store:
        assert await store.get("t003") == record(3, request_id="r3")
        found = await store.by_request_id("alice", "r2")
    assert found is not None
    assert found.payload == b"\x00trail"


async def test_a_question_that_postgresql_cannot_hold_costs_no_other_trail(postgres: str):
    migrate(postgres)
    async with TraceStore(postgres, 10, CollectorRegistry()) as store:
        store.put(record(60, question="nul \x00 inside"))
        store.put(record(61))
    async with TraceStore(postgres, 10, CollectorRegistry()) as store:
        odd, other = await store.get("t060"), await store.get("t061")
    assert odd is not None and odd.question == "nul  inside"
    assert other == record(61)


async def test_two_processes_with_one_request_id_keep_the_first_trail(postgres: str):
    migrate(postgres)
    async with (
        TraceStore(postgres, 10, CollectorRegistry()) as one,
        TraceStore(postgres, 10, CollectorRegistry()) as two,
    ):
        one.put(record(50, request_id="same"))
        await one.page(1, None)
        two.put(record(51, request_id="same"))
        two.put(record(52))
        await two.page(1, None)
        assert await two.get("t052") is not None
        found = await one.by_request_id("alice", "same")
    assert found is not None
    assert found.trace_id == "t050"
