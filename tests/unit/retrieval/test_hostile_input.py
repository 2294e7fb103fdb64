"""Files and metadata that a stranger, or a template gone wrong, may send."""

from __future__ import annotations

import pytest

from services.retrieval.adapters.parsers.registry import parse_file
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.metadata import read_metadata
from services.retrieval.domain.quality.rejection import DocumentRejected, Reason

CONFIG = IngestConfig()


@pytest.mark.parametrize("tags", ["<p><font><b>", "<div>", "<p><span>"])
def test_text_in_markup_that_is_never_closed_is_kept(tags: str) -> None:
    page = "<html><body>" + "".join(f"{tags}Paragraph number {n} of it." for n in range(400)) + "</body></html>"
    text = parse_file(page.encode(), "deep.html", CONFIG).text
    assert [n for n in range(400) if f"Paragraph number {n} of it." not in text] == []


def test_one_wide_row_does_not_blow_up_the_others() -> None:
    rows = "a,b\n" * 4_000 + ",".join("x" * 20_000) + "\n"
    text = parse_file(rows.encode(), "wide.csv", CONFIG).text
    assert len(text) < 1_000_000
    assert text.count("| a | b |") == 4_000


def test_a_label_of_blanks_is_read_in_one_pass() -> None:
    cells = "".join(f"<tr><td>({' ' * 20_000}x y</td><td>Text {n}</td></tr>" for n in range(20))
    assert "Text 19" in parse_file(f"<table>{cells}</table>".encode(), "labels.html", CONFIG).text


def test_a_span_that_is_no_number_spans_one_cell() -> None:
    row = "<tr><td>{}</td><td>{}</td><td>{}</td></tr>"
    page = f"<table><tr><td colspan='²'>Pump</td><td>Bar</td><td>Litres</td></tr>{row.format('P1', 12, 40)}</table>"
    assert "| P1 | 12 | 40 |" in parse_file(page.encode(), "span.html", CONFIG).text


@pytest.mark.parametrize("value", ["", " ", ",", " , "])
def test_empty_access_groups_open_nothing(value: str) -> None:
    with pytest.raises(DocumentRejected) as refused:
        read_metadata({"document_id": "d", "access_groups": value}, knowledge_base="kb")
    assert refused.value.reason is Reason.INVALID_METADATA
    assert "access_groups: is empty; name the groups" in refused.value.message
