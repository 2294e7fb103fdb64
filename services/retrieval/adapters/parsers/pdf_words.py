"""Words of a PDF page with their places, and what is drawn behind them.

All boxes are in points as the page is seen (turned pages included): x from the left, y from the top.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from services.retrieval.adapters.parsers.pdf_raised import Ink, raised_edits
from services.retrieval.adapters.parsers.pdf_shades import Box, borders_between

_PATH_OBJECT = 2
# PDFium has one of these for a hyphen at the end of a line, and no line feed behind it.
_BREAK = re.compile("[\x02\ufffe]")
_WORD = re.compile(rf"[^\s\x02\ufffe]+{_BREAK.pattern}?|{_BREAK.pattern}")
# A drawn box that is thinner is a rule, one that is higher and wider than a line of small print is shading.
_RULE_THICKNESS = 2.0
_LEAST_SHADE = 5.0
_LEAST_RULE = 20.0
# Shaded cells tell the columns of lines this far above and below, in points.
_NEAR = 45.0
# A page with more drawn paths is a picture, whose paths say nothing about tables.
_MOST_PATHS = 20_000


@dataclass(frozen=True, slots=True)
class Word:
    """Characters ``start`` to ``end`` of the page's text, without white space."""

    text: str
    start: int
    end: int
    box: Box

    @property
    def size(self) -> float:
        """Height of its line of print: about the size of the font."""
        return self.box[3] - self.box[1]


@dataclass(frozen=True, slots=True)
class Drawn:
    """Filled boxes and horizontal rules of a page, and how many paths there are in all."""

    shades: tuple[Box, ...] = ()
    rules: tuple[Box, ...] = ()
    paths: int = 0

    def borders(self, top: float, bottom: float) -> list[float]:
        """Where shaded cells meet side by side near a stretch of the page: borders of columns, from left to right."""
        met = {
            border
            for border, upper, lower in borders_between(self.shades)
            if upper < bottom + _NEAR and lower > top - _NEAR
        }
        return [border for border in sorted(met) if border - 1 not in met]


