"""A real PostgreSQL for all tests that need one."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text
from sqlalchemy.exc import OperationalError

from tests.stack import until

DEBIAN_BINARIES = Path("/usr/lib/postgresql")


def _binary(name: str) -> str:
    found = shutil.which(name) or next((str(p) for p in sorted(DEBIAN_BINARIES.glob(f"*/bin/{name}"))), None)
    if found is None:
        pytest.skip(f"PostgreSQL's {name} is not installed; `apt-get install postgresql` brings it")
    return found


@pytest.fixture(scope="session")
def postgres(free_port: Callable[[], int]) -> Iterator[str]:
    """URL of a server in a folder of its own. It refuses to run as root, so root starts it as `postgres`."""
    initdb, server = _binary("initdb"), _binary("postgres")
    # Not below pytest's own folder: that is closed to others each time a test run begins.
    folder, port = Path(tempfile.mkdtemp(prefix="trirag-postgres-")), free_port()
    user: dict[str, object] = {}
    if os.geteuid() == 0:
        account = pwd.getpwnam("postgres")
        os.chown(folder, account.pw_uid, account.pw_gid)
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
        shutil.rmtree(folder, ignore_errors=True)


def _answers(url: str) -> bool:
    engine = create_engine(url, connect_args={"connect_timeout": 5})
    try:
        with engine.connect() as connection:
            connection.execute(text("SELECT 1"))
    except OperationalError:
        return False
    finally:
        engine.dispose()
    return True


@pytest.fixture(scope="session")
def new_database(postgres: str) -> Callable[[], str]:
    """Makes an empty database on it and gives its URL."""
    numbers = itertools.count(1)

    def make() -> str:
        name = f"database_{next(numbers)}"
        engine = create_engine(postgres, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name}"))
        engine.dispose()
        return make_url(postgres).set(database=name).render_as_string(hide_password=False)

    return make
