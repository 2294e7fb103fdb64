"""The whole local stack on free ports, for tests that need real parts."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cli.local import stack as local
from cli.local.processes import Part
from cli.local.standing import standing
from cli.local.supervise import load_state
from cli.local.tokens import make_token
from cli.local.topology import LocalSettings

ROOT = Path(__file__).resolve().parent.parent
PORTS = (
    "edge_port",
    "mesh_port",
    "envoy_admin_port",
    "orchestrator_port",
    "perception_port",
    "retrieval_port",
    "validation_port",
    "milvus_port",
    "vllm_port",
)
WAIT_SECONDS = 90.0


@dataclass(frozen=True)
class Finished:
    """A finished `trirag` command."""

    status: int
    stdout: str
    stderr: str

    @property
    def json(self) -> dict:
        """The one JSON document on stdout."""
        return json.loads(self.stdout)


class LocalStack:
    """Real Envoy, Milvus server, services and, if installed, vLLM."""

    def __init__(self, run_dir: Path, environment: Mapping[str, str]) -> None:
        self.environment = {
            **{f"TRIRAG_{name.upper()}": str(port) for name, port in _free_ports().items()},
            "TRIRAG_RUN_DIR": str(run_dir),
            **environment,
        }
        self.settings = LocalSettings(
            **{
                key.removeprefix("TRIRAG_").lower(): value
                for key, value in self.environment.items()
                if key.removeprefix("TRIRAG_").lower() in LocalSettings.model_fields
            }
        )
        self.parts: list[Part] = []

    @property
    def url(self) -> str:
        """The edge, for clients."""
        return f"127.0.0.1:{self.settings.edge_port}"

    def start(self, with_vllm: bool) -> None:
        """Starts everything and waits until it is well, but for vLLM, which takes much longer than all others."""
        with patched_environment(self.environment):
            self.parts = local.start(self.settings, with_vllm)
            local.wait_until_well(self.parts, self.settings, lambda _looks: None, optional=False)

    def wait_for_model(self) -> None:
        """Waits until vLLM is well, too, where it was started."""
        local.wait_until_well(self.parts, self.settings, lambda _looks: None, optional=True)

    def stop(self) -> None:
        """Leaves nothing running."""
        local.stop(self.settings)

    def trirag(self, *arguments: str, token: str = "", timeout: float = 120, **environment: str) -> Finished:
        """Runs the command as a user would."""
        given = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'gen'}", "TRIRAG_URL": self.url, **environment}
        given.pop("TRIRAG_TOKEN", None)
        if token:
            given["TRIRAG_TOKEN"] = token
        done = subprocess.run(
            [sys.executable, "-m", "cli.main", *arguments],
            capture_output=True,
            text=True,
            timeout=timeout,
            env=given,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
        )
        return Finished(done.returncode, done.stdout, done.stderr)

    def token(self, subject: str, *groups: str) -> str:
        """A token that this stack's edge accepts."""
        return make_token(self.settings.run_path(), subject, list(groups), 3600)

    def child_of(self, part: str) -> int:
        """Pid of the process that does a part's work."""
        state = load_state(self.settings.run_path(), part)
        assert state is not None and state.child, f"{part} is not running"
        return state.child

    def child_of_or_zero(self, part: str) -> int:
        """As child_of, or 0 while the part is down."""
        state = load_state(self.settings.run_path(), part)
        return state.child if state else 0

    def signal(self, part: str, number: signal.Signals) -> int:
        """Sends a signal to a part (never to its supervisor) and returns the pid it went to."""
        pid = self.child_of(part)
        os.kill(pid, number)
        return pid

    def wait_well(self, *names: str) -> None:
        """Waits until these parts are well, and Envoy thinks so too."""
        chosen = [p for p in self.parts if p.name in names]
        until(lambda: all(s.well for s in standing(chosen, self.settings)), f"{names} are not well")
        for name in names:
            if name in ("perception", "retrieval", "validation", "orchestrator"):
                until(lambda name=name: self.healthy_hosts(name) > 0, f"Envoy does not see {name}")

    def healthy_hosts(self, cluster: str) -> int:
        """Hosts that Envoy sends calls to."""
        return self.envoy_stat(f"cluster.{cluster}.membership_healthy")

    def envoy_stat(self, name: str) -> int:
        """One counter or gauge of Envoy; 0 where there is none yet."""
        return self.envoy_stats(f"^{re.escape(name)}$").get(name, 0)

    def envoy_stats(self, pattern: str) -> dict[str, int]:
        """Counters and gauges of Envoy whose name matches."""
        query = urllib.parse.urlencode({"filter": pattern, "format": "text"})
        with urllib.request.urlopen(f"http://127.0.0.1:{self.settings.envoy_admin_port}/stats?{query}") as reply:
            lines = reply.read().decode().splitlines()
        pairs = (line.split(": ", 1) for line in lines if ": " in line)
        return {name: int(value) for name, value in pairs if value.lstrip("-").isdigit()}


def until(condition, failure: str, seconds: float = WAIT_SECONDS) -> None:
    """Polls until a condition holds; a bound, not a measurement."""
    give_up = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < give_up, failure
        time.sleep(0.1)


@contextmanager
def patched_environment(values: Mapping[str, str]) -> Iterator[None]:
    """Sets environment variables for the code inside."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _free_ports() -> dict[str, int]:
    """A free port for everything; services also need port + 10000 for their metrics, so theirs are below 55536."""
    found: dict[str, int] = {}
    for name in PORTS:
        for candidate in range(21000 + 37 * (os.getpid() % 400), 45000, 7):
            if candidate not in found.values() and _free(candidate) and _free(candidate + 10000):
                found[name] = candidate
                break
    return found


def _free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
