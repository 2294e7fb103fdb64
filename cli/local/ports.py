"""Who listens on which port of this machine (Linux: read from /proc)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_LISTEN = "0A"


@dataclass(frozen=True, slots=True)
class Listener:
    """A process that listens on a port; pid 0 and an empty command where its owner cannot be seen."""

    port: int
    pid: int
    command: str

    def __str__(self) -> str:
        owner = f"pid {self.pid} ({self.command})" if self.pid else "a process of another user"
        return f"port {self.port} is in use by {owner}"


def listeners(ports: set[int]) -> list[Listener]:
    """Those of `ports` that something listens on, with their owners, in order of port."""
    inodes = {inode: port for inode, port in _listening_sockets().items() if port in ports}
    owners = _owners(set(inodes))
    found = {port: Listener(port, owners.get(inode, 0), "") for inode, port in inodes.items()}
    return [Listener(port, it.pid, command_of(it.pid)) for port, it in sorted(found.items())]


def command_of(pid: int) -> str:
    """Command line of a process, shortened to 80 characters; empty if it is gone."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return ""
    text = " ".join(words).strip()
    return text if len(text) <= 80 else text[:77] + "..."


def _listening_sockets() -> dict[str, int]:
    """Port by socket inode."""
    found: dict[str, int] = {}
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            lines = Path(table).read_text().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            fields = line.split()
            if fields[3] == _LISTEN:
                found[fields[9]] = int(fields[1].rsplit(":", 1)[1], 16)
    return found


def _owners(inodes: set[str]) -> dict[str, int]:
    """Pid by socket inode, for the processes whose descriptors this user may read."""
    found: dict[str, int] = {}
    if not inodes:
        return found
    wanted = {f"socket:[{inode}]": inode for inode in inodes}
    for pid in (entry.name for entry in Path("/proc").iterdir() if entry.name.isdigit()):
        try:
            descriptors = list(Path(f"/proc/{pid}/fd").iterdir())
        except OSError:
            continue
        for descriptor in descriptors:
            try:
                target = str(descriptor.readlink())
            except OSError:
                continue
            if target in wanted:
                found[wanted[target]] = int(pid)
    return found
