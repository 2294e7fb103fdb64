"""trirag doctor"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from cli.errors import EXIT_FAILED, UsageProblem
from cli.options import JsonFlag, connect

if TYPE_CHECKING:
    from cli.client import Client
    from cli.diagnosis.check import Check


def doctor(context: typer.Context, as_json: JsonFlag = False) -> None:
    """Check every part and say what to do; exit status 1 if a part that is needed is down."""
    from cli.diagnosis.check import State
    from cli.render.console import print_json
    from cli.render.doctor import print_check

    found = []
    with connect(context) as client:
        for check in _checks(client):
            found.append(check)
            if not as_json:
                print_check(check)
    healthy = all(check.state is not State.DOWN for check in found)
    if as_json:
        checks = [{"name": c.name, "state": c.state.value, "detail": c.detail, "remedy": c.remedy} for c in found]
        print_json({"healthy": healthy, "checks": checks})
    if not healthy:
        raise typer.Exit(EXIT_FAILED)


def _checks(client: Client) -> Iterator[Check]:
    """Parts of this machine are looked at only if the edge is on this machine."""
    from cli.diagnosis import parts, services
    from cli.local.topology import TopologyError, load_local_settings

    try:
        local = load_local_settings()
    except TopologyError as error:
        raise UsageProblem(str(error)) from None
    edge = services.check_edge(client)
    yield edge
    if not client.settings.loopback:
        yield from services.check_services(client, None)
    else:
        yield from services.check_services(client, local)
        yield from parts.check_envoy(local)
        yield parts.check_milvus(local)
        yield parts.check_llm(local)
    yield parts.check_versions()
