"""Whole sentences of a passage said again word for word: they cannot misstate it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from services.validation.domain.reading.evidence import Passage
from services.validation.domain.reading.text import lower, normalise

# Markup, quotation marks and white space make no other text.
_UNSAID = re.compile(r"[\s*_`#>\\\"'“”‘’「」『』|]+")
_END_MARKS = ".。;；,，:：!！?？"
_LIST_MARK = re.compile(
    r"(?:[-•·]|\d{1,3}[.)、]|[(（][0-9a-z一二三四五六七八九十]{1,4}[)）]|[一二三四五六七八九十]{1,3}、)"
)
# 第五条 and a space: what follows is the whole rule.
_ARTICLE = re.compile(r"[\s*_#>]*第[一二三四五六七八九十百千零〇\d]+条(?:之[一二三四五六七八九十])?(?=[\s*_])")
_BRACKETS = re.compile(r"\s?\([^()]*\)|（[^（）]*）")
_LEAST_TERMS = 3


class QuotableText:
    """A passage squeezed to what it says, with the places where a sentence or list item begins and ends."""

    def __init__(self, passage: Passage) -> None:
        pieces: list[str] = []
        self._starts: set[int] = set()
        self._ends: set[int] = set()
        # Sentences with something in brackets, without it: a statement may leave that out.
        self._unbracketed: set[str] = set()
        length = 0
        for unit in passage.units:
            said = squeeze(unit.analysis.low)
            self._starts.update(length + skipped for skipped in _openings(unit.analysis.low, said))
            bare = _BRACKETS.sub("", unit.analysis.low)
            if len(bare) < len(unit.analysis.low):
                self._unbracketed.add(squeeze(bare).rstrip(_END_MARKS))
            pieces.append(said)
            length += len(said)
            self._ends.update((length, length - len(said) + len(said.rstrip(_END_MARKS))))
        self._said = "".join(pieces)

    def holds(self, said: str) -> bool:
        """True if a squeezed text is one or several whole sentences of the passage, or one but for its brackets."""
        if said in self._unbracketed:
            return True
        at = self._said.find(said)
        while at >= 0:
            if at in self._starts and at + len(said) in self._ends:
                return True
            at = self._said.find(said, at + 1)
        return False


def squeeze(text: str) -> str:
    """A text without white space, markup and quotation marks, in lower case."""
    return _UNSAID.sub("", lower(normalise(text)))


def quotes(body: str, terms: Sequence[object], cited: Iterable[QuotableText]) -> bool:
    """True if a statement (citation marks blanked out) is drawn word for word from one of the cited passages.

    A stretch that starts or ends inside a sentence is no quotation here: what was cut away may turn the meaning.
    """
    if len(terms) < _LEAST_TERMS:
        return False
    said = squeeze(body).rstrip(_END_MARKS)
    mark = _LIST_MARK.match(said)
    tries = [said] if mark is None else [said, said[mark.end() :]]
    return any(text.holds(one) for text in cited for one in tries if one)


def _openings(low: str, said: str) -> list[int]:
    """Where a unit may be said to begin: at its first character, and after a list mark or an article's number."""
    mark = _LIST_MARK.match(said)
    article = _ARTICLE.match(low)
    return [0] + ([mark.end()] if mark else []) + ([len(squeeze(article.group()))] if article else [])
