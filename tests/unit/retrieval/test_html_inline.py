"""Raised and lowered text is read by what stands before it, each sibling once."""

from __future__ import annotations

import pytest
from lxml import html

from services.retrieval.adapters.parsers import html_inline


def _spelled(body: str) -> str:
    root = html.fromstring(f"<div>{body}</div>")
    html_inline.spell_out(root)
    return root.text_content()


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("10 m<sup>2</sup> and 3 m<sup>3</sup>", "10 m² and 3 m³"),
        ("10 m<b></b><!-- x --><i></i><sup>2</sup>", "10 m²"),
        ("<b>10 m</b><sup>2</sup><sup>3</sup>", "10 m²^3"),
        ("<p>5</p><p><sup>2</sup> note</p>", "5[2] note"),
        ("10<sup>3<sup>2</sup></sup> x<sub>1<sub>2</sub></sub>", "10^32 x12"),
    ],
)
def test_the_text_before_tells_what_it_is(body: str, text: str) -> None:
    assert _spelled(body) == text


@pytest.mark.parametrize("body", ["<br>" * 300 + "<sup></sup>" * 300, "m" + "<sub></sub><br>" * 300])
def test_each_sibling_is_read_once(monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    read = 0
    honest = html_inline._text_of

    def counted(element: object) -> str:
        nonlocal read
        read += 1
        return honest(element)

    monkeypatch.setattr(html_inline, "_text_of", counted)
    _spelled(body)
    assert 0 < read <= 600
