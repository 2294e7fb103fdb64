"""Separated values as spreadsheets, databases and old systems write them, and as they get hurt."""

from __future__ import annotations

import pytest

from services.retrieval.adapters.parsers.csv_dialect import form_of
from services.retrieval.adapters.parsers.registry import parse_file
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.quality.rejection import DocumentRejected, Reason

_TWO = "| Name | Note |\n| --- | --- |\n| Pump | {} |\n| Fan | {} |"


def read(text: str | bytes, name: str = "a.csv") -> str:
    content = text if isinstance(text, bytes) else text.encode()
    return parse_file(content, name, IngestConfig()).text.strip()


@pytest.mark.parametrize(
    ("source", "first", "second"),
    [
        ("Name,Note\rPump,5\rFan,6\r", "5", "6"),
        ('Name,Note\r"Pump","a\rb"\rFan,6', "a b", "6"),
        ("Name;Note\r\nPump;1,5\r\nFan;2,5\r\n\x1a", "1,5", "2,5"),
        ("Name\tNote\nPump\ta, b\nFan\tc; d\n", "a, b", "c; d"),
        ("\ufeffName,Note\nPump,5\nFan,6\n", "5", "6"),
        ("\ufeffsep=;\r\nName;Note\r\nPump;5\r\nFan;6\r\n", "5", "6"),
        ('Name, Note\nPump, "a, b"\nFan, 6\n', "a, b", "6"),
        ('Name,Note\nPump,"line one\n\nline two"\nFan,"a ""b"""\n', "line one line two", 'a "b"'),
        ('Name,Note\nPump,5" pipe\nFan,"ok, fine"\n', '5" pipe', "ok, fine"),
        ('Name,Note\nPump,"a \\"b\\" c, d"\nFan,6\n', 'a "b" c, d', "6"),
        ('Name,Note\nPump,="007"\nFan,"=""008"""\n', "007", "008"),
        ("Name,Note\nPump,it's so\nFan,don't\n", "it's so", "don't"),
    ],
)
def test_records_are_read_as_they_are_meant(source: str, first: str, second: str) -> None:
    assert read(source) == _TWO.format(first, second)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
@pytest.mark.parametrize("note", ["large", "大号的泵"])
def test_utf16_is_read_with_and_without_its_mark(encoding: str, note: str) -> None:
    source = f"Name\tNote\r\nPump\t{note}\r\nFan\t6\r\n"
    assert read(source.encode(encoding)) == _TWO.format(note, "6")


def test_a_quotation_mark_that_is_never_closed_swallows_nothing() -> None:
    rows = "".join(f"Item {number},fine\n" for number in range(50))
    text = read(f'Name,Note\nPump,"open\n{rows}')
    assert '| Pump | "open |' in text and all(f"| Item {number} | fine |" in text for number in range(50))
    last = read('Name,Note\nPump,"a, b"\nFan,"open')
    assert last == _TWO.format("a, b", '"open')


def test_characters_that_strayed_in_do_not_make_a_table_binary() -> None:
    assert "Pump\x00" in read(b"Name,Note\nPump\x00,5\nFan,6\n")
    with pytest.raises(DocumentRejected) as refused:
        read(b"N\x00a\x01m\x02e\x03,\x04\n")
    assert refused.value.reason is Reason.NOT_TEXT


def test_a_page_that_is_named_a_table_is_refused_with_what_it_is() -> None:
    with pytest.raises(DocumentRejected, match="HTML") as refused:
        read("<html><table><tr><td>a</td></tr></table></html>")
    assert refused.value.reason is Reason.FORMAT_MISMATCH


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("Datum;Wert\n01.02.2024;1,5\n02.02.2024;2,5\n", ";"), ("Stock of May\nName|Amount\nPump|5\nFan|6\n", "|"),
        ("a,b,c\n1;2,3,4\n5,6,7\n", ","), ("one\ntwo\n", ","), ("", ","),
    ],
)  # fmt: skip
def test_the_separator_is_the_one_that_makes_records_even(text: str, separator: str) -> None:
    assert form_of(text, "a.csv").separator == separator
