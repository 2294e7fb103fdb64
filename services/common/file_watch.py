"""Tells of changes to one file, and operators of changes that were refused."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

from prometheus_client import Gauge
from watchfiles import awatch

STEP_MS = 50
REFUSED = Gauge(
    "trirag_config_refused", "1 while changed configuration is refused and the former stays in force.", ("name",)
)


async def changes_of(path: Path) -> AsyncIterator[None]:
    """Yields at once, and then whenever the file may have changed, until cancelled.

    At once, because it may have changed between being read and being watched. The folder is watched, without those in
    it: editors and ConfigMaps swap files.

    Raises:
        FileNotFoundError: the folder does not exist.
    """
    yield
    async for changes in awatch(path.parent, step=STEP_MS, recursive=False):
        names = {Path(changed).name for _, changed in changes}
        # Kubernetes swaps the ..data link; the file's own name does not appear then.
        if path.name in names or any(name.startswith("..") for name in names):
            yield
