"""Compares the contracts with those of the previous commit: `python protos/breaking.py` (part of `make lint`).

The base is HEAD while the contracts have uncommitted changes, else the commit before HEAD; TRIRAG_BREAKING_BASE names
another one. The base's image is built from git into a temporary folder, since no image is committed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
from io import BytesIO
from pathlib import Path

from generate import PROTO_ROOT, GenerationError, build_image

ROOT = PROTO_ROOT.parent


def _git(*arguments: str) -> bytes | None:
    """Output of a git command, or None if it failed."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True)  # noqa: S603, S607
    return done.stdout if done.returncode == 0 else None


def base_commit() -> str:
    """The commit to compare with."""
    chosen = os.environ.get("TRIRAG_BREAKING_BASE")
    if chosen:
        return chosen
    changed = _git("status", "--porcelain", "--", "protos/*.proto")
    return "HEAD" if changed else "HEAD~1"


def main() -> int:
    """Entry point. Returns the exit status: 0 if compatible or there is nothing to compare with."""
    base = base_commit()
    if not _git("ls-tree", "-r", "--name-only", base, "--", "protos/trirag"):
        print(f"breaking: skipped, {base} has no contracts to compare with")
        return 0
    archive = _git("archive", "--format=tar", base, "protos")
    with tempfile.TemporaryDirectory(prefix="trirag-breaking-") as scratch:
        folder = Path(scratch)
        with tarfile.open(fileobj=BytesIO(archive or b"")) as tar:
            tar.extractall(folder, filter="data")
        before, now = folder / "before.binpb", folder / "now.binpb"
        try:
            build_image(before, folder / "protos")
            build_image(now)
        except GenerationError as error:
            print(f"breaking: {error}", file=sys.stderr)
            return 1
        buf = Path(sys.executable).parent / "buf"
        command = [str(buf), "breaking", str(now), "--against", str(before), "--config", str(PROTO_ROOT / "buf.yaml")]
        status = subprocess.run(command).returncode  # noqa: S603
    print(f"breaking: {'compatible with' if status == 0 else 'NOT compatible with'} {base}")
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())
