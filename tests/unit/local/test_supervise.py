"""A part that dies is started again and told by name; a part that never lives is left alone; stopping stops."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cli.local import stack
from cli.local.supervise import MARKER, State, describe_exit, load_state

Start = Callable[[str, list[str]], "subprocess.Popen[str]"]


@pytest.fixture
def supervise(tmp_path: Path, repository: Path) -> Iterator[Start]:
    """Starts a supervisor of a command; ends it and its child after the test."""
    started = []

    def start(name: str, command: list[str]) -> subprocess.Popen[str]:
        (tmp_path / "specs").mkdir(exist_ok=True)
        spec = {"command": command, "environment": {}, "folder": str(tmp_path), "nice": 0}
        (tmp_path / "specs" / f"{name}.json").write_text(json.dumps(spec))
        process = subprocess.Popen(
            [sys.executable, "-m", "cli.local", "run", name],
            env={**os.environ, MARKER: str(tmp_path), "PYTHONPATH": str(repository)},
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=20)
    assert stack.processes_of(tmp_path) == []


def until(run: Path, name: str, accept: Callable[[State], bool]) -> State:
    give_up = time.monotonic() + 20
    while True:
        state = load_state(run, name)
        if state and accept(state):
            return state
        assert time.monotonic() < give_up, state
        time.sleep(0.02)


SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]


def test_a_killed_part_is_started_again(supervise: Start, tmp_path: Path) -> None:
    supervise("part", SLEEP)
    first = until(tmp_path, "part", lambda s: s.state == "running")
    os.kill(first.child, signal.SIGKILL)
    again = until(tmp_path, "part", lambda s: s.starts == 2 and s.state == "running")
    assert again.child != first.child
    assert again.last_exit == "ended by SIGKILL"


def test_what_a_killed_part_had_started_ends_with_it(supervise: Start, tmp_path: Path) -> None:
    supervise("part", [sys.executable, "-c", f"import subprocess, sys; subprocess.run({SLEEP!r})"])
    until(tmp_path, "part", lambda s: s.state == "running" and len(stack.processes_of(tmp_path)) == 3)
    before = set(stack.processes_of(tmp_path))
    first = until(tmp_path, "part", lambda s: True)
    os.kill(first.child, signal.SIGKILL)
    until(tmp_path, "part", lambda s: before & set(stack.processes_of(tmp_path)) == {s.supervisor})


def test_stopping_ends_the_child_even_if_it_was_stopped(supervise: Start, tmp_path: Path) -> None:
    supervisor = supervise("part", SLEEP)
    child = until(tmp_path, "part", lambda s: s.state == "running").child
    os.kill(child, signal.SIGSTOP)
    supervisor.terminate()
    out, _ = supervisor.communicate(timeout=20)
    assert supervisor.returncode == 0
    assert out.strip().endswith("stopped")
    assert stack.processes_of(tmp_path) == []


def test_the_output_of_a_part_is_in_its_log(supervise: Start, tmp_path: Path) -> None:
    supervise("part", [sys.executable, "-c", "print('words 文字'); raise SystemExit(3)"])
    state = until(tmp_path, "part", lambda s: s.last_exit != "")
    assert state.last_exit == "exit status 3"
    assert "words 文字" in stack.last_lines(tmp_path, "part")


def test_processes_of_another_run_folder_are_not_ours(supervise: Start, tmp_path: Path) -> None:
    supervise("part", SLEEP)
    until(tmp_path, "part", lambda s: s.state == "running")
    assert len(stack.processes_of(tmp_path)) == 2
    assert stack.processes_of(tmp_path / "other") == []


def test_exits_are_told_in_words() -> None:
    assert describe_exit(-9) == "ended by SIGKILL"
    assert describe_exit(2) == "exit status 2"


def test_a_supervisor_without_a_spec_says_what_is_missing(tmp_path: Path, repository: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "cli.local", "run", "nobody"],
        env={**os.environ, MARKER: str(tmp_path), "PYTHONPATH": str(repository)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "nobody.json is missing" in done.stderr
