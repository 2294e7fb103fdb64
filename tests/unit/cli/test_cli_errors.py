"""Whatever goes wrong is one line on stderr, nothing on stdout, and the right exit status."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_fakes import FakeEdge, Result

from cli.errors import UsageProblem
from cli.render.console import clean, shorten
from cli.settings import parse_url, read_settings
from services.common.errors import InvalidInput, NotFound, Overloaded, Unavailable

Trirag = Callable[..., Result]


def test_help_imports_nothing_heavy() -> None:
    script = (
        "import sys\nfrom cli.main import run\nassert run(['ask', '--help']) == 0\n"
        "heavy = [m for m in ('grpc', 'google.protobuf', 'yaml', 'spacy', 'pymilvus', 'rich') if m in sys.modules]\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env={"PYTHONPATH": ":".join(sys.path)}
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["ask"], "missing argument 'question'"),
        (["ask", "q", "--as-of", "2024-13-01"], "--as-of: '2024-13-01' is no calendar day; write YYYY-MM-DD"),
        (["ask", "q", "--as-of", "20240501"], "--as-of: '20240501' is no calendar day"),
        (["ask", "q", "--as-of", "yesterday"], "--as-of: 'yesterday' is no calendar day"),
        (["ask", "q", "--colour"], "--colour"),
        (["asc", "q"], "asc"),
        (["ask", "q", "--kb", ""], "--kb: the name is empty"),
        (["search", "q"], "--kb"),
        (["search", "q", "--kb", "a", "--type", "fuzzy"], "'fuzzy' is not one of"),
        (["search", "q", "--kb", "a", "--top-k", "0"], "0 is not from 1 to 200"),
        (["search", "q", "--kb", "a", "--top-k", "many"], "valid integer"),
        (["perceive", "q", "--reference-date", "2023-02-30"], "--reference-date: '2023-02-30' is no calendar day"),
        (["validate", "/nonexistent.json"], "/nonexistent.json: No such file or directory"),
        (["policy", "validate", "/nonexistent.yaml"], "/nonexistent.yaml: No such file or directory"),
        (["ingest", "/nonexistent", "--kb", "a"], "/nonexistent: there is no such file or folder"),
        (["eval", "retrieval", "/nonexistent.jsonl"], "/nonexistent.jsonl: No such file or directory"),
        (["kb"], "missing command"),
        (["--url", "ftp://x", "kb", "list"], "--url: 'ftp://x' is no address"),
        (["--timeout", "0", "kb", "list"], "--timeout: must be a number of seconds above 0"),
    ],
)
def test_bad_usage_exits_with_2(trirag: Trirag, arguments: list[str], told: str) -> None:
    result = trirag(*arguments)
    assert (result.status, result.out) == (2, ""), result.err
    assert told.casefold() in result.complaint.casefold()
    assert result.complaint.startswith("trirag: ")


def test_no_command_shows_the_help_and_exits_with_2(trirag: Trirag) -> None:
    result = trirag()
    assert result.status == 2
    assert "ingest" in result.out


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (InvalidInput.of_field("question", "must not be empty", "REQUIRED"), "question: must not be empty"),
        (NotFound("NO_SUCH_KB", "there is no knowledge base x"), "there is no knowledge base x"),
        (
            Overloaded("BUSY", "64 calls are being served", retry_after=1.5),
            "64 calls are being served; try again in 1.5 s",
        ),
        (Unavailable("DOWN", "the store is\ndown"), "the store is down"),
    ],
)
def test_a_refused_request_exits_with_1(edge: FakeEdge, trirag: Trirag, error: Exception, told: str) -> None:
    edge.answers["Ask"] = error
    result = trirag("ask", "", "--json")
    assert (result.status, result.out) == (1, "")
    assert result.complaint == f"trirag: {told}"


def test_nothing_listening_says_how_to_start(trirag: Trirag, free_port: Callable[[], int]) -> None:
    result = trirag("--url", f"127.0.0.1:{free_port()}", "kb", "list")
    assert result.status == 1
    assert "nothing listens on" in result.complaint and "make up" in result.complaint


def test_a_call_that_the_server_does_not_know(edge: FakeEdge, trirag: Trirag) -> None:
    result = trirag("kb", "list")
    assert result.status == 1
    assert "does not offer this call" in result.complaint


def test_the_deadline_is_kept(edge: FakeEdge, trirag: Trirag) -> None:
    import threading

    released = threading.Event()
    edge.answers["Ask"] = lambda request: released.wait(30) and None
    result = trirag("--timeout", "0.2", "ask", "q")
    released.set()
    assert result.status == 1
    assert "no answer from" in result.complaint and "within 0.2 s" in result.complaint


def test_a_fault_of_our_own_is_one_line(trirag: Trirag, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("cli.settings.read_settings", broken)
    result = trirag("kb", "list")
    assert result.status == 1
    assert "ZeroDivisionError: division by zero" in result.complaint


@pytest.mark.parametrize(
    ("case", "told"),
    [
        ("[1]", "no object"),
        ("{", "is not JSON"),
        ('{"question": "q"}', "answer: missing"),
        ('{"question": 3, "answer": "a", "chunks": []}', "question: text is expected"),
        ('{"question": "q", "answer": "a"}', "chunks: a list is expected"),
        ('{"question": "q", "answer": "a", "chunks": ["x"]}', "chunks[0]: an object is expected"),
        ('{"question": "q", "answer": "a", "chunks": [{"chunk_id": "c"}]}', "chunks[0].text: missing"),
        (
            '{"question": "q", "as_of": "1 May", "answer": "a", "chunks": []}',
            "as_of: '1 May' is no date; write YYYY-MM-DD",
        ),
        (
            '{"question": "q", "answer": "a", "chunks": [{"chunk_id": "c", "text": "", "metadata": {"authority": 9}}]}',
            "chunks[0].metadata.authority: 9; write a whole number from 1 to 5",
        ),
        (
            '{"question": "q", "answer": "a", "chunks": '
            '[{"chunk_id": "c", "text": "", "metadata": {"updated_at": 5}}]}',
            "chunks[0].metadata.updated_at: 5 is no date",
        ),
        ('{"question": "\\ud800", "answer": "a", "chunks": []}', "half of a surrogate pair"),
        ('{"question": "q"}\n{"question": "r"}', "use `trirag eval`"),
    ],
)
def test_a_malformed_case_names_the_field(trirag: Trirag, tmp_path: Path, case: str, told: str) -> None:
    file = tmp_path / "case.json"
    file.write_text(case)
    result = trirag("validate", str(file))
    assert result.status == 2
    assert told in result.complaint


def test_text_from_outside_cannot_steer_the_terminal() -> None:
    assert clean("a\x1b[31mb\u202ec\n") == "a\ufffd[31mb\ufffdc\n"
    assert shorten("one\n two\tthree", 8) == "one two…"


@pytest.mark.parametrize(
    ("written", "parsed"),
    [
        ("host", ("host", 8080, False)),
        ("host:9000", ("host", 9000, False)),
        ("[::1]:9000", ("::1", 9000, False)),
        ("http://host", ("host", 80, False)),
        ("https://host/", ("host", 443, True)),
    ],
)
def test_addresses(written: str, parsed: tuple[str, int, bool]) -> None:
    assert parse_url("TRIRAG_URL", written) == parsed


@pytest.mark.parametrize("written", ["", "host:port", "host:99999", "https://", "a b:1", "host/path", "u@host"])
def test_no_addresses(written: str) -> None:
    with pytest.raises(UsageProblem, match="TRIRAG_URL"):
        parse_url("TRIRAG_URL", written)


def test_a_token_with_a_line_break_is_named() -> None:
    with pytest.raises(UsageProblem, match="TRIRAG_TOKEN"):
        read_settings(environ={"TRIRAG_TOKEN": "abc\ndef"})


def test_json_output_keeps_its_characters(edge: FakeEdge, trirag: Trirag) -> None:
    from trirag.perception.v1 import parsed_question_pb2, perception_pb2

    edge.answers["Parse"] = perception_pb2.ParseResponse(parsed=parsed_question_pb2.ParsedQuestion(question="高原机场"))
    result = trirag("perceive", "高原机场", "--json")
    assert "高原机场" in result.out
    assert json.loads(result.out)["question"] == "高原机场"
