"""Files that are not what their names say, or are of formats that are not read: each refusal names the remedy."""

from __future__ import annotations

import pytest

from services.retrieval.adapters.parsers.registry import parse_file
from services.retrieval.domain.documents import PreparedDocument
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.passages.cleaning import clean_text
from services.retrieval.domain.quality.rejection import DocumentRejected, Reason
from services.retrieval.service.items import DocumentOutcome, FileItem
from services.retrieval.service.prepare import Preparer

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
_GOOD = '{"document_id": "%s", "title": "T", "text": "Some text of it."}'


def refusal(content: bytes, name: str) -> DocumentRejected:
    with pytest.raises(DocumentRejected) as refused:
        parse_file(content, name, IngestConfig())
    return refused.value


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("a.doc", "save it as DOCX"), ("a.odt", "save it as DOCX"), ("A.XLS", "save it as XLSX"),
        ("a.epub", "convert it to HTML"), ("a.json", "JSONL"), ("a.png", "OCR"), ("a.7z", "ZIP"), ("a.eml", "attached"),
        ("a.what", "convert it"), ("README", "'no ending'"),
    ],
)  # fmt: skip
def test_formats_that_are_not_read_are_named_with_what_to_do(name: str, remedy: str) -> None:
    refused = refusal(b"some bytes", name)
    assert refused.reason is Reason.UNSUPPORTED_FORMAT
    assert remedy in refused.message and ".docx" in refused.message


@pytest.mark.parametrize(
    ("name", "content", "reason", "words"),
    [
        ("a.docx", _OLE + "EncryptedPackage".encode("utf-16-le"), Reason.ENCRYPTED_FILE, "without one"),
        ("a.docx", _OLE + "WordDocument".encode("utf-16-le"), Reason.FORMAT_MISMATCH, "old Office"),
        ("a.xlsx", b"<html><table><tr><td>1</td></tr></table>", Reason.FORMAT_MISMATCH, "is HTML"),
        ("a.pptx", b"just words", Reason.FORMAT_MISMATCH, "is text"),
        ("a.pptm", b"", Reason.EMPTY_FILE, "again"),
    ],
)
def test_files_that_are_something_else_are_refused_with_what_they_are(
    name: str, content: bytes, reason: Reason, words: str
) -> None:
    refused = refusal(content, name)
    assert refused.reason is reason and words in refused.message


def prepared(text: str | bytes) -> list[tuple[str, str]]:
    """Origin and id, or reason, of each line of a JSONL file."""
    preparer = Preparer("kb", IngestConfig(), len, lambda _id: None, "e")
    content = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    found = []
    for item in preparer.split(FileItem("a.jsonl", content, {})):
        for outcome in preparer.prepare(item):
            if isinstance(outcome, PreparedDocument):
                found.append((outcome.origin, outcome.metadata.document_id))
            else:
                assert isinstance(outcome, DocumentOutcome) and outcome.message
                found.append((outcome.origin, outcome.reason))
    return found


@pytest.mark.parametrize(
    "bad",
    ["not json", '{"document_id": "x"}', "[1, 2]", '"text"', '{"text": "t", "n": ' + "1" * 5_000 + "}",
     '{"text": "t", "a": ' + "[" * 5_000 + "]" * 5_000 + "}", '{"document_id": "s\\ud800", "text": "t"}'],
)  # fmt: skip
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_bad_line_is_told_by_its_number_and_the_others_are_read(bad: str, end: str) -> None:
    found = prepared(end.join([bad, _GOOD % "a", "", bad, _GOOD % "b"]))
    assert [origin for origin, _ in found] == ["a.jsonl:1", "a.jsonl:2", "a.jsonl:4", "a.jsonl:5"]
    assert [found[1][1], found[3][1]] == ["a", "b"]
    assert {found[0][1], found[2][1]} <= {"BROKEN_JSON", "INVALID_METADATA"}


def test_an_array_of_documents_is_refused_once_and_not_line_by_line() -> None:
    assert prepared(f"[\n{_GOOD % 'a'},\n{_GOOD % 'b'}\n]\n") == [("a.jsonl", "BROKEN_JSON")]


def test_utf16_lines_are_read() -> None:
    assert prepared((_GOOD % "a").encode("utf-16-le")) == [("a.jsonl:1", "a")]


def test_characters_that_no_store_takes_are_marked_and_halves_that_stand_together_joined() -> None:
    clean = clean_text("a\x00b \ud83d\ude00 c\ud800 d")
    assert clean.text == "a\ufffdb 😀 c\ufffd d" and clean.control_characters == 2
    clean.text.encode()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_chapters_of_a_text_are_lines_whatever_ends_them(end: str) -> None:
    text = parse_file(
        end.join(["第一章 总则", "第一条 内容。", "第二章 附则", ""]).encode(), "a.txt", IngestConfig()
    ).text
    assert text == "## 第一章 总则\n第一条 内容。\n## 第二章 附则\n"


def test_colours_of_a_log_are_no_text() -> None:
    assert parse_file(b"\x1b[1;31mfailed\x1b[0m at 5\n", "a.log", IngestConfig()).text == "failed at 5\n"
