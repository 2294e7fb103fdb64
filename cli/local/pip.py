"""Runs pip with a progress bar: `python cli/local/pip.py NAME LOG INTERPRETER CONSTRAINTS ARGUMENTS...`.

Also run by the system's Python before the project's environment exists: standard library only.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

BAR = 24


class InstallError(RuntimeError):
    """pip failed; the message is what it said of the error."""


class Bar:
    """A bar that is redrawn on a terminal; elsewhere a line for every tenth of the work."""

    def __init__(self, name: str, total: int, out: TextIO) -> None:
        self.name, self.total, self.out = name, max(1, total), out
        self.began = time.monotonic()
        self.tenth = -1

    def show(self, done: int, what: str) -> None:
        """`done` of the total packages are there; `what` is being done."""
        share = min(1.0, done / self.total)
        seconds = time.monotonic() - self.began
        if self.out.isatty():
            bar = ("#" * round(share * BAR)).ljust(BAR, ".")
            self.out.write(f"\r\x1b[K{self.name} [{bar}] {done}/{self.total} {seconds:.0f} s  {what[:50]}")
        elif int(share * 10) != self.tenth:
            self.tenth = int(share * 10)
            self.out.write(f"{self.name}: {done}/{self.total} packages, {seconds:.0f} s, {what}\n")
        self.out.flush()

    def say(self, what: str) -> None:
        """A step that no package belongs to."""
        if self.out.isatty():
            self.show(self.total, what)
        else:
            self.out.write(f"{self.name}: {what}\n")
            self.out.flush()

    def end(self, words: str) -> None:
        """Closes the line."""
        start = "\r\x1b[K" if self.out.isatty() else ""
        self.out.write(f"{start}{self.name}: {words} in {time.monotonic() - self.began:.0f} s\n")
        self.out.flush()


def pip_install(python: Path, arguments: Sequence[str], total: int, name: str, log: Path) -> None:
    """`python -m pip install ARGUMENTS`, all output into `log`. Raises InstallError."""
    command = [str(python), "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
    command += ["--progress-bar", "off", *arguments]
    log.parent.mkdir(parents=True, exist_ok=True)
    bar = Bar(name, total, sys.stdout)
    seen: set[str] = set()
    reason = ""
    with log.open("a") as out:
        out.write(f"$ {' '.join(command)}\n")
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "PYTHONPATH": ""},
        )
        assert process.stdout is not None
        for line in process.stdout:
            out.write(line)
            reason = _reason(line) or reason
            package = _package(line)
            if package:
                seen.add(package)
                bar.show(len(seen), package)
            elif line.startswith("Installing collected"):
                bar.say("unpacking and compiling, about a minute")
        code = process.wait()
    if code != 0:
        bar.end("failed")
        raise InstallError(f"pip ended with status {code}: {reason[:300]} (all of it in {log})")
    bar.end(f"{len(seen)} packages installed" if seen else "already there")


def _reason(line: str) -> str:
    """The line, if it says what went wrong. The last such line counts; pip ends with hints."""
    text = line.strip()
    return text if re.match(r"(ERROR|\w+Error): \S", text) else ""


def _package(line: str) -> str:
    """Name of the package that a line of pip's output begins with, such as `Collecting grpcio>=1.85 (from ...)`."""
    found = re.match(r"(?:Collecting|Processing) (?:\S*/)?([A-Za-z0-9_.]+(?:-[A-Za-z_]+)*)", line)
    return found.group(1).lower().replace("_", "-") if found else ""


def pinned(file: Path) -> int:
    """Number of packages in a requirements or constraints file."""
    return sum(1 for line in file.read_text().splitlines() if line and line[0] != "#")


def main(arguments: list[str]) -> int:
    """Entry point; ARGUMENTS go to `pip install`. Returns the exit status."""
    name, log, python, constraints, *rest = arguments
    total = pinned(Path(constraints))
    try:
        pip_install(Path(python), ["-c", constraints, *rest], total, name, Path(log))
    except InstallError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
