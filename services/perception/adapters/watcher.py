"""Background work of the service: reload on file change, titles from the knowledge bases now and then."""

from __future__ import annotations

import asyncio
from pathlib import Path

import grpc
import structlog
from watchfiles import awatch

from services.common.file_watch import changes_of
from services.common.offload import BlockingPool
from services.perception.adapters.gazetteer import names_of_titles
from services.perception.adapters.knowledge_base_titles import TitleSource
from services.perception.interpreters import Interpreters

log = structlog.get_logger("rules")
_DEBOUNCE_MS = 200


async def reload_on_change(interpreters: Interpreters, pool: BlockingPool) -> None:
    """Reloads whenever a pack changes, until cancelled."""
    async for changes in awatch(interpreters.sources.root, debounce=_DEBOUNCE_MS, step=50):
        if any(_matters(Path(path)) for _, path in changes):
            await pool.run(interpreters.reload)


def _matters(path: Path) -> bool:
    """Packs, their folders, and the links that Kubernetes swaps when a ConfigMap changes."""
    return path.suffix == ".yaml" or path.name.startswith("..") or path.is_dir()


async def follow_gazetteer(interpreters: Interpreters, file: Path, pool: BlockingPool) -> None:
    """Reloads whenever the file of names changes, until cancelled."""
    async for _ in changes_of(file):
        await pool.run(interpreters.reload)


async def follow_titles(interpreters: Interpreters, target: str, every_seconds: float, pool: BlockingPool) -> None:
    """Feeds the titles of public documents to the gazetteer, until cancelled; an outage keeps the last ones."""
    async with TitleSource(target) as source:
        while True:
            try:
                names = names_of_titles(await source.titles())
                if await pool.run(interpreters.set_titles, names):
                    log.info("titles_in_force", names=len(names))
            except grpc.aio.AioRpcError as error:
                log.warning("titles_unavailable", target=target, code=error.code().name)
            await asyncio.sleep(every_seconds)
