"""`python -m bench` runs what it is told to, and all of it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bench import __main__ as command


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str, failing: str = "") -> tuple[int, list[str]]:
    """The exit status, and the modules that were run."""
    ran: list[str] = []

    def start(words: list[str]) -> subprocess.CompletedProcess[bytes]:
        ran.append(words[2])
        return subprocess.CompletedProcess(words, 3 if words[2] == failing else 0)

    monkeypatch.setattr(command.subprocess, "run", start)
    monkeypatch.setattr(sys, "argv", ["bench", *arguments])
    return command.main(), ran


def test_one_that_fails_keeps_no_other_from_running(monkeypatch):
    status, ran = run(monkeypatch, failing="bench.perception")
    assert status == 3
    assert ran == [module for module, _, _ in command.BENCHMARKS]


def test_an_unknown_name_is_bad_usage_and_not_nothing(monkeypatch, capsys):
    with pytest.raises(SystemExit) as ended:
        run(monkeypatch, "retrieva")
    assert ended.value.code == 2
    assert "no benchmark retrieva" in capsys.readouterr().err
