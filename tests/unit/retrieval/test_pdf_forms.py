"""What was filled into forms of PDFs, which stands in no text of their pages."""

from __future__ import annotations

import pytest

from services.retrieval.adapters.parsers.pdf_shades import Box
from services.retrieval.adapters.parsers.registry import parse_file
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.quality.rejection import DocumentRejected
from tests.unit.retrieval.pdf_writer import HEIGHT, Page, pdf

LEFT, RIGHT = 200, 320


def form(page: Page, *fields: str, dynamic: bool = False) -> bytes:
    """A file with fields (the inner part of their dictionaries) on a page."""
    content = pdf(page)
    objects = b"".join(
        b"%d 0 obj\n<< /Type /Annot /Subtype /Widget /P 3 0 R %s >>\nendobj\n" % (50 + number, field.encode("latin-1"))
        for number, field in enumerate(fields)
    )
    references = b" ".join(b"%d 0 R" % (50 + number) for number in range(len(fields)))
    catalog = b"<< /Type /Catalog /AcroForm << /Fields [%s] %s >>" % (references, b"/XFA [(t) 4 0 R]" * dynamic)
    catalog += b" /NeedsRendering true" * dynamic
    body = content[: content.rindex(b"xref\n0 ")].replace(b"<< /Type /Catalog", catalog)
    body = body.replace(b"<< /Type /Page /Parent", b"<< /Type /Page /Annots [%s] /Parent" % references)
    return body + objects + b"trailer << /Size 99 /Root 1 0 R >>\n%%EOF\n"


def text_field(value: str, box: Box, rest: str = "") -> str:
    return f"/FT /Tx /T (f{value}) /V ({value}) /Rect [{box[0]} {box[1]} {box[2]} {box[3]}] {rest}"


def tick(state: str, box: Box) -> str:
    rect = f"/Rect [{box[0]} {box[1]} {box[2]} {box[3]}]"
    return f"/FT /Btn /T (c{state}{box[0]}) /V /{state} /AS /{state} /AP << /N << /Yes 4 0 R /Off 4 0 R >> >> {rect}"


def at(down: float, left: float = LEFT, right: float = RIGHT) -> Box:
    return left, HEIGHT - down - 4, right, HEIGHT - down + 12


def page(*lines: tuple[float, float, str]) -> Page:
    made = Page()
    for x, y, text in lines:
        made.text(x, y, text)
    return made


def read(content: bytes) -> str:
    return parse_file(content, "form.pdf", IngestConfig()).text.strip()


def test_values_stand_beside_their_labels_and_those_without_at_the_end() -> None:
    shown = page((72, 100, "Name:"), (72, 200, "Town:"), (72, 300, "Notes on all of it"))
    values = (
        text_field("John", at(100)), text_field("Paris", at(200)), text_field("no label", at(500)),
        text_field("", at(300)), text_field("hidden", at(300), "/F 2"),
    )  # fmt: skip
    text = read(form(shown, *values))
    assert "Name: John" in text and "Town: Paris" in text and text.endswith("no label") and "hidden" not in text


def test_boxes_tell_their_state_before_their_labels() -> None:
    shown = page((72, 100, "Agreed:"), (150, 100, "yes"), (250, 100, "no"))
    text = read(form(shown, tick("Yes", at(100, 130, 142)), tick("Off", at(100, 230, 242))))
    assert text == "Agreed: ☒ yes ☐ no"


def test_a_form_that_only_its_own_program_can_show_is_refused_in_words() -> None:
    shown = page((72, 100, "Please wait... If this message is not replaced, your viewer cannot show the document."))
    with pytest.raises(DocumentRejected, match="XFA"):
        read(form(shown, dynamic=True))
    assert read(form(shown, text_field("v", at(300)))).startswith("Please wait")
