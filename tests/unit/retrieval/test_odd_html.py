"""Pages whose markup is not what the rules ask for: what a reader sees of them is read, and nothing is told twice."""

from __future__ import annotations

import pytest

from services.retrieval.adapters.parsers.registry import parse_file
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig


def parsed(page: str) -> ParsedFile:
    return parse_file(page.encode(), "a.html", IngestConfig())


def read(body: str) -> str:
    return parsed(f"<html><body>{body}</body></html>").text.strip()


@pytest.mark.parametrize("outer", ["sup", "sub"])
@pytest.mark.parametrize("inner", ["<sup>2</sup>", "<sub>2</sub>", "<math><mi>2</mi></math>"])
def test_scripts_within_scripts_are_read(outer: str, inner: str) -> None:
    text = read(f"<p>The value n<{outer}>k{inner}</{outer}> is the limit</p>")
    assert text.startswith("The value n") and "k2" in text and text.endswith("is the limit")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<form>", "</form>"), ("<center>", "</center>"), ("<div>", "</div>"), ("<tbody><tbody>", "</tbody></tbody>"),
        ("<tbody><form>", "</form></tbody>"),
    ],
)  # fmt: skip
def test_rows_are_found_whatever_stands_around_them(before: str, after: str) -> None:
    rows = "<tr><th>Name</th><th>Limit</th></tr><tr><div><td>Pump</td><td>5 bar</td></div></tr>"
    assert read(f"<table>{before}{rows}{after}</table>").endswith(
        "| Name | Limit |\n| --- | --- |\n| Pump | 5 bar |"
    )  # fmt: skip


def test_cells_without_a_row_are_a_row() -> None:
    assert "| Pump | 5 |" in read("<table><tr><th>Name</th><th>Limit</th></tr><td>Pump</td><td>5</td></table>")


def test_text_outside_the_cells_of_a_table_stands_before_it_once() -> None:
    table = (
        "<table>Bare <caption>Title</caption><tr>words<th>A</th><th>B</th></tr><tr><td>c</td><td>5</td></tr>end</table>"
    )
    text = read(f"<p>x</p>{table}")
    assert text.split("\n") == ["x", "", "Title", "", "Bare words end", "", "| A | B |", "| --- | --- |", "| c | 5 |"]


def test_unseen_text_outside_cells_stays_unseen() -> None:
    rows = "<tr><th>A</th><th>B</th></tr><tr><td>c</td><td>5</td></tr>"
    text = read(f"<table><script>code()</script><div hidden>secret</div>{rows}</table>")
    assert "code" not in text and "secret" not in text and "| c | 5 |" in text


def test_text_of_a_list_outside_its_items_is_read() -> None:
    text = read("<ul>Bare text<li>one</li>tail of one<li>two</li><br>last</ul>")
    assert text.split("\n") == ["Bare text", "- one", "  tail of one", "- two", "  last"]


def test_every_body_is_read_and_the_title_only_as_title() -> None:
    page = parsed("<html><head><title>T</title></head><body><p>a</p></body><body><p>b</p></body><p>c</p></html>")
    assert page.text.split() == ["a", "b", "c"] and page.title == "T"


def test_no_rows_to_span_are_all_that_are_left() -> None:
    head = "<tr><th>Group</th><th>Name</th></tr>"
    text = read(f"<table>{head}<tr><td rowspan=0>g</td><td>a</td></tr><tr><td>b</td></tr><tr><td>c</td></tr></table>")
    assert text.endswith("| g | a |\n| g | b |\n| g | c |")


def test_a_span_goes_on_for_as_many_rows_as_it_says() -> None:
    rows = "".join(f"<tr><td>n{number}</td></tr>" for number in range(1100))
    text = read(f"<table><tr><th>G</th><th>N</th></tr><tr><td rowspan=1101>grp</td><td>first</td></tr>{rows}</table>")
    assert text.endswith("| grp | n1099 |")


def test_a_span_ends_with_its_group_of_rows() -> None:
    head = "<thead><tr><th rowspan=3>Group</th><th>Name</th></tr></thead>"
    first = "<tbody><tr><td rowspan=9>g</td><td>a</td></tr><tr><td>b</td></tr></tbody>"
    text = read(f"<table>{head}{first}<tbody><tr><td>h</td><td>c</td></tr></tbody></table>")
    assert text.split("\n") == ["| Group | Name |", "| --- | --- |", "| g | a |", "| g | b |", "| h | c |"]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ('<p>Press <img src="a" alt="Start"> now <img alt="x.png"><img></p>', "Press Start now"),
        ('<figure><img alt="The pump"><figcaption>The pump</figcaption></figure>', "The pump"),
        ("<ul><li><input type=checkbox checked> done<li><input type=checkbox>open</ul>", "- ☒ done\n- ☐ open"),
        ("<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp>字<rt>ji</rt></ruby></p>", "漢字"),
        ('<p>E = <span><math><mi>m</mi></math></span><span aria-hidden="true">m</span> ok</p>', "E = m ok"),
        ('<div role="heading" aria-level="3">Scope</div><p>Text</p>', "### Scope\n\nText"),
        ("<video>Your browser is too old</video><canvas>old</canvas><p>Text</p>", "Text"),
        ('<p style="DISPLAY: NONE">a</p><p style="font-size:0">b</p><p style="opacity: 0;">c</p><p>Text</p>', "Text"),
        ('<p style="left:-9999px">a</p><p style="font-size:0.9em">b</p><p style="opacity:0.5">c</p>', "b\n\nc"),
        ("<table><tr><th>A</th><th>B</th></tr><tfoot><tr><td>Sum</td><td>9</td></tr></tfoot><tbody><tr><td>x</td>"
         "<td>5</td></tr></tbody></table>", "| A | B |\n| --- | --- |\n| x | 5 |\n| Sum | 9 |"),
    ],
)  # fmt: skip
def test_what_is_seen_is_read_once_and_what_is_not_never(body: str, text: str) -> None:
    assert read(body) == text


@pytest.mark.parametrize(
    "page",
    [
        # As programs write mails: every box around a text has the size 0.
        '<table><tr><td style="font-size:0px"><div class="column" style="font-size:0px"><table><tr>'
        '<td style="font-size:0px;padding:10px"><div style="font-size:13px">Text</div></td></tr></table></div>'
        "</td></tr></table>",
        '<div style="font-size:0"><div class="box">Text</div></div>',
        '<div style="opacity:0;transform:translate3d(0, 20px, 0)"><p>Text</p></div>',
        '<div style="--bs-bg-opacity: 0"><p>Text</p></div>',
    ],
)
def test_what_is_shown_after_all_is_read(page: str) -> None:
    assert read(page) == "Text"


def test_what_has_no_size_of_its_own_within_size_0_stays_unseen() -> None:
    assert read('<div style="font-size:0"><p>a <b style="font-size:0">b</b></p></div><p>Text</p>') == "Text"


def test_a_few_cells_do_not_fill_a_table_of_millions() -> None:
    spanning = "<tr>" + "<td colspan=100 rowspan=0>x" * 20 + "</tr>"
    page = f"<table>{spanning}{'<tr><td>a<td>b' * 3000}</table>"
    assert len(read(page)) < 100 * len(page)
