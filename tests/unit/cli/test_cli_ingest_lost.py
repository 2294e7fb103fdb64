"""A stream that is cut, a service that dies or refuses, and Ctrl-C: what the command does then, and what it says."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from cli_fakes import FakeEdge, Result, created_each

from cli.ingest.messages import Upload
from cli.ingest.sources import find_sources
from services.common.errors import FailedPrecondition, Internal, Unavailable
from trirag.retrieval.v1 import knowledge_base_pb2 as pb

Trirag = Callable[..., Result]


def test_a_broken_connection_says_how_far_it_came(edge: FakeEdge, trirag: Trirag, folder: Path) -> None:
    def answer(received: list[pb.IngestRequest]) -> object:
        def events() -> object:
            yield created_each(received)[0]
            raise RuntimeError("the process dies")

        return events()

    edge.answers["Ingest"] = answer
    result = trirag("ingest", str(folder), "--kb", "docs")
    assert (result.status, result.out) == (1, "")
    assert "after 1 of 2 documents" in result.complaint


CUT = Internal("", "Stream removed (RST_STREAM (Received RST_STREAM with error code 2))")


def test_a_stream_that_is_cut_is_taken_up_again(
    edge: FakeEdge, trirag: Trirag, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.resume.PAUSE_SECONDS", 0.0)

    def answer(received: list[pb.IngestRequest]) -> list[object]:
        first, second, summary = created_each(received)
        if len(edge.requests["Ingest"]) == 1:
            first.document.chunk_count = 7
            return [first, CUT]
        first.document.outcome = pb.DOCUMENT_OUTCOME_UNCHANGED
        summary.summary.created, summary.summary.unchanged, summary.summary.chunk_count = 1, 1, 1
        return [first, second, summary]

    edge.answers["Ingest"] = answer
    result = trirag("ingest", str(folder), "--kb", "docs", "--json")
    assert (result.status, result.err) == (0, "")
    assert (result.json["created"], result.json.get("unchanged", 0), int(result.json["chunk_count"])) == (2, 0, 8)
    sent = edge.requests["Ingest"]
    assert len(sent) == 2 and sent[0] == sent[1]
    edge.requests.clear()
    assert "taken up again" in trirag("ingest", str(folder), "--kb", "docs").out


def test_a_stream_that_is_cut_at_once_time_and_again_fails(
    edge: FakeEdge, trirag: Trirag, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.resume.PAUSE_SECONDS", 0.0)
    edge.answers["Ingest"] = lambda received: [created_each(received)[0], CUT]
    result = trirag("ingest", str(folder), "--kb", "docs")
    assert result.status == 1
    assert "after 1 of 2 documents" in result.complaint
    assert len(edge.requests["Ingest"]) == 4


GONE = Unavailable("", "Socket closed")
STARTED = pb.IngestResponse(started=pb.IngestStarted(job_id="j7"))


def starts_of(edge: FakeEdge) -> list[str]:
    """The job that each stream said it goes on with."""
    return [received[0].start.job_id for received in edge.requests["Ingest"]]


def test_a_connection_that_is_lost_is_taken_up_again_for_the_same_job(
    edge: FakeEdge, trirag: Trirag, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("cli.resume.time", SimpleNamespace(monotonic=time.monotonic, sleep=pauses.append))

    def answer(received: list[pb.IngestRequest]) -> object:
        first, second, summary = created_each(received)
        match len(edge.requests["Ingest"]):
            case 1:
                return [STARTED, first, GONE]
            case 2:
                return GONE
            case 3:  # the proxy is back, and does not know the service yet
                return Unavailable("NO_HEALTHY_UPSTREAM", "no healthy server of this service")
        first.document.outcome = pb.DOCUMENT_OUTCOME_UNCHANGED
        summary.summary.created, summary.summary.unchanged, summary.summary.job_id = 1, 1, "j7"
        return [STARTED, first, second, summary]

    edge.answers["Ingest"] = answer
    result = trirag("ingest", str(folder), "--kb", "docs")
    assert result.status == 0 and starts_of(edge) == ["", "j7", "j7", "j7"]
    assert pauses == [0.5, 1.0, 1.0]
    assert "was lost; trying to take it up again" in result.complaint
    assert "the connection was cut 1 time(s) and taken up again" in result.out
    assert result.out.splitlines()[2].split()[:4] == ["2", "0", "0", "0"]


def test_a_connection_that_stays_lost_ends_with_the_job_and_the_way_on(
    edge: FakeEdge, trirag: Trirag, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr("cli.resume.time", SimpleNamespace(monotonic=lambda: now[0], sleep=sleep))
    edge.answers["Ingest"] = lambda received: (
        [STARTED, created_each(received)[0], GONE] if len(edge.requests["Ingest"]) == 1 else GONE
    )
    result = trirag("ingest", str(folder), "--kb", "docs")
    assert (result.status, result.out) == (1, "")
    last = result.err.splitlines()[-1]
    assert "tried again for" in last and "job j7, after 1 of 2 documents" in last
    assert f"`trirag ingest {folder} --kb docs` goes on from there" in last
    assert 100 < now[0] - 1000.0 <= 120 and len(edge.requests["Ingest"]) < 25


def test_a_deleted_knowledge_base_has_nothing_to_go_on_from(edge: FakeEdge, trirag: Trirag, folder: Path) -> None:
    gone = FailedPrecondition("KNOWLEDGE_BASE_DELETED", "knowledge base 'docs' was deleted meanwhile")
    edge.answers["Ingest"] = lambda received: [STARTED, created_each(received)[0], gone]
    result = trirag("ingest", str(folder), "--kb", "docs")
    assert result.status == 1 and "was deleted meanwhile (job j7, after 1 of 2 documents)" in result.err
    assert "stays as it is" not in result.err


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections are tried again without a pause."""
    monkeypatch.setattr("cli.resume.RECONNECT_PAUSES", (0.0,))


