"""Analysis of text for keyword search: one word list for documents and queries, in both languages.

The store's own tokenizers differ between its local and its distributed server and none serves English,
Chinese and codes alike, so the words are made here and stored as plain alphanumeric tokens that every
tokenizer leaves alone. English words are stemmed, Chinese is segmented, codes are kept whole.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Protocol

from services.retrieval.domain.passages.codes import find_codes

ANALYZER_VERSION = "2"
"""Part of a document's fingerprint: raise it when the same text would give other tokens."""


class WordSegmenter(Protocol):
    """Cuts Chinese text into words and folds English words to their stems."""

    def segment(self, text: str) -> Iterable[str]:
        """Words of a run of Chinese characters, compound words also by their parts."""
        ...

    def stem(self, word: str) -> str:
        """Stem of a lower-case English word."""
        ...


_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f]+")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?", re.UNICODE)
_ENCODED = re.compile(r"u([0-9a-f]{4,5}(?:x[0-9a-f]{4,5})*)")
_GROUPED = re.compile(r"(?<=\d)[,，](?=\d{3}(?!\d))")

_ENGLISH_STOP_WORDS_TEXT = (
    "a an and are as at be been being but by can could did do does doing for from had has have having he "
    "her hers him his how i if in into is it its me my of on or our ours shall she should so such than "
    "that the their theirs them then there these they this those to too us was we were what when where "
    "which while who whom whose why will with would you your yours"
)
ENGLISH_STOP_WORDS = frozenset(_ENGLISH_STOP_WORDS_TEXT.split())
_CHINESE_STOP_WORDS_TEXT = (
    "的 了 是 在 和 与 及 或 有 被 把 对 就 都 而 也 还 吗 呢 吧 啊 这 那 之 其 "
    "什么 怎么 如何 哪些 哪个 哪 怎样 多少 是否 可以 我 你 他 她 它 我们 你们 他们 一个 以及 请问 请 为 于 等 "
    "中 上 下 由 从 到 向 个 会 能 要 不"
)
_CHINESE_STOP_WORDS = frozenset(_CHINESE_STOP_WORDS_TEXT.split())


def analyze(text: str, segmenter: WordSegmenter) -> list[str]:
    """Tokens of ``text`` in order, then its codes; every token matches ``[0-9a-z]+``.

    Stop words are dropped unless nothing else is left.
    """
    folded = _GROUPED.sub("", unicodedata.normalize("NFKC", text)).casefold()
    words = list(_words(folded, segmenter))
    kept = [word for word in words if word not in ENGLISH_STOP_WORDS and word not in _CHINESE_STOP_WORDS]
    tokens = [encode_token(_stemmed(word, segmenter)) for word in (kept or words)]
    for code in find_codes(text):
        tokens.extend(code_tokens(code))
    return tokens


def _words(folded: str, segmenter: WordSegmenter) -> Iterator[str]:
    position = 0
    for run in _HAN.finditer(folded):
        yield from _latin(folded[position : run.start()])
        yield from segmenter.segment(run.group())
        position = run.end()
    yield from _latin(folded[position:])


def _latin(text: str) -> Iterator[str]:
    for match in _WORD.finditer(text):
        yield re.sub(r"['’]s?$|['’]", "", match.group())


def _stemmed(word: str, segmenter: WordSegmenter) -> str:
    return segmenter.stem(word) if word.isascii() and word.isalpha() and len(word) > 2 else word


def encode_token(word: str) -> str:
    """``word`` as ASCII letters and digits: itself, or ``u`` and its code points in hexadecimal."""
    if word.isascii() and word.isalnum():
        return word
    return "u" + "x".join(f"{ord(char):x}" for char in word)


def decode_token(token: str) -> str:
    """The Chinese word that ``encode_token`` made ``token`` of; any other token as it is."""
    points = _ENCODED.fullmatch(token)
    word = "".join(chr(int(point, 16)) for point in points.group(1).split("x")) if points else ""
    return word if _HAN.fullmatch(word) else token


def code_tokens(code: str) -> tuple[str, ...]:
    """Tokens that find ``code``: one for its exact spelling and, for joined codes, one without the joints.

    ``ALM-209`` gives ``zalmq209`` and ``yalm209``, so ``ALM 209`` written as one word still finds it, while
    ``2.1.11`` and ``21.1.1`` stay apart.
    """
    exact = "z" + re.sub(r"[^0-9a-z]+", "q", code.casefold()).strip("q")
    compact = re.sub(r"[^0-9a-z]+", "", code.casefold())
    has_letters = any(char.isalpha() for char in compact)
    return (exact, f"y{compact}") if has_letters and "." not in code else (exact,)
