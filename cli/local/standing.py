"""How the parts of the stack stand now."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from cli.local import health
from cli.local.processes import Part
from cli.local.supervise import State, load_state
from cli.local.topology import LocalSettings

STARTING = "starting"
_SUSPENDED = frozenset("Tt")
_ENDED = frozenset("ZX")


@dataclass(frozen=True, slots=True)
class Process:
    """What the system says of a process. state: a letter as in proc(5); age in seconds."""

    state: str
    age: float

    @property
    def is_suspended(self) -> bool:
        """Stopped by a signal (SIGSTOP): it is there and does nothing."""
        return self.state in _SUSPENDED


def process(pid: int) -> Process | None:
    """The process with this pid, None if there is none or it has ended."""
    try:
        # The command's name, in parentheses, may hold blanks and parentheses itself.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        uptime = float(Path("/proc/uptime").read_text().split()[0])
    except OSError:
        return None
    if fields[0] in _ENDED:
        return None
    return Process(fields[0], uptime - int(fields[19]) / os.sysconf("SC_CLK_TCK"))


@dataclass(frozen=True, slots=True)
class Standing:
    """How a part stands now. words: `well`, `starting`, or what went wrong."""

    part: Part
    state: State | None
    well: bool
    words: str


def standing(all_parts: list[Part], settings: LocalSettings) -> list[Standing]:
    """How every part stands, asked at once."""

    def look(part: Part) -> Standing:
        state = load_state(settings.run_path(), part.name)
        well = all(map(health.well, part.checks))
        return Standing(part, state, well, "well" if well else _ailment(state, settings.start_seconds))

    with ThreadPoolExecutor(len(all_parts)) as pool:
        return list(pool.map(look, all_parts))


def _ailment(state: State | None, start_seconds: float) -> str:
    """Why a part is not well; what the supervisor last noted is not believed where the system says otherwise."""
    if state is None:
        return "not started"
    if state.state == "stopped":
        return state.state
    if process(state.supervisor) is None:
        return "gone: what supervised it was killed"
    if state.state != "running":
        return f"{state.state}: {state.last_exit}" if state.last_exit else state.state
    child = process(state.child)
    if child is not None and child.is_suspended:
        return f"suspended by a signal; `kill -CONT {state.child}` lets it go on"
    if child is not None and child.age > start_seconds:
        return "runs, but is not well"
    return STARTING
