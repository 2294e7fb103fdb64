"""Keeps one process of the stack running: `python -m cli.local run NAME`, a line of the Procfile.

honcho ends the whole stack when one of its processes ends. A part that dies must not do that: the others go on
without it and it is started again, as a cluster would do. This module imports little: it runs once for every part.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

#: In the environment of every process of the stack: the run folder it belongs to. `down` finds processes by it.
MARKER = "TRIRAG_STACK"
#: Pause before the n-th start in a row, seconds; the last one repeats.
RESTART_PAUSES = (1.0, 2.0, 4.0, 8.0)
#: A process that ran this long was well; the pauses begin anew after its end.
WELL_SECONDS = 30.0
#: Starts in a row after which a process that never ran long is left alone.
MOST_STARTS = 6
#: From asking a process to end to ending it.
GRACE_SECONDS = 15.0

_STOP = {signal.SIGTERM, signal.SIGINT}
_WAITED_FOR = _STOP | {signal.SIGCHLD}


@dataclass(slots=True)
class State:
    """What the supervisor last knew, kept in `<run>/state/NAME.json`. state: running, waiting, failed or stopped."""

    name: str
    supervisor: int
    child: int = 0
    state: str = "waiting"
    starts: int = 0
    last_exit: str = ""

    def save(self, run: Path) -> None:
        """Writes the file in one step."""
        folder = run / "state"
        folder.mkdir(parents=True, exist_ok=True)
        partial = folder / f".{self.name}.partial"
        partial.write_text(json.dumps(asdict(self)))
        partial.replace(folder / f"{self.name}.json")


def load_state(run: Path, name: str) -> State | None:
    """The state of a part, or None if it has not been started."""
    try:
        return State(**json.loads((run / "state" / f"{name}.json").read_text()))
    except (OSError, ValueError, TypeError):
        return None


def describe_exit(code: int) -> str:
    """`exit status 3` or `ended by SIGKILL`."""
    return f"ended by {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"


class Supervisor:
    """Starts a command again and again until it is told to stop."""

    def __init__(self, name: str, run: Path) -> None:
        """Reads `<run>/specs/NAME.json`: {"command": [...], "environment": {...}, "folder": "...", "nice": 0}."""
        self.spec = json.loads((run / "specs" / f"{name}.json").read_text())
        self.run = run
        self.state = State(name, os.getpid())

    def main(self) -> int:
        """Runs until SIGTERM or SIGINT; returns 0."""
        # The signals are waited for, not handled: nothing is interrupted half-way.
        signal.pthread_sigmask(signal.SIG_BLOCK, _WAITED_FOR)
        in_a_row = 0
        while True:
            began = time.monotonic()
            code = self._run_once()
            if code is None:
                break
            in_a_row = 1 if time.monotonic() - began >= WELL_SECONDS else in_a_row + 1
            self.state.last_exit = describe_exit(code)
            if in_a_row >= MOST_STARTS:
                self._note("failed", f"{self.state.last_exit}, {in_a_row} times in a row; left alone")
                signal.sigwait(_STOP)
                break
            pause = RESTART_PAUSES[min(in_a_row, len(RESTART_PAUSES)) - 1]
            self._note("waiting", f"{self.state.last_exit}; starting again in {pause:g} s")
            if signal.sigtimedwait(_STOP, pause) is not None:
                break
        self._note("stopped", "stopped")
        return 0

    def _run_once(self) -> int | None:
        """Exit code of the child, or None where it was ended because the supervisor was told to stop."""
        logs = self.run / "logs"
        logs.mkdir(parents=True, exist_ok=True)
        with (logs / f"{self.state.name}.log").open("ab") as log:
            child = subprocess.Popen(
                self.spec["command"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.spec["folder"],
                env={**os.environ, **self.spec["environment"]},
                process_group=0,
                preexec_fn=self._before_command,
            )
        self.state.child = child.pid
        self.state.starts += 1
        self._note("running", f"started, pid {child.pid}")
        stop = False
        while (code := child.poll()) is None and not stop:
            # The time limit guards against a SIGCHLD that was merged with another.
            received = signal.sigtimedwait(_WAITED_FOR, 5.0)
            stop = received is not None and received.si_signo in _STOP
        if code is None:
            _end(child)
        # A part that was killed ended nothing itself: vLLM leaves an engine and a worker with 3 GB.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        self.state.child = 0
        return None if stop else code

    def _before_command(self) -> None:
        os.nice(self.spec["nice"])
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _WAITED_FOR)

    def _note(self, state: str, words: str) -> None:
        self.state.state = state
        self.state.save(self.run)
        print(words, flush=True)


def _end(child: subprocess.Popen[bytes]) -> None:
    child.terminate()
    # A stopped (SIGSTOP) process takes no notice of SIGTERM until it goes on.
    child.send_signal(signal.SIGCONT)
    try:
        child.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def main(name: str) -> int:
    """Entry point. Returns the exit status."""
    default = Path(__file__).resolve().parent.parent.parent / ".run"
    run = Path(os.environ.get(MARKER) or default)
    try:
        return Supervisor(name, run).main()
    except FileNotFoundError as error:
        print(f"{error.filename} is missing: `python -m cli.local up` makes it", file=sys.stderr)
        return 1
