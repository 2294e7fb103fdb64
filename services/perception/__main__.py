"""python -m services.perception"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from services.common.offload import BlockingPool
from services.common.server import ServiceBinding, ServiceBundle, run_service
from services.perception.bootstrap import build_interpreter
from services.perception.servicer import PerceptionServicer
from services.perception.settings import PerceptionSettings
from trirag.perception.v1 import perception_pb2_grpc


@asynccontextmanager
async def build(settings: PerceptionSettings) -> AsyncIterator[ServiceBundle]:
    """Loads models and packs before the port opens."""
    pool = BlockingPool(settings.blocking_threads, "parse")
    interpreter = await pool.run(
        build_interpreter,
        (settings.config_dir / "perception",),
        settings.spacy_model,
        (),
        settings.fiscal_start_month,
    )
    try:
        yield ServiceBundle(
            (
                ServiceBinding(
                    "trirag.perception.v1.PerceptionService",
                    perception_pb2_grpc.add_PerceptionServiceServicer_to_server,
                    PerceptionServicer(lambda: interpreter, pool),
                ),
            )
        )
    finally:
        pool.close()


if __name__ == "__main__":
    run_service("perception", PerceptionSettings, build)
