"""Repairing what can be repaired in a text, and counting what cannot."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, pstdev

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
# UTF-8 read as Latin-1 or Windows-1252, and replacement characters.
# The last two are what UTF-8's Chinese comma and full stop become in GBK.
_MOJIBAKE = re.compile(
    "(?:[ÃÂâåæçèé][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]{1,2}"
    "|ï»¿|锟斤拷|\ufffd|锛[\u3400-\u9fff€]|銆[\u3400-\u9fff€])"
)
_SPACED_OUT = re.compile(r"(?<!\S)(?:(?:[A-Za-z] ){3,}[A-Za-z]|(?:[\u4e00-\u9fff] ){4,}[\u4e00-\u9fff])(?!\S)")
# Letters of two alphabets in one word, one of them a Cyrillic letter that looks like a Latin one: nobody who types the
# word finds it, and a reader takes it for another.
_LOOK_ALIKE = "АВЕЅІЈКМНОРСТУХаеорсухѕіјԁһ"
_MIXED_SCRIPTS = re.compile(rf"\b(?=[^\W\d_]*[A-Za-z])(?=[^\W\d_]*[{_LOOK_ALIKE}])[^\W\d_]+")
_REPEATS = 5
# Pages have at least so many characters, and differ in length by no more than this share (standard deviation to mean).
_PAGE_CHARACTERS = 200
_EVEN = 0.35
_LINE_CHARACTERS = range(4, 121)
# Lines that repeat by right: tables, headings, list items, rules, quotes, code.
_STRUCTURE_MARKS = ("|", "#", "-", "*", "+", ">", "```", "~~~", "=", "<!--")


@dataclass(frozen=True, slots=True)
class CleanText:
    """Text as it is stored, and the figures of what was found in it. Counts are characters or runs."""

    text: str
    repaired_invisible: int = 0
    control_characters: int = 0
    private_use_characters: int = 0
    mojibake_runs: int = 0
    spaced_out_runs: int = 0
    mixed_script_words: int = 0

    @property
    def dirt_share(self) -> float:
        """Share of control and private-use characters, in [0, 1]."""
        return (self.control_characters + self.private_use_characters) / max(1, len(self.text))

    @property
    def mojibake_share(self) -> float:
        """Mojibake runs for each character, in [0, 1]."""
        return self.mojibake_runs / max(1, len(self.text))


def clean_text(raw: str) -> CleanText:
    """``raw`` with line ends unified and zero-width characters and soft hyphens removed.

    Control and private-use characters are counted but left: a text that has many is refused, and removing
    them would hide that something is missing. Those that no store takes (zero, halves of characters) become U+FFFD.
    """
    text = raw.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n").replace("\u2028", "\n")
    text, invisible = _INVISIBLE.subn("", text)
    text = unicodedata.normalize("NFC", _whole_characters(text))
    controls = private = 0
    for char in _suspects(text):
        category = unicodedata.category(char)
        if category == "Co":
            private += 1
        elif category in ("Cc", "Cn", "Cs"):
            controls += 1
    return CleanText(
        text=_NO_CHARACTER.sub("\ufffd", text),
        repaired_invisible=invisible,
        control_characters=controls,
        private_use_characters=private,
        mojibake_runs=sum(1 for _ in _MOJIBAKE.finditer(text)),
        spaced_out_runs=sum(1 for _ in _SPACED_OUT.finditer(text)),
        mixed_script_words=0 if text.isascii() else sum(1 for _ in _MIXED_SCRIPTS.finditer(text)),
    )


def _whole_characters(text: str) -> str:
    """Halves of a character that stand together, as UTF-16 has them, joined."""
    return _PAIR.sub(lambda pair: pair.group().encode("utf-16-le", "surrogatepass").decode("utf-16-le"), text)


def repeated_lines(text: str) -> int:
    """Lines that come again and again at about the same distance, alike but for their numbers: running headers and
    footers. What a text repeats by itself, such as a subheading in every chapter, comes at uneven distances."""
    places: dict[str, list[int]] = {}
    position = 0
    for raw in text.split("\n"):
        line = raw.strip()
        if len(line) in _LINE_CHARACTERS and not line.startswith(_STRUCTURE_MARKS):
            places.setdefault(re.sub(r"\d+", "#", line), []).append(position)
        position += len(raw) + 1
    return sum(len(at) for at in places.values() if len(at) >= _REPEATS and _evenly_spaced(at))


def _evenly_spaced(places: Sequence[int]) -> bool:
    gaps = [later - earlier for earlier, later in pairwise(places)]
    mean = fmean(gaps)
    return mean >= _PAGE_CHARACTERS and pstdev(gaps) <= _EVEN * mean


_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_NO_CHARACTER = re.compile("[\x00\ud800-\udfff]")
_SUSPECT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\uf8ff\ufff0-\uffff\U000e0000-\U0010ffff]")


def _suspects(text: str) -> list[str]:
    return _SUSPECT.findall(text)


_HAN = re.compile("[\u3400-\u9fff]")
_KANA = re.compile("[\u3040-\u30ff]")
_LATIN = re.compile(r"[A-Za-z]")
_ENGLISH_MARKERS = re.compile(r"\b(?:the|of|and|to|in|is|for|with|that|this)\b", re.IGNORECASE)
_SAMPLE = 20_000


def detect_language(text: str) -> str:
    """``zh``, ``en`` or ``ja`` by script and common words; empty if none of them is evident."""
    sample = text[:_SAMPLE]
    han, kana, latin = (len(pattern.findall(sample)) for pattern in (_HAN, _KANA, _LATIN))
    if kana > 0.1 * (han + kana) and kana > 5:
        return "ja"
    # A Chinese character carries about as much as three to four letters.
    if han * 3 > latin and han > 1:
        return "zh"
    words = max(1, len(sample.split()))
    return "en" if latin and len(_ENGLISH_MARKERS.findall(sample)) > 0.02 * words else ""
