"""The history of the policy on a real PostgreSQL, started for these tests."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

from services.orchestrator.adapters.migrate import migrate
from services.orchestrator.adapters.policy_history import PolicyHistory, PolicyVersion
from services.orchestrator.adapters.trace_store import open_engine

START = datetime(2026, 11, 30, tzinfo=UTC)


def test_processes_that_note_changes_at_once_keep_one_line_of_each(postgres: str):
    migrate(postgres)
    histories = [PolicyHistory(open_engine(postgres)) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        for version in ("a", "b", "a"):
            list(pool.map(lambda h, v=version: h.note(PolicyVersion(v, f"{v}:", START)), histories))
    histories[0].note(PolicyVersion("a", "a:", START, "ana", "back"))
    assert [(v.version, v.subject) for v in histories[1].latest(10)] == [("a", "ana"), ("b", ""), ("a", "")]
    found = histories[2].find("b")
    assert found is not None and (found.yaml, found.since) == ("b:", START)
    for history in histories:
        history.close()
