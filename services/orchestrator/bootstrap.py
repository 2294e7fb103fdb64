"""Wires the Orchestrator."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import structlog
from alembic.util import CommandError
from sqlalchemy.exc import SQLAlchemyError

from services.common.background import Job, in_background
from services.common.channel import open_channel
from services.common.errors import FailedPrecondition
from services.common.offload import BlockingPool
from services.common.server import ServiceBinding, ServiceBundle
from services.orchestrator.adapters.cel import ConditionError, evaluate_condition
from services.orchestrator.adapters.glossary import gloss
from services.orchestrator.adapters.llm_client import LanguageModel
from services.orchestrator.adapters.migrate import migrate
from services.orchestrator.adapters.perception_client import PerceptionClient
from services.orchestrator.adapters.policy_file import WatchedFile, parse_messages, parse_policy
from services.orchestrator.adapters.policy_history import PolicyHistory
from services.orchestrator.adapters.retrieval_client import RetrievalClient
from services.orchestrator.adapters.trace_store import TraceStore, open_engine
from services.orchestrator.adapters.validation_client import ValidationClient
from services.orchestrator.domain.planner import Planner
from services.orchestrator.gather import Gatherer
from services.orchestrator.loop import AskLoop
from services.orchestrator.metrics import AskMetrics
from services.orchestrator.policy_keeper import PolicyKeeper
from services.orchestrator.policy_servicer import PolicyServicer
from services.orchestrator.servicer import OrchestratorServicer
from services.orchestrator.settings import OrchestratorSettings
from services.orchestrator.write import AnswerWriter
from trirag.orchestrator.v1 import orchestrator_pb2_grpc, policy_pb2_grpc

log = structlog.get_logger("orchestrator")
MIGRATION_PAUSE_SECONDS = 5.0


def evaluate_or_refuse(condition: str, variables: Mapping[str, Any]) -> bool:
    """Evaluates a condition; one that fails on a real question refuses the Ask and names itself."""
    try:
        return evaluate_condition(condition, variables)
    except ConditionError as error:
        raise FailedPrecondition("POLICY_CONDITION_FAILED", f"policy: {error}; mend it in policy.yaml") from None


async def migrated(url: str) -> bool:
    """Brings the trace store's schema up to date; False if that is not possible now.

    The trace store is no hard dependency: answers go out without it, and every loss is counted.
    """
    try:
        await asyncio.to_thread(migrate, url)
    except (SQLAlchemyError, OSError, CommandError) as error:
        log.error("trace_store_not_migrated", problem=str(error).splitlines()[0])
        return False
    return True


async def migrate_when_back(url: str) -> None:
    """A store that was down at the start may come back without any tables."""
    while True:
        await asyncio.sleep(MIGRATION_PAUSE_SECONDS)
        if await migrated(url):
            return


@asynccontextmanager
async def build(settings: OrchestratorSettings) -> AsyncIterator[ServiceBundle]:
    """Opens the mesh channel, the model client and the trace store; watches policy and messages."""
    path = settings.config_dir / "policy.yaml"
    policy = WatchedFile(path, parse_policy)
    messages = WatchedFile(settings.config_dir / "messages.yaml", parse_messages)
    model = LanguageModel(f"http://{settings.mesh_address}/v1", settings.llm_model, settings.llm_api_key)
    history = PolicyHistory(open_engine(settings.database_url))
    history_pool = BlockingPool(1, "policy-history")
    keeper = PolicyKeeper(path, policy, history, history_pool)
    jobs: dict[str, Job] = {"policy-reload": keeper.watch, "messages-reload": messages.watch}
    if not await migrated(settings.database_url):
        jobs["trace-store-migration"] = partial(migrate_when_back, settings.database_url)
    async with (
        in_background(jobs),
        open_channel(settings.mesh_address) as channel,
        TraceStore(settings.database_url, settings.trace_queue) as store,
    ):
        validation = ValidationClient(channel)
        gatherer = Gatherer(
            Planner(evaluate_or_refuse),
            PerceptionClient(channel),
            RetrievalClient(channel),
            validation,
            settings.llm_model,
            gloss,
        )
        loop = AskLoop(gatherer, AnswerWriter(model, validation, gloss))
        servicer = OrchestratorServicer(loop, policy, messages, store, AskMetrics())
        try:
            yield ServiceBundle(
                (
                    ServiceBinding(
                        "trirag.orchestrator.v1.OrchestratorService",
                        orchestrator_pb2_grpc.add_OrchestratorServiceServicer_to_server,
                        servicer,
                    ),
                    ServiceBinding(
                        "trirag.orchestrator.v1.PolicyService",
                        policy_pb2_grpc.add_PolicyServiceServicer_to_server,
                        PolicyServicer(keeper, settings.policy_group),
                    ),
                )
            )
        finally:
            await model.close()
            history_pool.close()
            history.close()
