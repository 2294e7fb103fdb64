"""A question takes as long as its caller waits, and no longer than the policy lets it."""

from __future__ import annotations

import pytest

from services.orchestrator import session as module
from services.orchestrator.domain.policy import Limits
from services.orchestrator.session import Deadline


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock: its one number."""
    clock = [1000.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: clock[0])
    return clock


@pytest.mark.parametrize(("waits", "left"), [(None, 30.0), (10.0, 10.0), (30.0, 30.0), (170.0, 30.0), (0.0, 0.0)])
def test_no_deadline_is_the_longest_and_a_longer_one_is_no_more(now: list[float], waits: float | None, left: float):
    deadline = Deadline.of_call(waits, Limits(max_seconds=30.0))
    assert deadline.remaining() == left


def test_a_call_is_bounded_by_its_own_limit_and_by_what_is_left(now: list[float]) -> None:
    deadline = Deadline.of_call(10.0, Limits())
    assert (deadline.bounded(3.0), deadline.bounded(30.0, reserve=1.0)) == (3.0, 9.0)
    now[0] += 9.5
    assert deadline.remaining(reserve=1.0) == 0.0
    assert 0 < deadline.bounded(3.0, reserve=1.0) < 0.01
