"""Fixtures: fake services behind a real Envoy that reacts within tenths of a second."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio

from cli.local.envoy_config import Tracing
from cli.local.traffic import Traffic, load_traffic
from tests.integration.envoy.harness import SECRET, FakeService, Launch, RunningEnvoy, altered, place_for


@pytest.fixture
def traffic(repository: Path) -> Traffic:
    """config/envoy.yaml, with health checks every tenth of a second so that tests need not wait."""
    quick = load_traffic(repository / "config" / "envoy.yaml")
    for name in quick.upstreams:
        quick = altered(quick, name, health={"interval_seconds": 0.1, "unhealthy_after": 2})
    return quick


@pytest.fixture(scope="session")
def image(repository: Path) -> Path:
    """The descriptor image of the contracts."""
    path = repository / "gen" / "image.binpb"
    assert path.is_file(), "run `make protos` first"
    return path


@pytest_asyncio.fixture
async def launch(tmp_path: Path, traffic: Traffic, image: Path, free_port: Callable[[], int]) -> AsyncIterator[Launch]:
    """Starts fakes and an Envoy in front of them: launch(perception=[fake, fake], orchestrator=[fake])."""
    taken: set[int] = set()

    def fresh_port() -> int:
        # The kernel may offer a port again that was offered before and is not listened on yet.
        while (port := free_port()) in taken:
            pass
        taken.add(port)
        return port

    async with AsyncExitStack() as stack:

        async def start(
            settings: Traffic = traffic,
            tracing: Tracing | None = None,
            llm: int = 0,
            **fakes: list[FakeService],
        ) -> RunningEnvoy:
            ports: dict[str, list[int]] = {}
            for name in traffic.upstreams:
                ports[name] = [fresh_port() for _ in fakes.get(name, [None])]
                for fake, port in zip(fakes.get(name, []), ports[name], strict=False):
                    await fake.start(port)
                    stack.push_async_callback(fake.stop)
            if llm:
                ports["llm"] = [llm]
            jwks = tmp_path / "jwks.json"
            key = base64.urlsafe_b64encode(SECRET).decode().rstrip("=")
            jwks.write_text(json.dumps({"keys": [{"kty": "oct", "alg": "HS256", "kid": "test", "k": key}]}))
            place = place_for(ports, (fresh_port(), fresh_port(), fresh_port()), jwks, image)
            envoy = RunningEnvoy(tmp_path, place, settings, image, tracing)
            envoy.start()
            stack.callback(envoy.stop)
            await envoy.until("listener_manager.", "workers_started", (1).__eq__)
            for name, servers in fakes.items():
                await envoy.until(f"cluster.{name}.", "membership_healthy", len(servers).__eq__)
            return envoy

        yield start
