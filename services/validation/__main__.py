"""python -m services.validation"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from services.common.errors import FailedPrecondition
from services.common.offload import BlockingPool
from services.common.server import ServiceBinding, ServiceBundle, run_service
from services.validation.adapters.config import ConfigError, load_config
from services.validation.adapters.glossary import CedictGlossary
from services.validation.servicer import ValidationServicer
from services.validation.settings import ValidationSettings
from trirag.validation.v1 import validation_pb2_grpc


@asynccontextmanager
async def build(settings: ValidationSettings) -> AsyncIterator[ServiceBundle]:
    """Loads configuration and dictionary before the port opens."""
    pool = BlockingPool(settings.blocking_threads, "judge")
    glossary = CedictGlossary()
    try:
        config = await pool.run(load_config, settings.config_dir / "validation", glossary=glossary)
    except ConfigError as error:
        raise FailedPrecondition("INVALID_CONFIGURATION", str(error)) from None
    await pool.run(glossary.warm_up)
    try:
        yield ServiceBundle(
            (
                ServiceBinding(
                    "trirag.validation.v1.ValidationService",
                    validation_pb2_grpc.add_ValidationServiceServicer_to_server,
                    ValidationServicer(config, pool),
                ),
            )
        )
    finally:
        pool.close()


if __name__ == "__main__":
    run_service("validation", ValidationSettings, build)