def origins_of(received: list[pb.IngestRequest]) -> list[str]:
    """What a stream sent."""
    files = [m.file.path for m in received if m.HasField("file") and m.file.last_part]
    return files + [m.document.origin for m in received if m.HasField("document")]


class Killed:
    """A service that dies when it comes to certain documents, and knows what it stored before."""

    def __init__(self, edge: FakeEdge, *deadly: str) -> None:
        self.edge = edge
        self.deadly = deadly
        self.stored: set[str] = set()

    def __call__(self, received: list[pb.IngestRequest]) -> list[object]:
        events: list[object] = [pb.IngestResponse(started=pb.IngestStarted(job_id="j7"))]
        counts = {"created": 0, "unchanged": 0}
        for origin in origins_of(received):
            if any(name in origin for name in self.deadly):
                return [*events, GONE]
            known = origin in self.stored
            counts["unchanged" if known else "created"] += 1
            self.stored.add(origin)
            outcome = pb.DOCUMENT_OUTCOME_UNCHANGED if known else pb.DOCUMENT_OUTCOME_CREATED
            document = pb.DocumentResult(origin=origin, outcome=outcome, chunk_count=1)
            events.append(pb.IngestResponse(document=document))
        return [*events, pb.IngestResponse(summary=pb.IngestSummary(job_id="j7", **counts))]


@pytest.mark.usefixtures("at_once")
def test_a_file_that_the_service_dies_of_is_named_and_the_others_go_in(
    edge: FakeEdge, trirag: Trirag, tmp_path: Path
) -> None:
    for name in ("a.md", "b.md", "deadly\none.md", "d.md", "e.md"):
        (tmp_path / name).write_text(name)
    service = edge.answers["Ingest"] = Killed(edge, "deadly")
    result = trirag("ingest", str(tmp_path), "--kb", "docs", "--json")
    assert result.status == 1
    assert service.stored == {"a.md", "b.md", "d.md", "e.md"}
    [rejected] = result.json["rejected"]
    assert (rejected["origin"], rejected["reason"]) == ("deadly\\none.md", "ENDS_SERVICE")
    assert "died 2 times while it worked on this alone" in rejected["message"]
    assert "deadly\\none.md: the service died 2 times" in result.err
    assert (result.json["created"], result.json["unchanged"]) == (4, 0)
    # Twice with the others, twice alone, then without it.
    sent = [origins_of(received) for received in edge.requests["Ingest"]]
    assert [len(origins) for origins in sent] == [5, 5, 1, 1, 4]
    assert starts_of(edge) == ["", "j7", "", "", "j7"]


@pytest.mark.usefixtures("at_once")
def test_a_line_that_the_service_dies_of_is_named_and_the_others_go_in(
    edge: FakeEdge, trirag: Trirag, tmp_path: Path
) -> None:
    lines = [json.dumps({"document_id": f"d{number}", "text": "x"}) for number in range(1, 6)]
    (tmp_path / "all.jsonl").write_text("\n".join(lines))
    service = edge.answers["Ingest"] = Killed(edge, "all.jsonl:3", "all.jsonl:5")
    result = trirag("ingest", str(tmp_path), "--kb", "docs", "--json")
    assert {r["origin"] for r in result.json["rejected"]} == {"all.jsonl:3", "all.jsonl:5"}
    assert service.stored == {"all.jsonl:1", "all.jsonl:2", "all.jsonl:4"}


