"""Lines of a PDF page as they are seen, each in fragments that wide gaps set apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median

from services.retrieval.adapters.parsers.pdf_shades import Box
from services.retrieval.adapters.parsers.pdf_words import Word

# A gap wider than this many times the size of the font is no space between two words of a sentence.
FRAGMENT_GAP = 1.1
# Words whose heights overlap by this share stand on one line.
_SAME_LINE = 0.5


@dataclass(slots=True)
class Line:
    """Words that stand beside one another, from left to right."""

    words: list[Word] = field(default_factory=list)

    @property
    def top(self) -> float:
        """Upper edge of the highest word."""
        return min(word.box[1] for word in self.words)

    @property
    def bottom(self) -> float:
        """Lower edge of the lowest word."""
        return max(word.box[3] for word in self.words)

    @property
    def middle(self) -> float:
        """Half-way down."""
        return (self.top + self.bottom) / 2

    @property
    def size(self) -> float:
        """Height of the print."""
        return float(median(word.size for word in self.words))


def stretches(words: Sequence[Word]) -> Iterator[list[Line]]:
    """Lines from top to bottom, for each stretch of the page that the file writes from top to bottom.

    A row of a table is written before the next one; the next column of an article begins above the end of the one
    before, and so do a body after its footer and a frame beside a text.
    """
    stretch: list[Word] = []
    left = edge = 0.0
    for word in words:
        if stretch and word.box[3] < edge:
            yield _lines(stretch)
            stretch = []
        if not stretch or word.box[0] < left + word.size:
            left = word.box[0] if not stretch else min(left, word.box[0])
            edge = word.box[1] - 0.5 * word.size
        stretch.append(word)
    if stretch:
        yield _lines(stretch)


def _lines(words: Sequence[Word]) -> list[Line]:
    lines: list[Line] = []
    for word in sorted(words, key=lambda item: item.box[1] + item.box[3]):
        # A word that is far higher than its neighbours, such as an initial, is compared with the last few lines.
        line = next((line for line in lines[:-4:-1] if _beside(line.words[0].box, word.box)), None)
        if line is None:
            lines.append(Line([word]))
        else:
            line.words.append(word)
    for line in lines:
        line.words.sort(key=lambda item: item.box[0])
    return lines


def _beside(one: Box, other: Box) -> bool:
    overlap = min(one[3], other[3]) - max(one[1], other[1])
    return overlap > _SAME_LINE * min(one[3] - one[1], other[3] - other[1])