def lines_of(text: str) -> list[str]:
    """Lines of a stretch of a page's text that are not blank."""
    lines = _BREAK.sub("-\n", text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [line.strip() for line in lines if line.strip()]


class PageText:
    """A page's text in the order of the file, and where each character stands."""

    def __init__(self, page: Any, textpage: Any) -> None:
        import pypdfium2.raw as pdfium

        self._textpage = textpage
        self._loose = pdfium.FPDFText_GetLooseCharBox
        self._tight = pdfium.FPDFText_GetCharBox
        self._rect = pdfium.FS_RECTF()
        self.width, self.height = page.get_size()
        self._boxes: dict[int, Box] = {}
        self._seen = _turn(page.get_rotation(), page.get_bbox())
        text = textpage.get_text_range()
        count = textpage.count_chars()
        if len(text) != count:  # some characters are more than one unit long, or none
            text = "".join(chr(pdfium.FPDFText_GetUnicode(textpage, index) or 32) for index in range(count))
        self.text: str = text
        self._edits = raised_edits(text, self._height_of, self._ink_of)
        self._leave_out_unseen()

    def _leave_out_unseen(self) -> None:
        """Words that lie beside the page, where nobody sees them, have no characters."""
        for match in _WORD.finditer(self.text if min(self.width, self.height) > 1 else ""):
            first, last = self._box(match.start()), self._box(match.end() - 1)
            left, right = min(first[0], last[0]), max(first[2], last[2])
            top, bottom = min(first[1], last[1]), max(first[3], last[3])
            if right < 0 or left > self.width or bottom < 0 or top > self.height:
                self._edits |= dict.fromkeys(range(match.start(), match.end()), "")

    def slice(self, start: int, end: int) -> str:
        """A stretch of the text in which powers and numbers of notes are told from other digits."""
        if not any(start <= index < end for index in self._edits):
            return self.text[start:end]
        return "".join(self._edits.get(index, self.text[index]) for index in range(start, end))

    def words(self) -> list[Word]:
        """Words in the order of the file; a power belongs to the word before it."""
        words: list[Word] = []
        for match in _WORD.finditer(self.text):
            start = match.start()
            if all(self._edits.get(index) == "" for index in range(start, match.end())):
                continue
            if words and start > 0 and self._edits.get(start - 1) == "":
                start = words.pop().start
            words.append(self._word(start, match.end()))
        return words

    def split(self, word: Word, at: float) -> list[Word]:
        """A word as the parts of it left and right of ``at``; one part if no character begins there."""
        for index in range(word.start + 1, word.end):
            box = self._box(index)
            if (box[0] + box[2]) / 2 >= at:
                return [self._word(word.start, index), self._word(index, word.end)]
        return [word]

    def bold(self, word: Word) -> bool:
        """True if the name of its font says so."""
        import pypdfium2.raw as pdfium

        name = ctypes.create_string_buffer(128)
        flags = ctypes.c_int()
        pdfium.FPDFText_GetFontInfo(self._textpage, word.start, name, 128, flags)
        return b"bold" in name.value.lower()

    def _word(self, start: int, end: int) -> Word:
        first, last = self._box(start), self._box(end - 1)
        box = (min(first[0], last[0]), min(first[1], last[1]), max(first[2], last[2]), max(first[3], last[3]))
        return Word(_BREAK.sub("-", self.slice(start, end)), start, end, box)

    def _box(self, index: int) -> Box:
        found = self._boxes.get(index)
        if found is None:
            found = self._boxes[index] = self._box_of(index)
        return found

    def _box_of(self, index: int) -> Box:
        rect = self._rect
        if self._loose(self._textpage, index, rect) and rect.top - rect.bottom > 1:
            return self._seen(rect.left, rect.bottom, rect.right, rect.top)
        return self._seen(*self._ink(index))

    def _ink(self, index: int) -> Box:
        """What a character covers: left, bottom, right, top in the file's coordinates."""
        left, right, bottom, top = (ctypes.c_double() for _ in range(4))
        self._tight(self._textpage, index, left, right, bottom, top)
        return left.value, bottom.value, right.value, top.value

    def _ink_of(self, index: int) -> Ink:
        left, _, right, lower = self._seen(*self._ink(index))
        return Ink(left, right, self.height - lower)

    def _height_of(self, index: int) -> float:
        box = self._box(index)
        return box[3] - box[1]

    def drawn(self, page: Any) -> Drawn:
        """Shading and horizontal rules, top to bottom."""
        boxes, paths = [], 0
        for item in page.get_objects(filter=[_PATH_OBJECT], max_depth=2):
            paths += 1
            if paths > _MOST_PATHS:
                return Drawn(paths=paths)
            left, bottom, right, top = item.get_bounds()
            boxes.append((self._seen(left, bottom, right, top), _filled(item)))
        shades = [box for box, filled in boxes if filled and min(_size(box)) >= _LEAST_SHADE]
        # A box behind the whole page is its background.
        shades = [box for box in shades if _size(box)[1] < 0.7 * self.height]
        rules = [box for box, _ in boxes if _size(box)[1] <= _RULE_THICKNESS and _size(box)[0] >= _LEAST_RULE]
        return Drawn(tuple(sorted(shades, key=_top)), tuple(sorted(rules, key=_top)), paths)


def _filled(item: Any) -> bool:
    import pypdfium2.raw as pdfium

    mode, stroke = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(item.raw, mode, stroke)
    return bool(mode.value)


def _size(box: Box) -> tuple[float, float]:
    return box[2] - box[0], box[3] - box[1]


def _top(box: Box) -> float:
    return box[1]


def _turn(rotation: int, bounds: Box) -> Callable[[float, float, float, float], Box]:
    """From left, bottom, right, top in the file's coordinates to a box as the page is seen."""
    x0, y0, x1, y1 = bounds

    def upright(left: float, bottom: float, right: float, top: float) -> Box:
        return left - x0, y1 - top, right - x0, y1 - bottom

    def quarter(left: float, bottom: float, right: float, top: float) -> Box:
        return bottom - y0, left - x0, top - y0, right - x0

    def half(left: float, bottom: float, right: float, top: float) -> Box:
        return x1 - right, bottom - y0, x1 - left, top - y0

    def three_quarters(left: float, bottom: float, right: float, top: float) -> Box:
        return y1 - top, x1 - right, y1 - bottom, x1 - left

    return {90: quarter, 180: half, 270: three_quarters}.get(rotation, upright)