@pytest.mark.usefixtures("at_once")
def test_losses_with_documents_done_in_between_blame_nothing(edge: FakeEdge, trirag: Trirag, tmp_path: Path) -> None:
    names = [f"{number}.md" for number in range(6)]
    for name in names:
        (tmp_path / name).write_text(name)

    def answer(received: list[pb.IngestRequest]) -> list[object]:
        events = created_each(received)
        calls = len(edge.requests["Ingest"])
        return [STARTED, *events[:calls], GONE] if calls < 4 else [STARTED, *events]

    edge.answers["Ingest"] = answer
    result = trirag("ingest", str(tmp_path), "--kb", "docs", "--json")
    assert result.status == 0 and result.json["rejected"] == []
    assert [origins_of(received) for received in edge.requests["Ingest"]] == [names] * 4


@pytest.mark.usefixtures("at_once")
def test_a_service_that_dies_of_everything_is_not_asked_for_ever(
    edge: FakeEdge, trirag: Trirag, tmp_path: Path
) -> None:
    for number in range(20):
        (tmp_path / f"{number:02}.md").write_text("x")
    edge.answers["Ingest"] = [STARTED, GONE]
    result = trirag("ingest", str(tmp_path), "--kb", "docs")
    assert result.status == 1
    assert "with 3 different documents; the service itself is not well" in result.err
    assert len(edge.requests["Ingest"]) == 12


@pytest.mark.usefixtures("at_once")
def test_a_service_that_dies_of_no_document_in_particular_is_not_asked_for_ever(
    edge: FakeEdge, trirag: Trirag, folder: Path
) -> None:
    edge.answers["Ingest"] = lambda received: [STARTED, *created_each(received)[:-1], GONE]
    result = trirag("ingest", str(folder), "--kb", "docs")
    assert result.status == 1 and "of no document that was at work" in result.err
    assert len(edge.requests["Ingest"]) == 2


@pytest.mark.parametrize("refusal", [GONE, Unavailable("NO_HEALTHY_UPSTREAM", "no healthy server of this service")])
def test_what_never_answered_is_not_waited_for(
    edge: FakeEdge, trirag: Trirag, folder: Path, refusal: Unavailable
) -> None:
    edge.answers["Ingest"] = refusal
    result = trirag("ingest", str(folder), "--kb", "docs")
    assert result.status == 1 and "goes on from there" not in result.err
    assert len(edge.requests["Ingest"]) == 1


def test_a_service_that_says_it_cannot_is_believed(edge: FakeEdge, trirag: Trirag, folder: Path) -> None:
    edge.answers["Ingest"] = [STARTED, Unavailable("CATALOGUE_UNAVAILABLE", "the catalogue does not answer")]
    assert trirag("ingest", str(folder), "--kb", "docs").status == 1
    assert len(edge.requests["Ingest"]) == 1


def test_ctrl_c_cancels_the_job_and_says_how_to_go_on(
    edge: FakeEdge, trirag: Trirag, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edge.answers["Ingest"] = lambda received: [STARTED, *created_each(received)]
    edge.answers["CancelIngestJob"] = pb.CancelIngestJobResponse()

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("cli.render.progress.Progress.show", interrupt)
    result = trirag("ingest", str(folder), "--kb", "docs")
    assert result.status == 130
    assert edge.requests["CancelIngestJob"][0].job_id == "j7"
    assert "job j7, after 0 of 2 documents: cancelled; `trirag ingest" in result.err


def test_an_error_of_a_service_is_no_cut(edge: FakeEdge, trirag: Trirag, folder: Path) -> None:
    edge.answers["Ingest"] = lambda received: [created_each(received)[0], Internal("BUG", "RST_STREAM is our word")]
    assert trirag("ingest", str(folder), "--kb", "docs").status == 1
    assert len(edge.requests["Ingest"]) == 1


def test_a_store_that_is_down_is_one_line(edge: FakeEdge, trirag: Trirag, folder: Path) -> None:
    edge.answers["Ingest"] = Unavailable("STORE_DOWN", "the store is down; try again")
    result = trirag("ingest", str(folder), "--kb", "docs", "--json")
    assert (result.status, result.out) == (1, "")
    assert result.complaint == "trirag: the store is down; try again"


def test_what_is_sent_by_itself_rejects_nothing_a_second_time(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a")
    (tmp_path / "b.md").write_text("b")
    (tmp_path / "link.md").symlink_to("nothing")
    (tmp_path / "rows.jsonl").write_text("{\n")
    upload = Upload("docs", find_sources([tmp_path]))
    assert origins_of(list(upload.messages(4))) == ["a.md", "b.md"]
    before = [(r.origin, r.reason) for r in upload.rejected]
    assert [origin for origin, _ in before] == ["link.md", "rows.jsonl:1"]
    assert origins_of(list(upload.messages(1, only="b.md"))) == ["b.md"]
    (tmp_path / "b.md").unlink()
    (tmp_path / "b.md").mkdir()  # cannot be read as a file any more
    assert origins_of(list(upload.messages(1, only="b.md"))) == []
    assert [(r.origin, r.reason) for r in upload.rejected] == before
