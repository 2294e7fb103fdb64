"""Design section 5, with real processes stopped and killed behind a real Envoy."""

from __future__ import annotations

import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest

from cli.client import Client
from cli.resume import resumed
from cli.settings import read_settings
from tests.faults.scenario import Observation, Report, play
from tests.stack import LocalStack, until
from trirag.retrieval.v1 import knowledge_base_pb2 as kb_pb2
from trirag.retrieval.v1 import knowledge_base_pb2_grpc

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


@pytest.mark.parametrize("part", ["envoy", "retrieval"])
def test_an_ingest_and_its_watcher_go_on_when_what_serves_them_has_died(stack: LocalStack, tmp_path: Path, part: str):
    # Many short sections: what is embedded at a time (64 of them) is done soon, and much is left when it is.
    said = f"Berth {{0}} of the harbour ({part}) has a crane and a depth of {{0}} m. " * 3
    sections = (f"## Berth {number}\n\n{said.format(number)}" for number in range(140))
    (tmp_path / "harbour.md").write_text("\n\n".join(sections))
    base = f"survives-{part}"
    with (
        ThreadPoolExecutor(1) as terminal,
        grpc.insecure_channel(retrieval_of(stack)) as channel,
        Client(read_settings(stack.url), 300.0) as client,
    ):
        bases = knowledge_base_pb2_grpc.KnowledgeBaseServiceStub(channel)

        def job() -> kb_pb2.IngestJob:
            [only] = bases.ListIngestJobs(kb_pb2.ListIngestJobsRequest(knowledge_base=base), timeout=10).jobs or [
                kb_pb2.IngestJob()
            ]
            return only

        ingest = terminal.submit(
            stack.trirag, "ingest", str(tmp_path / "harbour.md"), "--kb", base, "--json", timeout=300
        )
        until(lambda: job().counts["embedded"] > 0, "the ingest does not begin")
        job_id = job().job_id
        request = kb_pb2.WatchIngestJobRequest(job_id=job_id)
        watch = resumed(client, client.knowledge_bases.WatchIngestJob, lambda: request)
        assert next(watch).job.state == kb_pb2.INGEST_JOB_STATE_RUNNING
        stack.signal(part, signal.SIGKILL)
        watched = list(watch)
        ingested = ingest.result()
        assert ingested.status == 0, ingested.stderr
        assert (ingested.json["created"], ingested.json["job_id"]) == (1, job_id)
        assert (job().job_id, job().state) == (job_id, kb_pb2.INGEST_JOB_STATE_DONE)
        assert watched[-1].job.state == kb_pb2.INGEST_JOB_STATE_DONE
    stack.wait_well("perception", "retrieval", "validation", "orchestrator")


def retrieval_of(stack: LocalStack) -> str:
    """The service itself, behind no proxy."""
    return f"{stack.settings.host}:{stack.settings.retrieval_port}"
