"""Folders, files and JSONL become one stream; what cannot be read is named and the rest goes in."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from cli_fakes import FakeEdge, Result, created_each

from cli.errors import UsageProblem
from cli.ingest.messages import PART_BYTES, Upload
from cli.ingest.sources import find_sources
from cli.render.progress import Progress
from services.common.errors import FailedPrecondition, Internal, Unavailable
from trirag.retrieval.v1 import knowledge_base_pb2 as pb

Trirag = Callable[..., Result]


def files_of(edge: FakeEdge) -> list[pb.IngestFile]:
    return [m.file for m in edge.requests["Ingest"][-1] if m.HasField("file")]


def documents_of(edge: FakeEdge) -> list[pb.IngestDocument]:
    return [m.document for m in edge.requests["Ingest"][-1] if m.HasField("document")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    (root / "en").mkdir(parents=True)
    (root / "en" / "a.md").write_text("# A")
    (root / "b.txt").write_text("B")
    (root / ".hidden").write_text("secret")
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("x")
    (root / "meta.yaml").write_text(
        '- {"match": "*.md", "set": {"language": "en", "authority": 2}}\n'
        '- {"match": "en/a.md", "set": {"authority": 4, "published_at": 2024-01-31, "access_groups": ["hr", "ops"]}}\n'
    )
    return root


def test_a_folder_goes_in_with_the_metadata_of_its_sidecar(edge: FakeEdge, trirag: Trirag, folder: Path) -> None:
    result = trirag("ingest", str(folder), "--kb", "docs")
    assert result.status == 0, result.err
    start = edge.requests["Ingest"][0][0].start
    assert (start.knowledge_base, start.expected_documents) == ("docs", 2)
    by_path = {f.path: f for f in files_of(edge)}
    assert sorted(by_path) == ["b.txt", "en/a.md"]
    assert dict(by_path["en/a.md"].metadata.fields) == {
        "language": "en",
        "authority": "4",
        "published_at": "2024-01-31",
        "access_groups": "hr,ops",
    }
    assert dict(by_path["b.txt"].metadata.fields) == {}
    assert "2 hidden file(s) skipped" in result.out


def test_a_single_file_finds_the_sidecar_above_it(folder: Path) -> None:
    found = find_sources([folder / "en" / "a.md"])
    assert found.files[0].name == "a.md"
    assert found.files[0].fields["authority"] == "4"


def test_a_sidecar_elsewhere_counts_from_the_ingested_folder(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / "meta.yaml"
    other.parent.mkdir()
    other.write_text('- {"match": "en/*", "set": {"language": "zh"}}')
    found = find_sources([folder], other)
    assert {f.name: f.fields for f in found.files} == {"b.txt": {}, "en/a.md": {"language": "zh"}}


def test_a_folder_below_uses_the_nearest_sidecar(folder: Path) -> None:
    (folder / "en" / "meta.yaml").write_text('- {"match": "a.md", "set": {"title": "Inner"}}')
    found = find_sources([folder])
    assert {f.name: f.fields for f in found.files} == {"b.txt": {}, "en/a.md": {"title": "Inner"}}


def test_what_is_no_file_is_named_and_never_waited_for(edge: FakeEdge, trirag: Trirag, folder: Path) -> None:
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "gone.md").symlink_to(folder / "nowhere.md")
    result = trirag("ingest", str(folder), "--kb", "docs")
    assert result.status == 1
    assert sorted(f.path for f in files_of(edge)) == ["b.txt", "en/a.md"]
    assert "gone.md: UNREADABLE_FILE: is a link to something that does not exist" in result.out
    assert "pipe.jsonl: UNREADABLE_FILE: is a pipe" in result.out
    alone = trirag("ingest", str(folder / "pipe.jsonl"), "--kb", "docs")
    assert (alone.status, "is a pipe" in alone.out) == (1, True)


def test_a_large_file_comes_in_parts_and_an_empty_one_in_one(edge: FakeEdge, trirag: Trirag, tmp_path: Path) -> None:
    content = bytes(range(256)) * (PART_BYTES // 128)
    (tmp_path / "large.pdf").write_bytes(content)
    (tmp_path / "small.md").write_bytes(b"")
    (tmp_path / "whole.txt").write_bytes(b"x" * PART_BYTES)
    assert trirag("ingest", str(tmp_path), "--kb", "docs").status == 0
    parts = files_of(edge)
    large = [p for p in parts if p.path == "large.pdf"]
    assert b"".join(p.content for p in large) == content
    assert [p.last_part for p in large] == [False, True]
    assert all(len(p.content) <= PART_BYTES for p in parts)
    assert [(p.content, p.last_part) for p in parts if p.path == "small.md"] == [(b"", True)]
    assert [p.last_part for p in parts if p.path == "whole.txt"] == [True]


def test_a_broken_line_is_named_and_the_others_go_in(edge: FakeEdge, trirag: Trirag, tmp_path: Path) -> None:
    lines = [
        json.dumps({"document_id": "one", "title": "One", "text": "甲", "authority": 5, "access_groups": ["hr"]}),
        '{"document_id": "two", "text": ',
        "",
        json.dumps(["no", "object"]),
        json.dumps({"text": "no id"}),
        json.dumps({"document_id": "no-text"}),
        json.dumps({"document_id": "bad", "text": "x", "title": {"en": "x"}}),
        '{"document_id": "half", "text": "\\ud800"}',
    ]
    file = tmp_path / "documents.jsonl"
    file.write_bytes("\n".join(lines).encode() + b'\n{"document_id": "latin", "text": "\xe9"}\n')
    result = trirag("ingest", str(file), "--kb", "docs", "--json")
    sent = documents_of(edge)
    assert [(d.origin, d.text) for d in sent] == [("documents.jsonl:1", "甲")]
    assert dict(sent[0].metadata.fields) == {
        "document_id": "one",
        "title": "One",
        "authority": "5",
        "access_groups": "hr",
    }
    assert result.status == 1
    rejected = {r["origin"]: r["reason"] for r in result.json["rejected"]}
    assert rejected == {
        "documents.jsonl:2": "BROKEN_JSON",
        "documents.jsonl:4": "BROKEN_JSON",
        "documents.jsonl:5": "INVALID_METADATA",
        "documents.jsonl:6": "EMPTY_TEXT",
        "documents.jsonl:7": "INVALID_METADATA",
        "documents.jsonl:8": "BROKEN_JSON",
        "documents.jsonl:9": "BROKEN_JSON",
    }


def test_a_sidecar_gives_lines_what_they_do_not_say(edge: FakeEdge, trirag: Trirag, tmp_path: Path) -> None:
    (tmp_path / "meta.yaml").write_text(
        '- {"match": "*.jsonl", "set": {"document_id": "same", "language": "zh", "authority": 2}}'
    )
    (tmp_path / "d.jsonl").write_text('{"document_id": "own", "text": "x", "authority": 4}\n')
    assert trirag("ingest", str(tmp_path), "--kb", "docs").status == 0
    assert dict(documents_of(edge)[0].metadata.fields) == {"document_id": "own", "language": "zh", "authority": "4"}


def test_rejections_of_the_service_are_listed_and_exit_with_1(edge: FakeEdge, trirag: Trirag, folder: Path) -> None:
    def answer(received: list[pb.IngestRequest]) -> list[pb.IngestResponse]:
        rejected = pb.DocumentResult(
            origin="b.txt", outcome=pb.DOCUMENT_OUTCOME_REJECTED, reason="EMPTY_TEXT", message="no text; add some"
        )
        *_, summary = created_each(received)
        summary.summary.rejected.append(rejected)
        return [pb.IngestResponse(document=rejected), summary]

    edge.answers["Ingest"] = answer
    result = trirag("ingest", str(folder), "--kb", "docs")
    assert result.status == 1
    assert result.out.count("b.txt: EMPTY_TEXT: no text; add some") == 1


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
    assert pauses == [0.5, 1.0, 2.0]
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


def test_a_large_document_shows_its_passages_their_rate_and_the_time_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr("cli.render.progress.time", SimpleNamespace(monotonic=lambda: now[0]))
    with Progress("ingesting", "documents", 2) as progress:
        for now[0], embedded in ((1.0, 0), (1.5, 1500), (2.0, 3000)):  # these lay in the cache
            progress.show(0, "", embedded, 6000)
        for step in range(1, 15):
            now[0] = 2.0 + 6.0 * step
            progress.show(0, "", 3000 + 60 * step, 6000)
    lines = [line.removeprefix("trirag: 0 of 2 documents, ") for line in capsys.readouterr().err.splitlines()]
    assert lines[0] == "3060 of 6000 passages of those at work"  # nobody knows yet
    assert lines[1] == "3120 of 6000 passages of those at work, 10.0 a second, about 5 min left"
    assert lines[-1] == "3840 of 6000 passages of those at work, 10.0 a second, about 4 min left"


def test_an_error_of_a_service_is_no_cut(edge: FakeEdge, trirag: Trirag, folder: Path) -> None:
    edge.answers["Ingest"] = lambda received: [created_each(received)[0], Internal("BUG", "RST_STREAM is our word")]
    assert trirag("ingest", str(folder), "--kb", "docs").status == 1
    assert len(edge.requests["Ingest"]) == 1


def test_a_store_that_is_down_is_one_line(edge: FakeEdge, trirag: Trirag, folder: Path) -> None:
    edge.answers["Ingest"] = Unavailable("STORE_DOWN", "the store is down; try again")
    result = trirag("ingest", str(folder), "--kb", "docs", "--json")
    assert (result.status, result.out) == (1, "")
    assert result.complaint == "trirag: the store is down; try again"


@pytest.mark.parametrize(
    ("sidecar", "told"),
    [
        ("match: x", "a list of entries"),
        ('- {"match": "*", "set": {"titel": "x"}}', "'titel' is not a metadata field"),
        ("- [", "is not YAML"),
        ("- match: a\n  set: {title: 2024-13-45}", "meta.yaml:2: is not YAML: '2024-13-45' cannot be read"),
        ("- match: '*'\n  set: {access_groups: hr, access_groups: all}", ":2: is not YAML: the key 'access_groups' st"),
        ("- {match: '[z-a]', set: {title: x}}", "match '[z-a]' is not a glob"),
        ('- {"match": "*"}', "set must be a mapping"),
    ],
)
def test_a_malformed_sidecar_stops_before_anything_is_sent(
    edge: FakeEdge, trirag: Trirag, folder: Path, sidecar: str, told: str
) -> None:
    (folder / "meta.yaml").write_text(sidecar)
    result = trirag("ingest", str(folder), "--kb", "docs")
    assert result.status == 2
    assert told in result.complaint
    assert "Ingest" not in edge.requests


def test_an_empty_folder_is_bad_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="holds no file to ingest"):
        find_sources([tmp_path])


def test_odd_file_names_travel(edge: FakeEdge, trirag: Trirag, tmp_path: Path) -> None:
    for name in ("line\nbreak.md", "😀.md", "手册.md"):
        (tmp_path / name).write_text("x")
    (tmp_path / b"latin\xe9.md".decode("utf-8", "surrogateescape")).write_text("x")
    assert trirag("ingest", str(tmp_path), "--kb", "docs").status == 0
    assert {f.path for f in files_of(edge)} == {"line\nbreak.md", "😀.md", "手册.md", "latin\ufffd.md"}


def test_files_of_two_folders_never_become_one_document_unseen(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.md").write_text(name)
    paths = [tmp_path / "one", tmp_path / "two"]
    with pytest.raises(UsageProblem, match="would be one document, named x"):
        find_sources(paths)
    (tmp_path / "two" / "meta.yaml").write_text('- {"match": "*", "set": {"document_id": "second"}}')
    assert [f.name for f in find_sources(paths).files] == ["x.md", f"{tmp_path}/two/x.md"]
    assert [f.name for f in find_sources([tmp_path]).files] == ["one/x.md", "two/x.md"]


def test_a_file_that_is_named_twice_goes_in_once(folder: Path) -> None:
    found = find_sources([folder, folder / "b.txt", folder])
    assert sorted(f.name for f in found.files) == ["b.txt", "en/a.md"]


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
