"""PDF files for tests: texts and boxes at given places, from the top left of a page of 612 by 792 points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

HEIGHT = 792
_FONTS = {"": "F1", "bold": "F2", "code": "F3", "zh": "F4"}
_RESOURCES = (
    b"<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >> "
    b"/F2 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >> "
    b"/F3 << /Type /Font /Subtype /Type1 /BaseFont /Courier >> "
    b"/F4 << /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts "
    b"[<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /CIDSystemInfo "
    b"<< /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> >>] >> >> >>"
)


@dataclass
class Page:
    """What is drawn on a page, in the order of the calls; ``turned`` by a multiple of 90 degrees."""

    turned: int = 0
    _shown: list[bytes] = field(default_factory=list)

    def text(self, x: float, y: float, text: str, font: str = "", size: float = 10) -> None:
        """A text whose baseline is ``y`` below the upper edge."""
        if font == "zh":
            shown = b"<" + text.encode("utf-16-be").hex().encode() + b">"
        else:
            escaped = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
            shown = b"(" + escaped.encode("cp1252") + b")"
        place = f"{x} {HEIGHT - y}"
        if self.turned == 90:  # written upwards on a sheet that is shown lying
            self._shown.append(f"BT /{_FONTS[font]} {size} Tf 0 1 -1 0 {y} {x} Tm ".encode() + shown + b" Tj ET")
        else:
            self._shown.append(f"BT /{_FONTS[font]} {size} Tf {place} Td ".encode() + shown + b" Tj ET")

    def lines(
        self, x: float, y: float, texts: Sequence[str], step: float = 12, font: str = "", size: float = 10
    ) -> float:
        """Texts below one another; returns where the next one would stand."""
        for text in texts:
            self.text(x, y, text, font, size)
            y += step
        return y

    def box(self, left: float, top: float, right: float, bottom: float, grey: float = 0.0) -> None:
        """A filled box; a thin one is a rule."""
        self._shown.append(f"{grey} g {left} {HEIGHT - bottom} {right - left} {bottom - top} re f 0 g".encode())

    def content(self) -> bytes:
        """The page's stream."""
        return b"\n".join(self._shown)


def pdf(*pages: Page) -> bytes:
    """A file of these pages."""
    kids = " ".join(f"{3 + 2 * index} 0 R" for index in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] /MediaBox [0 0 612 {HEIGHT}] >>".encode(),
    ]
    for index, page in enumerate(pages):
        content = page.content()
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /Rotate %d /Contents %d 0 R /Resources %s >>"
            % (page.turned, 4 + 2 * index, _RESOURCES)
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    body, offsets = bytearray(b"%PDF-1.7\n"), []
    for number, item in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, item)
    xref = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    start = len(body)
    body += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, xref)
    body += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(body)
