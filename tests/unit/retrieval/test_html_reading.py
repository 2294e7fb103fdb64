"""Pages as people write them: spanned cells, numbered lists, powers, struck-out words, forms around the page."""

from __future__ import annotations

import pytest

from services.retrieval.adapters.parsers.registry import parse_file
from services.retrieval.domain.ingest_config import IngestConfig


def read(body: str) -> str:
    return parse_file(f"<html><body>{body}</body></html>".encode(), "a.html", IngestConfig()).text.strip()


def test_a_cell_that_spans_rows_is_told_in_each_and_moves_none_of_the_others() -> None:
    head = "<tr><th rowspan=2>Name</th><th colspan=2>Limits</th></tr><tr><th>min</th><th>max</th></tr>"
    first = "<tr><td rowspan=2>Pump</td><td>1</td><td rowspan=3>x</td></tr>"
    body = f"{first}<tr><td>2</td></tr><tr><td>Fan</td><td>3</td></tr>"
    assert read(f"<table><caption>Table 1: Limits</caption>{head}{body}</table>").split("\n") == [
        "Table 1: Limits", "", "| Name | Limits |  |", "| --- | --- | --- |", "| Name | min | max |",
        "| Pump | 1 | x |", "| Pump | 2 | x |", "| Fan | 3 | x |",
    ]  # fmt: skip


def test_a_span_beyond_all_measure_stays_small() -> None:
    text = read("<table>" + "<tr><td colspan=999999 rowspan=999999>a</td><td>b</td></tr>" * 3 + "</table>")
    assert len(text) < 10_000 and text.count("b") == 3


def test_two_columns_of_figures_are_a_table_and_labels_beside_text_are_not() -> None:
    assert "| 3 | 4 |" in read("<table><tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>")
    labels = "<table><tr><td>(a)</td><td>first</td></tr><tr><td>(b)</td><td>second</td></tr></table>"
    assert read(labels) == "(a) first\n\n(b) second"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<ol start=5><li>a<li value=9>b<li>c</ol>", "5. a\n9. b\n10. c"),
        ("<ol type=a><li>x<li>y</ol>", "a. x\nb. y"),
        ("<ol reversed><li>x<li>y</ol>", "2. x\n1. y"),
        ("<ol start=3 type=I><li>x</ol>", "III. x"),
        ("<ol start='²'><li>x</ol>", "1. x"),
    ],
)
def test_lists_keep_their_numbers(source: str, text: str) -> None:
    assert read(source) == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("10 m<sup>2</sup>", "10 m²"),
        ("5 × 10<sup>3</sup> s<sup>−1</sup>", "5 × 10^3 s⁻¹"),
        ("10<sup>-3</sup>", "10^-3"),
        ("H<sub>2</sub>O, log<sub>10</sub>", "H2O, log10"),
        ("the 5<sup>th</sup> day", "the 5th day"),
        ("limits<sup>1</sup> hold", "limits[1] hold"),
        ("在规定<sup>2</sup>中", "在规定[2]中"),
        ("x<sup>n</sup>", "x^n"),
        ("note<sup><a href='#f'>1</a></sup>", "note[1]"),
        ("Let <math><mfrac><mi>F</mi><mi>A</mi></mfrac><mo>=</mo><mn>5</mn></math> be.", "Let F/A=5 be."),
    ],
)
def test_what_place_says_is_said_by_characters(source: str, text: str) -> None:
    assert read(f"<p>{source}</p>") == text


def test_what_is_struck_out_or_unseen_is_left_out() -> None:
    text = read(
        "<p>Price <del>5</del> <s>6</s> <span style='text-decoration: line-through'>7</span> <ins>8</ins> EUR</p>"
        "<p style='visibility:hidden'>no</p>"
    )
    assert text == "Price 8 EUR"


def test_a_form_around_the_page_takes_nothing_away() -> None:
    page = "<form id=aspnetForm><p>Text of the page</p><select><option>o</select><textarea>t</textarea></form>"
    assert read(page) == "Text of the page"


def test_a_paragraph_that_begins_like_markdown_stays_one() -> None:
    text = read("<p>| no table | x</p><p># no heading</p><p>a<br># nor here</p><p>#5 is fine</p>")
    assert text.split("\n\n") == ["\\| no table | x", "\\# no heading", "a\n\\# nor here", "#5 is fine"]


def test_line_breaks_in_code_are_kept() -> None:
    assert read("<pre>a<br>b\n  c</pre>") == "```\na\nb\n  c\n```"
