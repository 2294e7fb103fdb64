"""Text normalisation that never moves an offset, and the words of English and Chinese text.

Everything downstream reports spans in the original text, so every normalisation here maps one code point to
exactly one code point.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

import jieba
import snowballstemmer

from services.validation.domain.reading.spellings import one_spelling

_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_SINGLE = {
    "\u3000": " ",
    "\u00a0": " ",
    "\u2009": " ",
    "\u202f": " ",
    "\u2007": " ",
    "\u200b": " ",
    "\ufeff": " ",
    "\u2010": "-",
    "\u2011": "-",
    "\u2012": "-",
    "\u2013": "-",
    "\u2014": "-",
    "\u2212": "-",
    "\u2015": "-",
    "\u2018": "'",
    "\u2019": "'",
    "\u201c": '"',
    "\u201d": '"',
    "\u00b5": "\u03bc",
}
_KEEP = {ord(mark) for mark in "，。；：！？（）、"}
_TABLE = {k: v for k, v in _FULL_WIDTH.items() if k not in _KEEP} | {ord(k): ord(v) for k, v in _SINGLE.items()}

HAN = r"\u3400-\u4dbf\u4e00-\u9fff\u3007"
_HAN_RE = re.compile(f"[{HAN}]")
_WORD_RE = re.compile(
    rf"[A-Za-z\u00c0-\u024f]+(?:-[A-Za-z\u00c0-\u024f]+)*(?:'[a-z]+)?|[{HAN}]+"
    r"|\d+(?:[.,]\d+)*(?:(?:st|nd|rd|th)\b)?"
)
_stemmer = snowballstemmer.stemmer("english")
# The stemmer keeps its word in itself; threads take turns (misses of the cache only).
_stemming = Lock()
# The stems of forms that no ending shows.
# fmt: off
_IRREGULAR: dict[str, str] = {
    "buses": "bus", "gases": "gas", "written": "write", "wrote": "write", "paid": "pay", "held": "hold",
    "kept": "keep", "sold": "sell", "bought": "buy", "sent": "send", "told": "tell", "built": "build",
    "left": "leav", "lost": "lose", "drawn": "draw", "taken": "take", "given": "give", "shown": "show",
    "worn": "wear", "driven": "drive", "spun": "spin", "began": "begin", "begun": "begin", "chosen": "choos",
    "broken": "break", "led": "lead", "met": "meet", "ran": "run", "flown": "fly", "grown": "grow",
    "children": "child", "people": "person", "men": "man", "women": "woman", "staffed": "staff", "done": "do",
    "fed": "feed", "caught": "catch", "taught": "teach", "goes": "go", "went": "go", "gone": "go", "drew": "draw",
    "took": "take", "gave": "give", "made": "make", "said": "say", "brought": "bring", "spent": "spend",
    "thought": "think", "knew": "know", "known": "know", "grew": "grow", "drove": "drive", "wore": "wear",
    "chose": "choos", "broke": "break", "fell": "fall", "fallen": "fall", "rose": "rise", "risen": "rise",
    "sought": "seek", "swept": "sweep", "slept": "sleep", "stood": "stand", "understood": "understand",
    "withdrew": "withdraw", "withdrawn": "withdraw", "lent": "lend", "forgot": "forget", "forgotten": "forget",
    "froze": "freez", "frozen": "freez", "hid": "hide", "hidden": "hide", "hung": "hang", "laid": "lay",
    "lain": "lie", "ridden": "ride", "rode": "ride", "seen": "see", "spoke": "speak", "spoken": "speak",
    "stolen": "steal", "stole": "steal", "struck": "strike", "swam": "swim", "swum": "swim", "thrown": "throw",
    "threw": "throw", "woken": "wake", "dealt": "deal", "dug": "dig", "fought": "fight", "flew": "fli",
    "sang": "sing", "sung": "sing", "sank": "sink", "sunk": "sink", "stuck": "stick", "swore": "swear",
    "sworn": "swear", "tore": "tear", "torn": "tear", "feet": "foot", "teeth": "tooth", "mice": "mous",
    "geese": "goos", "knives": "knife", "halves": "half", "shelves": "shelf",
}
# fmt: on
_segmenter = jieba.Tokenizer()
jieba.setLogLevel(60)


def normalise(text: str) -> str:
    """Map full-width forms, odd spaces, dashes and quotes to ASCII, one code point to one code point."""
    return text if text.isascii() else text.translate(_TABLE)


def lower(text: str) -> str:
    """Lower-case without changing the length (a few code points lower-case to two)."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def has_han(text: str) -> bool:
    """True if the text holds at least one Chinese character."""
    return _HAN_RE.search(text) is not None


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The Porter2 stem of one lower-case English word."""
    if word.endswith("'s"):
        word = word[:-2]
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word[-1:].isdigit() or (word[-1:] > "\u2fff" and word[0] != "'"):
        return word  # a name with a number, a Chinese word; the stemmer takes letters from the end only
    with _stemming:
        stemmed = str(_stemmer.stemWord(one_spelling(word)))
    # noise and noisy, analysis and analysed, apply and applied meet.
    return stemmed[:-1] if len(stemmed) > 4 and stemmed.endswith("i") else stemmed


def is_irregular(word: str) -> bool:
    """Whether a lower-case English word is a form that no ending shows: took, taken, children."""
    return word in _IRREGULAR


def add_words(words: tuple[str, ...]) -> None:
    """Teach the Chinese segmenter the words of a lexicon, so that it never cuts through them."""
    for word in words:
        if len(word) > 1 and has_han(word):
            _segmenter.add_word(word)


def warm_up() -> None:
    """Load the Chinese dictionary now instead of at the first Chinese text (about a second)."""
    _segmenter.initialize()
    _no_things()


def _no_things() -> frozenset[str]:
    """Chinese words of two characters and more that the segmenter's dictionary tags as verbs, adverbs, particles."""
    return _tagged()[0]


