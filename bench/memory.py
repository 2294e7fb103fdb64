"""Memory of a process, from /proc: Linux only."""

from __future__ import annotations

from pathlib import Path


def resident_mib(pid: int) -> float:
    """MiB resident now."""
    return _mib(pid, "VmRSS")


def peak_mib(pid: int) -> float:
    """The most MiB that were ever resident."""
    return _mib(pid, "VmHWM")


def _mib(pid: int, field: str) -> float:
    """A field of the process's status; NaN for one that has ended and is still to be waited for."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith(f"{field}:"):
            return round(int(line.split()[1]) / 1024, 1)
    return float("nan")
