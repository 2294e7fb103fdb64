"""Workers do not outlive the process that keeps them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stack import ROOT, until

PATIENCE = 20
KEEPER = "from services.common.workers import run_workers; run_workers('napper', 2)"
NAPPER = """
import os, pathlib, time
pathlib.Path(os.environ["NAPS"], str(os.getpid())).touch()
time.sleep(600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells only Linux processes of their parent's end")
def test_workers_end_when_their_parent_was_killed(tmp_path: Path):
    (tmp_path / "napper.py").write_text(NAPPER)
    naps = tmp_path / "naps"
    naps.mkdir()
    path = os.pathsep.join([str(ROOT), str(ROOT / "gen"), str(tmp_path)])
    parent = subprocess.Popen(
        [sys.executable, "-c", KEEPER], env={**os.environ, "PYTHONPATH": path, "NAPS": str(naps)}, cwd=tmp_path
    )
    try:
        until(lambda: len(list(naps.iterdir())) == 2, "the workers do not start", PATIENCE)
        parent.kill()
        parent.wait()
        until(lambda: not left(naps), "a worker is left", PATIENCE)
    finally:
        parent.kill()
        for pid in left(naps):
            os.kill(pid, signal.SIGKILL)


def left(naps: Path) -> list[int]:
    """The workers that still run."""
    return [int(nap.name) for nap in naps.iterdir() if Path("/proc", nap.name).exists()]
