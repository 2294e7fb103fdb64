"""Design section 5, with real processes stopped and killed behind a real Envoy."""

from __future__ import annotations

import signal

import pytest

from tests.faults.scenario import Observation, Report, play
from tests.stack import LocalStack

pytestmark = pytest.mark.stack
FAULTS = pytest.mark.parametrize("fault", [signal.SIGSTOP, signal.SIGKILL], ids=["hangs", "dies"])


def recovered(report: Report) -> bool:
    assert report.after is not None
    return (report.after.status, report.after.degraded) == (report.before.status, False) == ("ANSWERED", False)


def settled(report: Report) -> list[Observation]:
    """Without the Ask that was under way while a killed part was already back."""
    return [o for o in report.during if o.degraded or o.status != "ANSWERED"]


@FAULTS
def test_without_perception_the_raw_question_is_answered_and_marked(stack: LocalStack, fault: signal.Signals):
    report = play(stack, "perception", fault, extractive=True)
    assert settled(report)
    assert all(o.status in ("ANSWERED", "REFUSED") for o in report.during)
    assert all("DEGRADED_PERCEPTION" in o.warnings for o in settled(report))
    assert recovered(report)


@FAULTS
def test_without_validation_only_evidence_leaves(stack: LocalStack, fault: signal.Signals):
    report = play(stack, "validation", fault, extractive=True)
    assert settled(report)
    assert all((o.status, o.method) == ("EVIDENCE_ONLY", "NONE") for o in settled(report))
    assert recovered(report)


@FAULTS
def test_without_milvus_nothing_is_answered_from_memory(stack: LocalStack, fault: signal.Signals):
    report = play(stack, "milvus", fault, extractive=True)
    assert settled(report)
    # What a cache still holds may answer, verified and with the gap named; nothing else may.
    for seen in settled(report):
        cached = seen.status == "ANSWERED" and "ROUTE_UNAVAILABLE" in seen.warnings
        assert cached or (seen.status == "UNAVAILABLE" and seen.retry_info), seen
    assert recovered(report)


@pytest.mark.vllm
@FAULTS
def test_without_the_model_the_answer_is_quoted(stack: LocalStack, fault: signal.Signals, vllm_installed: bool):
    if not vllm_installed:
        pytest.skip("vLLM is not installed; `python -m cli.local vllm` installs it")
    report = play(stack, "vllm", fault, extractive=False)
    assert settled(report)
    for seen in settled(report):
        assert (seen.status, seen.method) == ("ANSWERED", "EXTRACTIVE"), seen
        assert "LLM_UNAVAILABLE" in seen.warnings, seen
    assert recovered(report)
