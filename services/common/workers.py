"""N worker processes of one service, each with a port of its own that is an endpoint of its Envoy cluster."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from types import FrameType

INDEX_VARIABLE = "TRIRAG_WORKER_INDEX"
RESTART_PAUSE_SECONDS = 1.0
POLL_SECONDS = 0.2
STOP_SECONDS = 30.0
_PR_SET_PDEATHSIG = 1  # of <linux/prctl.h>
_LIBC = ctypes.CDLL(None)


def worker_index() -> int | None:
    """This process's index among the workers; None in the parent."""
    value = os.environ.get(INDEX_VARIABLE)
    return int(value) if value else None


def run_workers(module: str, count: int) -> int:
    """Runs ``python -m module`` ``count`` times until SIGTERM or SIGINT; a worker that dies is started again.

    Returns the exit status for the parent: that of the first worker if all refuse to start, else 0.
    """
    stopping = False

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        nonlocal stopping
        stopping = True

    signal.signal(signal.SIGTERM, on_signal)
    signal.signal(signal.SIGINT, on_signal)
    workers = [_start(module, i) for i in range(count)]
    while not stopping:
        time.sleep(POLL_SECONDS)
        codes = [w.poll() for w in workers]
        if all(code is not None for code in codes):
            return codes[0] or 1  # a wrong setting or a taken port: starting again would not help
        for index, code in enumerate(codes):
            if code is not None and not stopping:
                print(f"{module} worker {index} ended with status {code}; starting it again", file=sys.stderr)
                time.sleep(RESTART_PAUSE_SECONDS)
                workers[index] = _start(module, index)
    return _stop(workers)


def _start(module: str, index: int) -> subprocess.Popen[bytes]:
    parent = os.getpid()

    def end_with_parent() -> None:
        """Without a parent nobody would stop a worker, and its port would keep the next one from starting."""
        if hasattr(_LIBC, "prctl"):
            _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)

    return subprocess.Popen(  # noqa: S603 - our own interpreter and module
        [sys.executable, "-m", module],
        env={**os.environ, INDEX_VARIABLE: str(index)},
        preexec_fn=end_with_parent,  # the parent has one thread
    )


def _stop(workers: list[subprocess.Popen[bytes]]) -> int:
    for worker in workers:
        worker.terminate()
    deadline = time.monotonic() + STOP_SECONDS
    for worker in workers:
        try:
            worker.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            worker.kill()
            worker.wait()
    return 0
