"""A part that is not well is told by what the system says of it, not by what was noted last."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.local import standing as module
from cli.local.processes import Check, Part
from cli.local.standing import Process, process, standing
from cli.local.supervise import State
from cli.local.topology import LocalSettings

NOTHING_LISTENS = Check("http", "127.0.0.1", 1, "/")


@pytest.fixture
def child() -> Iterator[int]:
    """A process that waits for its end."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as running:
        yield running.pid
        os.kill(running.pid, signal.SIGKILL)


@pytest.fixture
def ended() -> int:
    """The pid of a process that has ended."""
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return done.pid


def words(run: Path, state: State | None, checks: tuple[Check, ...] = (NOTHING_LISTENS,)) -> str:
    if state is not None:
        state.save(run)
    part = Part("part", ("true",), (), checks, {})
    return standing([part], LocalSettings(run_dir=run, start_seconds=240))[0].words


def test_what_runs_and_is_not_well_yet_is_starting(tmp_path: Path, child: int) -> None:
    assert words(tmp_path, None) == "not started"
    assert words(tmp_path, State("part", os.getpid(), child, "running")) == "starting"
    assert words(tmp_path, State("part", os.getpid(), child, "running"), checks=()) == "well"


def test_what_a_signal_stopped_is_not_starting(tmp_path: Path, child: int) -> None:
    os.kill(child, signal.SIGSTOP)
    os.waitid(os.P_PID, child, os.WSTOPPED | os.WNOWAIT)
    assert words(tmp_path, State("part", os.getpid(), child, "running")).startswith("suspended by a signal")
    os.kill(child, signal.SIGCONT)


def test_what_has_run_for_long_is_not_starting(tmp_path: Path, child: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "process", lambda pid: Process("S", 241.0))
    assert words(tmp_path, State("part", os.getpid(), child, "running")) == "runs, but is not well"


def test_what_was_killed_with_its_supervisor_is_not_starting(tmp_path: Path, ended: int) -> None:
    assert words(tmp_path, State("part", ended, ended, "running")).startswith("gone")
    assert words(tmp_path, State("part", ended, 0, "waiting", last_exit="exit status 1")).startswith("gone")


def test_what_ended_is_told_with_its_end(tmp_path: Path, ended: int) -> None:
    assert words(tmp_path, State("part", ended, 0, "stopped", last_exit="exit status 1")) == "stopped"
    assert (
        words(tmp_path, State("part", os.getpid(), 0, "failed", last_exit="exit status 3")) == "failed: exit status 3"
    )


def test_a_process_has_an_age_and_an_ended_one_is_none(child: int, ended: int) -> None:
    found = process(child)
    assert found is not None and 0 <= found.age < 3600
    assert process(ended) is None
