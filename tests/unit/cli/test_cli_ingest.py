"""Folders, files and JSONL become one stream; what cannot be read is named and the rest goes in."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from cli_fakes import FakeEdge, Result, created_each

from cli.errors import UsageProblem
from cli.ingest.messages import PART_BYTES
from cli.ingest.sources import find_sources
from cli.render.progress import Progress
from trirag.retrieval.v1 import knowledge_base_pb2 as pb

Trirag = Callable[..., Result]


def files_of(edge: FakeEdge) -> list[pb.IngestFile]:
    return [m.file for m in edge.requests["Ingest"][-1] if m.HasField("file")]


def documents_of(edge: FakeEdge) -> list[pb.IngestDocument]:
    return [m.document for m in edge.requests["Ingest"][-1] if m.HasField("document")]


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
