"""Starts and stops the local stack."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from cli.local import health, tokens, vllm
from cli.local.envoy_config import check, render, tracing_from_environment
from cli.local.ports import Listener, listeners
from cli.local.processes import SERVICES, Check, Part, parts, write_specs
from cli.local.standing import Standing, process, standing
from cli.local.supervise import MARKER
from cli.local.topology import ROOT, LocalSettings, local_place
from cli.local.traffic import load_traffic

#: From asking the stack to stop to ending what is left, seconds.
STOP_SECONDS = 20.0
#: A part that must be there and dies this often while the stack starts stops the start.
DEATHS_ALLOWED = 1
LOG_LINES = 12

Report = Callable[[str], None]


class StackError(RuntimeError):
    """The stack cannot be started; the message may have several lines."""


def write_envoy_config(settings: LocalSettings) -> Path:
    """Renders and checks `<run>/envoy.yaml`. Raises TrafficError, TopologyError or EnvoyConfigError."""
    run = settings.run_path()
    tokens.ensure_secret(run)
    traffic = load_traffic(settings.config_path() / "envoy.yaml")
    target = run / "envoy.yaml"
    image = ROOT / "gen" / "image.binpb"
    target.write_text(render(local_place(settings), traffic, image, tracing_from_environment(os.environ)))
    check(target)
    return target


def prepare_vllm(settings: LocalSettings, report: Report) -> bool:
    """Whether a vLLM of our own is to be started; installs it first. One line where it cannot be had."""
    if not settings.local_llm:
        return False
    try:
        vllm.prepare(settings, report)
    except vllm.VllmError as error:
        report(f"vllm: not available ({error}); answers are quoted from the evidence and marked degraded")
        return False
    return True


def refuse_if_running(settings: LocalSettings) -> None:
    """Raises StackError where the stack runs already or a port that it needs is in use."""
    running = processes_of(settings.run_path())
    if running:
        raise StackError(f"the stack runs already ({len(running)} processes); `make down` stops it")
    _refuse_ports_in_use(parts(settings, with_vllm=settings.local_llm))


def was_started(settings: LocalSettings, name: str) -> bool:
    """Whether the last start included this part."""
    return (settings.run_path() / "specs" / f"{name}.json").is_file()


def start(settings: LocalSettings, with_vllm: bool) -> list[Part]:
    """Starts everything in the background and returns the parts.

    Raises StackError where the stack runs already or a port is in use, and what write_envoy_config raises.
    """
    run = settings.run_path()
    (run / "logs").mkdir(parents=True, exist_ok=True)
    write_envoy_config(settings)
    all_parts = parts(settings, with_vllm)
    refuse_if_running(settings)
    write_specs(all_parts, settings)
    for old in (run / "state").glob("*.json"):
        old.unlink()
    _start_honcho(run, [part.name for part in all_parts])
    return all_parts


def wait_until_well(
    all_parts: list[Part], settings: LocalSettings, show: Callable[[list[Standing]], None], optional: bool
) -> list[Standing]:
    """Waits until every part is well (with `optional`, those too unless they fail) and Envoy sees every service.

    `show` gets every look. Raises StackError naming what died, with its last log lines, or what is late.
    """
    give_up = time.monotonic() + settings.start_seconds
    edge = Check("http", settings.host, settings.edge_port, "/healthz")
    # A service that is well a moment before Envoy knows would turn the first call away.
    while True:
        looks = standing(all_parts, settings)
        model = ["llm"] if optional and any(look.part.name == "vllm" and look.well for look in looks) else []
        mesh = Check("envoy", "127.0.0.1", settings.envoy_admin_port, ",".join([*SERVICES, *model]))
        show(looks)
        for look in looks:
            _refuse_dead(look, settings.run_path())
        missing = [look for look in looks if not look.well and _awaited(look, optional)]
        if not missing and health.well(edge) and health.well(mesh):
            return looks
        if time.monotonic() > give_up:
            names = (
                ", ".join(f"{look.part.name} ({look.words})" for look in missing)
                or "Envoy sees no healthy host of a service"
            )
            raise StackError(f"not well after {settings.start_seconds:g} s: {names}; logs are in {_logs(settings)}")
        time.sleep(0.5)


def stop(settings: LocalSettings) -> int:
    """Stops every process of this checkout's stack and returns how many there were. None is left."""
    run = settings.run_path()
    running = processes_of(run)
    honcho = _honcho_pid(run)
    if honcho in running:
        _signal([honcho], signal.SIGTERM)
    elif running:
        _signal(running, signal.SIGTERM)
    if not _gone_within(run, STOP_SECONDS):
        _signal(processes_of(run), signal.SIGCONT)
        _signal(processes_of(run), signal.SIGKILL)
        _gone_within(run, 5.0)
    (run / "honcho.pid").unlink(missing_ok=True)
    return len(running)


def processes_of(run: Path) -> list[int]:
    """Pids of all processes that were started for this run folder, whoever their parents are by now."""
    wanted = f"{MARKER}={run}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
    return [pid for pid in found if process(pid) is not None]


def last_lines(run: Path, name: str, count: int = LOG_LINES) -> list[str]:
    """The end of a part's log."""
    try:
        with (run / "logs" / f"{name}.log").open("rb") as log:
            log.seek(0, os.SEEK_END)
            log.seek(max(0, log.tell() - 16_384))
            return log.read().decode(errors="replace").splitlines()[-count:]
    except OSError:
        return []


def _refuse_ports_in_use(all_parts: list[Part]) -> None:
    owner_of = {port: part.name for part in all_parts for port in part.ports}
    taken: list[Listener] = listeners(set(owner_of))
    if taken:
        lines = [f"{listener}; {owner_of[listener.port]} needs it" for listener in taken]
        raise StackError("\n".join([*lines, "end those processes, or set other TRIRAG_*_PORT values"]))


def _start_honcho(run: Path, names: list[str]) -> None:
    environment = {**os.environ, MARKER: str(run)}
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environment.get("PATH", os.defpath)])
    command = [sys.executable, "-m", "honcho", "start", "--no-colour", "-e", os.devnull]
    command += ["-d", str(ROOT), "-f", str(ROOT / "Procfile"), *names]
    with (run / "logs" / "stack.log").open("ab") as log:
        honcho = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=ROOT,
            start_new_session=True,
        )
    (run / "honcho.pid").write_text(str(honcho.pid))


def _honcho_pid(run: Path) -> int:
    try:
        return int((run / "honcho.pid").read_text())
    except (OSError, ValueError):
        return 0


def _refuse_dead(look: Standing, run: Path) -> None:
    state = look.state
    if look.part.optional or state is None or not state.last_exit or look.well:
        return
    if state.state == "failed" or state.starts > DEATHS_ALLOWED:
        tail = "\n".join(f"    {line}" for line in last_lines(run, look.part.name))
        raise StackError(f"{look.part.name} died ({state.last_exit}); the end of its log:\n{tail}")


def _awaited(look: Standing, optional: bool) -> bool:
    if not look.part.optional:
        return True
    return optional and (look.state is None or (look.state.state == "running" and not look.state.last_exit))


def _gone_within(run: Path, seconds: float) -> bool:
    give_up = time.monotonic() + seconds
    while processes_of(run):
        if time.monotonic() > give_up:
            return False
        time.sleep(0.1)
    return True


def _signal(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def _logs(settings: LocalSettings) -> str:
    return os.path.relpath(settings.run_path() / "logs")
