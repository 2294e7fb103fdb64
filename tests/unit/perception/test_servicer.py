"""PerceptionService over a real socket, with the repository's packs."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.type import date_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from prometheus_client import CollectorRegistry

from services.common.channel import open_channel
from services.common.errors import FailedPrecondition
from services.common.server import start_server
from services.perception.__main__ import build
from services.perception.settings import PerceptionSettings
from trirag.perception.v1 import parsed_question_pb2 as parsed_pb
from trirag.perception.v1 import perception_pb2 as pb
from trirag.perception.v1 import perception_pb2_grpc

TIMEOUT = 20
DAY = date_pb2.Date(year=2025, month=3, day=14)
RULE = """
pack: mine
language: en
rules:
- id: mine.action.degrease
  about: Asks how parts are degreased.
  sets: action
  value: how_to
  score: 0.99
  pattern: '\\bdegreasing drill\\b'
"""


@pytest.fixture
def config(packs: Path, tmp_path: Path) -> Iterator[Path]:
    shutil.copytree(packs, tmp_path / "perception")
    yield tmp_path


@asynccontextmanager
async def serving(config: Path) -> AsyncIterator[Any]:
    settings = PerceptionSettings(config_dir=config, port=0, drain_delay_seconds=0)
    async with build(settings) as bundle:
        running = await start_server(settings, bundle, registry=CollectorRegistry())
        async with open_channel(running.address, propagate=False) as channel:
            yield channel
        await running.drain()


def stub(channel: grpc.aio.Channel) -> Any:
    return perception_pb2_grpc.PerceptionServiceStub(channel)


async def test_parse_and_batch_parse(config: Path) -> None:
    async with serving(config) as channel:
        request = pb.ParseRequest(question="Compare the A320 and the B737 since last quarter.", reference_date=DAY)
        parsed = (await stub(channel).Parse(request, timeout=TIMEOUT)).parsed
        assert parsed.actions[0].action == parsed_pb.ACTION_COMPARE
        assert parsed.actions[0].origin.file == "perception/en/actions.yaml"
        assert parsed.actions[0].origin.line > 0
        assert [m.text for m in parsed.sides] == ["A320", "B737"]
        assert parsed.time.interval.start == date_pb2.Date(year=2024, month=10, day=1)
        batch = pb.BatchParseRequest(
            requests=[request, pb.ParseRequest(question="怎么办理离职手续？", reference_date=DAY)]
        )
        both = (await stub(channel).BatchParse(batch, timeout=TIMEOUT)).parsed
        assert both[0] == parsed
        assert both[1].actions[0].action == parsed_pb.ACTION_HOW_TO


BAD = [
    (pb.ParseRequest(), "question"),
    (pb.ParseRequest(question="x" * 4001), "question"),
    (pb.ParseRequest(question="x", time_zone="Mars/Olympus"), "time_zone"),
    (pb.ParseRequest(question="x", reference_date=date_pb2.Date(year=2025, month=2, day=30)), "reference_date"),
    (pb.ParseRequest(question="x", tenant="../etc"), "tenant"),
]


async def test_bad_requests_name_the_field(config: Path) -> None:
    async with serving(config) as channel:
        for request, field in BAD:
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await stub(channel).Parse(request, timeout=TIMEOUT)
            assert error.value.code() is grpc.StatusCode.INVALID_ARGUMENT
            assert field in (error.value.details() or "")


async def test_health_answers_while_every_parser_thread_is_busy(config: Path) -> None:
    async with serving(config) as channel:
        long = pb.BatchParseRequest(requests=[pb.ParseRequest(question="what is the fee and " * 190)] * 2)
        work = [asyncio.ensure_future(stub(channel).BatchParse(long, timeout=120)) for _ in range(5)]
        health = health_pb2_grpc.HealthStub(channel)
        answer = await health.Check(health_pb2.HealthCheckRequest(), timeout=TIMEOUT)
        assert answer.status == health_pb2.HealthCheckResponse.SERVING
        assert not all(task.done() for task in work)
        await asyncio.gather(*work)


async def test_a_changed_pack_is_live_without_restart_and_a_bad_one_is_not(config: Path) -> None:
    async with serving(config) as channel:
        parse = stub(channel).Parse
        question = pb.ParseRequest(question="Is the degreasing drill in force?", reference_date=DAY)

        async def version() -> str:
            return str((await parse(question, timeout=TIMEOUT)).parsed.rules_version)

        async def until(change: str) -> str:
            async with asyncio.timeout(60):
                while (seen := await version()) == change:
                    pass
            return seen

        first = await version()
        pack = config / "perception" / "mine.yaml"
        pack.write_text(RULE.replace("how_to", "dance"), encoding="utf-8")
        pack.write_text(RULE, encoding="utf-8")
        second = await until(first)
        parsed = (await parse(question, timeout=TIMEOUT)).parsed
        assert parsed.actions[0].origin.rule_id == "mine.action.degrease"
        pack.unlink()
        assert await until(second) == first


async def test_a_bad_pack_stops_start_up_in_words(config: Path) -> None:
    (config / "perception" / "mine.yaml").write_text(RULE.replace("how_to", "dance"), encoding="utf-8")
    with pytest.raises(FailedPrecondition, match=r"mine\.yaml:8"):
        async with serving(config):
            pass
