"""Words of a PDF page with their places, and what is drawn behind them.

All boxes are in points as the page is seen (turned pages included): x from the left, y from the top.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from typing import Any

from services.retrieval.adapters.parsers.pdf_drawn import Drawn, Seen, drawn_on
from services.retrieval.adapters.parsers.pdf_forms import Value
from services.retrieval.adapters.parsers.pdf_looks import Look
from services.retrieval.adapters.parsers.pdf_raised import Ink, raised_edits
from services.retrieval.adapters.parsers.pdf_shades import Box

# PDFium has one of these for a hyphen at the end of a line, and no line feed behind it.
_BREAK = re.compile("[\x02\ufffe]")
# Before the first character of a line in running text stands where it is on its page.
_BEGIN = re.compile("\x01(\\d+)\x03")
_WORD = re.compile(rf"[^\s\x02\ufffe]+{_BREAK.pattern}?|{_BREAK.pattern}")
_LINE = re.compile("[^\\s\x02\ufffe][^\r\n\x02\ufffe]*")
_ENDS = "\r\n\x02\ufffe"
# A line is below another if their bases are further apart than this, in sizes of the print.
_SAME_LINE = 0.5
# Words are looked up by strips of the page of this height, in points; a field that is higher is no line.
_STRIP = 20.0
_MOST_STRIPS = 10


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


def lines_of(text: str) -> list[tuple[int | None, str]]:
    """Lines of a stretch of a page's running text that are not blank, and where each begins in the page's text, None if
    its beginning was taken out."""
    lines = _BREAK.sub("-\n", text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    found = []
    for line in lines:
        begin = _BEGIN.match(line.lstrip())
        shown = _BEGIN.sub("", line).strip()
        if shown:
            found.append((int(begin.group(1)) if begin else None, shown))
    return found


class PageText:
    """A page's text in the order of the file, and where each character stands."""

    def __init__(self, page: Any, textpage: Any) -> None:
        import pypdfium2.raw as pdfium

        self._textpage = textpage
        self._loose = pdfium.FPDFText_GetLooseCharBox
        self._tight = pdfium.FPDFText_GetCharBox
        self._font_size = pdfium.FPDFText_GetFontSize
        self._matrix_of = pdfium.FPDFText_GetMatrix
        self._origin = pdfium.FPDFText_GetCharOrigin
        self._rect = pdfium.FS_RECTF()
        self._matrix = pdfium.FS_MATRIX()
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

    def fill_in(self, values: Iterable[Value]) -> list[str]:
        """Puts what stands in fields beside their labels; returns what has none on its line."""
        fields = [(self._seen(*value.box), value) for value in values]
        lines = self._words_by_height() if fields else {}
        alone = []
        for box, value in fields:
            near = {item for height in _heights(box) for item in lines.get(height, ())}
            beside = [(*item, self._box(item[0]), self._box(item[1])) for item in near]
            beside = [item for item in beside if _on_one_line(item[2], box)]
            after = [item for item in beside if item[2][0] > box[0]]
            before = [item for item in beside if item[3][2] < box[2]]
            if value.is_mark and after:
                at = min(after, key=lambda item: item[2][0])[0]
                self._edits[at] = f"{value.text} {self._edits.get(at, self.text[at])}"
            elif before:
                at = max(before, key=lambda item: item[3][2])[1]
                self._edits[at] = f"{self._edits.get(at, self.text[at])} {value.text}"
            else:
                alone.append(value.text)
        return alone

    def _words_by_height(self) -> dict[int, list[tuple[int, int]]]:
        """First and last characters of words by where about on the page they are."""
        found: dict[int, list[tuple[int, int]]] = {}
        for match in _WORD.finditer(self.text):
            for height in _heights(self._box(match.start())):
                found.setdefault(height, []).append((match.start(), match.end() - 1))
        return found

    def slice(self, start: int, end: int) -> str:
        """A stretch of the text in which powers and numbers of notes are told from other digits."""
        if not any(start <= index < end for index in self._edits):
            return self.text[start:end]
        return "".join(self._edits.get(index, self.text[index]) for index in range(start, end))

    def running(self, start: int, end: int) -> str:
        """A slice in which the beginnings of lines are told, for ``lines_of``."""
        parts, done = [], start
        for match in _LINE.finditer(self.text, start, end):
            if match.start() == 0 or self.text[match.start() - 1] in _ENDS:
                parts.append(f"{self.slice(done, match.start())}\x01{match.start()}\x03")
                done = match.start()
        return "".join([*parts, self.slice(done, end)])

    def look(self, begin: int, before: int | None, page: int) -> Look:
        """How the line is printed that begins at ``begin``; ``before``: where the one above it in the file begins."""
        size, down = self._print(begin)
        gap = None
        if before is not None:
            larger, above = self._print(before)
            distance = (down - above) / max(size, larger, 1.0)
            gap = distance if distance > _SAME_LINE else None
        return Look(round(size, 2), gap, page, self._end(begin) - begin)

    def _print(self, begin: int) -> tuple[float, float]:
        """Size of a line's print, and how far down it is: by three of its characters, whatever their fonts."""
        end = self._end(begin)
        places = sorted({begin, (begin + end) // 2, end - 1})
        sizes, downs = zip(*(self._placed(index) for index in places), strict=True)
        return median(sizes), median(downs)

    def _placed(self, index: int) -> tuple[float, float]:
        """Size of a character's font as it is printed, and how far down its base line is."""
        matrix, x, y = self._matrix, ctypes.c_double(), ctypes.c_double()
        size = float(self._font_size(self._textpage, index))
        if self._matrix_of(self._textpage, index, matrix):
            size *= math.hypot(matrix.c, matrix.d)
        if size <= 0 or not self._origin(self._textpage, index, x, y):
            box = self._box(index)
            return box[3] - box[1], box[3]
        return size, self._seen(x.value, y.value, x.value, y.value)[1]

    def _end(self, begin: int) -> int:
        found = _LINE.match(self.text, begin)
        return found.end() if found else begin + 1

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
        return drawn_on(page, self._seen, self.height)


def _heights(box: Box) -> range:
    """Strips of the page that a box touches."""
    first = int(box[1] // _STRIP)
    return range(first, min(int(box[3] // _STRIP), first + _MOST_STRIPS) + 1)


def _on_one_line(one: Box, other: Box) -> bool:
    return min(one[3], other[3]) - max(one[1], other[1]) > _SAME_LINE * min(one[3] - one[1], other[3] - other[1])


def _turn(rotation: int, bounds: Box) -> Seen:
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
