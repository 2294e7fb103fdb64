"""Plays every scenario (or the parts named) on a stack of its own and prints what the user got."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from pathlib import Path

from tests.faults.scenario import Report, play
from tests.stack import ROOT, LocalStack

PARTS = tuple(sys.argv[1:]) or ("vllm", "perception", "validation", "milvus")


def show(report: Report) -> None:
    """Prints one scenario."""
    print(f"\n== {report.part} {report.fault}")
    print(f"   before   {report.before.seconds:5.2f} s  {report.before.words}")
    for observation in report.during:
        print(f"   during   {observation.seconds:5.2f} s  {observation.words}")
    assert report.after is not None
    recovered = f"({report.recovery_seconds:.1f} s after the part was well)"
    print(f"   after    {report.after.seconds:5.2f} s  {report.after.words}  {recovered}")
    print(f"   envoy    {', '.join(f'{k} +{v}' for k, v in report.stats.items()) or 'no counter moved'}")


def main() -> int:
    """Starts, plays, stops."""
    with tempfile.TemporaryDirectory() as folder:
        run_dir = Path(folder)
        models = ROOT / ".run" / "models"
        venv = Path(os.environ.get("TRIRAG_VLLM_VENV", ROOT / ".venv-vllm"))
        with_vllm = "vllm" in PARTS and models.is_dir() and (venv / "bin" / "python").is_file()
        if with_vllm:
            (run_dir / "models").symlink_to(models)
        stack = LocalStack(run_dir, {"TRIRAG_RETRIEVAL_DATA_DIR": str(run_dir / "retrieval")})
        try:
            stack.start(with_vllm)
            done = stack.trirag("ingest", str(ROOT / "examples" / "corpus" / "runbooks"), "--kb", "runbooks")
            if done.status:
                print(done.stderr, file=sys.stderr)
                return 1
            stack.wait_for_model()
            for part in PARTS:
                if part == "vllm" and not with_vllm:
                    print("\n== vllm: not installed, left out")
                    continue
                for fault in (signal.SIGSTOP, signal.SIGKILL):
                    show(play(stack, part, fault, extractive=part != "vllm"))
        finally:
            stack.stop()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
