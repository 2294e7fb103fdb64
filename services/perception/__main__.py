"""python -m services.perception"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from services.common.background import Job, in_background
from services.common.errors import FailedPrecondition
from services.common.offload import BlockingPool
from services.common.server import ServiceBinding, ServiceBundle, run_service
from services.perception.adapters.gazetteer import GazetteerError
from services.perception.adapters.rule_packs import RulePackError
from services.perception.adapters.watcher import follow_gazetteer, follow_titles, reload_on_change
from services.perception.interpreters import Interpreters, load_interpreters
from services.perception.servicer import PerceptionServicer
from services.perception.settings import PerceptionSettings
from trirag.perception.v1 import perception_pb2_grpc


@asynccontextmanager
async def build(settings: PerceptionSettings) -> AsyncIterator[ServiceBundle]:
    """Loads models and packs before the port opens, and keeps the packs fresh while it is open.

    Raises:
        FailedPrecondition: a pack, the gazetteer or the spaCy model cannot be used.
    """
    pool = BlockingPool(settings.blocking_threads, "parse")
    interpreters = await pool.run(_load, settings)
    jobs: dict[str, Job] = {
        "rules-compile": partial(pool.run, interpreters.compile_all),
        "rules-reload": partial(reload_on_change, interpreters, pool),
    }
    if settings.gazetteer is not None:
        jobs["gazetteer"] = partial(follow_gazetteer, interpreters, settings.gazetteer, pool)
    if settings.titles_from:
        jobs["titles"] = partial(follow_titles, interpreters, settings.titles_from, settings.titles_every_seconds, pool)
    try:
        async with in_background(jobs):
            yield ServiceBundle(
                (
                    ServiceBinding(
                        "trirag.perception.v1.PerceptionService",
                        perception_pb2_grpc.add_PerceptionServiceServicer_to_server,
                        PerceptionServicer(interpreters.of, pool),
                    ),
                )
            )
    finally:
        pool.close()


def _load(settings: PerceptionSettings) -> Interpreters:
    try:
        return load_interpreters(settings, settings.config_dir / "perception", settings.kept_dir)
    except (RulePackError, GazetteerError) as error:
        raise FailedPrecondition("BAD_RULES", str(error)) from None


if __name__ == "__main__":
    run_service("perception", PerceptionSettings, build)
