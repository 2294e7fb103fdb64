"""Results that take long to compute, kept in files, so that a start reads what an earlier start has made.

A file counts only if its digest says that it was made from the same inputs by the same code, and that it is whole.
Anything else (older, cut off, of another Python) is as good as absent, and so is a folder that cannot be read or
written. The folder is trusted as the code is: ``marshal`` is no format for what strangers wrote.
"""

from __future__ import annotations

import contextlib
import hashlib
import marshal
import os
import sys
from importlib.resources.abc import Traversable
from pathlib import Path
from types import ModuleType
from typing import Any

_DIGEST_BYTES = 32


def digest_of(*inputs: ModuleType | Traversable | None) -> bytes:
    """Of the contents of files and the source of modules, and of the Python that reads them."""
    digest = hashlib.sha256(sys.version.encode())
    for item in inputs:
        if isinstance(item, ModuleType):
            content = Path(item.__file__ or "").read_bytes()
        else:
            content = b"" if item is None else item.read_bytes()
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.digest()


class KeptResults:
    """Values of plain types (numbers, texts, bytes, tuples, lists, dicts, frozen sets) by name, one file each."""

    def __init__(self, folder: Path | None = None) -> None:
        """``folder`` None keeps nothing."""
        self._folder = folder

    def read(self, name: str, made_from: bytes) -> Any:
        """What was written under this name for the inputs of this digest; None if there is no such thing."""
        if self._folder is None:
            return None
        try:
            content = (self._folder / name).read_bytes()
        except OSError:
            return None
        digest, payload = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
        return marshal.loads(payload) if digest == _seal(payload, made_from) else None  # noqa: S302

    def write(self, name: str, made_from: bytes, value: Any) -> None:
        """Keeps ``value``, which must not be None, in place of what was kept under this name."""
        if self._folder is None:
            return
        payload = marshal.dumps(value)
        # Replaced in one step, each from a file of its own: workers that start together write the same.
        part = self._folder / f"{name}.{os.getpid()}.part"
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            try:
                part.write_bytes(_seal(payload, made_from) + payload)
                part.replace(self._folder / name)
            finally:
                part.unlink(missing_ok=True)


def _seal(payload: bytes, made_from: bytes) -> bytes:
    return hashlib.blake2b(payload, key=made_from, digest_size=_DIGEST_BYTES).digest()
