"""python -m services.validation"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from services.common.errors import FailedPrecondition
from services.common.offload import BlockingPool
from services.common.server import ServiceBinding, ServiceBundle, run_service
from services.validation.adapters.config import (
    load_config,
    load_judge_policy,
    load_similarity_policy,
)
from services.validation.adapters.glossary import CedictGlossary
from services.validation.adapters.second_opinion import SecondOpinion
from services.validation.adapters.similarity import similarity_of
from services.validation.domain.config import ValidationConfig
from services.validation.domain.reading import text
from services.validation.servicer import ValidationServicer
from services.validation.settings import ValidationSettings
from services.validation.validator import warm_up
from trirag.validation.v1 import validation_pb2_grpc


@asynccontextmanager
async def build(settings: ValidationSettings) -> AsyncIterator[ServiceBundle]:
    """Loads words, units, policy and dictionaries before the port opens.

    Raises:
        FailedPrecondition: a file of ``config_dir``/validation cannot be used.
    """
    pool = BlockingPool(settings.blocking_threads, "validate")
    try:
        config, opinion = await pool.run(_load, settings)
        yield ServiceBundle(
            (
                ServiceBinding(
                    "trirag.validation.v1.ValidationService",
                    validation_pb2_grpc.add_ValidationServiceServicer_to_server,
                    ValidationServicer(config, pool, opinion),
                ),
            )
        )
    finally:
        pool.close()


def _load(settings: ValidationSettings) -> tuple[ValidationConfig, SecondOpinion | None]:
    directory = settings.config_dir / "validation"
    glossary = CedictGlossary() if settings.dictionary else None
    try:
        config = load_config(directory, glossary=glossary)
        policy = load_judge_policy(directory)
        near = similarity_of(load_similarity_policy(directory), settings.judge_api_key)
    except ValueError as error:
        raise FailedPrecondition("BAD_CONFIG", str(error)) from None
    config = replace(config, similarity=near)
    text.warm_up()
    if glossary is not None:
        glossary.warm_up()
    warm_up(config)
    return config, SecondOpinion.of(policy, settings.judge_api_key)


if __name__ == "__main__":
    run_service("validation", ValidationSettings, build)