@lru_cache(maxsize=1)
def _tagged() -> tuple[frozenset[str], frozenset[str]]:
    """The words of two characters and more that name no things, and all that may be verbs."""
    no_things: set[str] = set()
    verbs: set[str] = set()
    with _segmenter.get_dict_file() as lines:
        for line in lines:
            word, _, tag = line.decode("utf-8").strip().split(" ")
            if tag in _TAGS_OF_NO_THINGS and len(word) > 1:
                no_things.add(word)
            if tag in _TAGS_OF_VERBS:
                verbs.add(word)
    return frozenset(no_things), frozenset(verbs)


_TAGS_OF_NO_THINGS = frozenset(("v", "vd", "vi", "a", "ad", "c", "d", "p", "r", "u", "y", "z", "zg", "f", "o", "e"))


_TAGS_OF_VERBS = frozenset(("v", "vn", "vi", "vd", "vg"))


def is_han_verb(word: str) -> bool:
    """Whether a Chinese word may be a verb, as the segmenter's dictionary has it."""
    return word in _tagged()[1]


def names_thing(word: str) -> bool:
    """True unless a Chinese word is known to be no noun: a verb, an adverb, a conjunction."""
    return word not in _no_things()


@dataclass(frozen=True, slots=True)
class Word:
    """One word: ``key`` is the stem (English) or the word itself (Chinese); offsets are into the text."""

    key: str
    surface: str
    start: int
    end: int
    han: bool


def words(text: str, blocked: bytearray | None = None) -> list[Word]:
    """The words of a normalised text in order, without numbers; ``blocked`` marks characters to leave out."""
    found: list[Word] = []
    for match in _WORD_RE.finditer(text):
        start, surface = match.start(), match.group()
        if surface[0].isdigit():
            continue
        if blocked is not None and 1 in blocked[start : match.end()]:
            found.extend(_unblocked(surface, start, blocked))
            continue
        found.extend(_cut(surface, start))
    return found


def _unblocked(surface: str, start: int, blocked: bytearray) -> list[Word]:
    """The words of the stretches of one run that are not blocked."""
    found: list[Word] = []
    run = -1
    for i in range(len(surface) + 1):
        free = i < len(surface) and not blocked[start + i]
        if free and run < 0:
            run = i
        elif not free and run >= 0:
            if run and surface[run] == "内":
                # 24小时内向: within, and then towards; no introvert.
                found.extend(_cut("内", start + run))
                run += 1
            if run < i:
                found.extend(_cut(surface[run:i], start + run))
            run = -1
    return found


def _cut(surface: str, start: int) -> list[Word]:
    if not _HAN_RE.match(surface[0]):
        lowered = lower(surface)
        return [Word(stem(lowered), lowered, start, start + len(surface), False)]
    cut: list[Word] = []
    for piece in _segmenter.cut(surface, HMM=False):
        cut.append(Word(piece, piece, start, start + len(piece), True))
        start += len(piece)
    return cut
