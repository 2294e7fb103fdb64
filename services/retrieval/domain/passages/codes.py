"""Codes: error numbers, model names, clauses, requirement ids. A reader who types one wants exactly that one."""

from __future__ import annotations

import re
import unicodedata

from services.common.domain.numerals import chinese_number

# Letters and digits in one word, perhaps joined by - . / or _ and closed by clauses such as (e)(2).
_ALNUM = re.compile(
    r"(?<![A-Za-z0-9])(?=[A-Za-z0-9\-./_]*\d)(?=[A-Za-z0-9\-./_]*[A-Za-z])"
    r"[A-Za-z0-9]+(?:[\-./_][A-Za-z0-9]+)*(?:\([A-Za-z0-9]{1,4}\))*"
)
# Dotted numbers with at least one dot, clauses included: 2.1.1, 1013.2(e), 5.1.1.2.
_DOTTED = re.compile(r"(?<![A-Za-z0-9.])\d+(?:\.\d+)+(?:\([A-Za-z0-9]{1,4}\))*(?![A-Za-z0-9])")
# One or two letters before such a number are left out as often as not: V6.2.4, which its standard calls 6.2.4.
_LETTERED = re.compile(r"[A-Z]{1,2}(\d+(?:\.\d+){2,}(?:\([A-Z0-9]{1,4}\))*)")
# Numbers with clauses: 2(e)-9, 1026(a).
_CLAUSE = re.compile(r"(?<![A-Za-z0-9.\-])\d+(?:\([A-Za-z0-9]{1,4}\))+(?:-\d+)?")
_CHINESE_ARTICLE = re.compile(r"第([零〇一二两三四五六七八九十百千\d]+)(条|章|款|项|节|编)")
_LATIN_ARTICLE = re.compile(r"\b(article|art\.|section|sec\.|chapter|recital)\s+(\d+)\b", re.IGNORECASE)
_ARTICLE_WORDS = {"条": "article", "章": "chapter", "款": "paragraph", "项": "item", "节": "section", "编": "part"}
_LATIN_WORDS = {"art.": "article", "sec.": "section"}


def find_codes(text: str) -> tuple[str, ...]:
    """Codes of ``text`` in canonical form, in order, each once.

    Letters are upper-case, full-width forms narrow; ``第五十九条`` and ``Article 59`` are both ``ARTICLE 59``.
    """
    folded = unicodedata.normalize("NFKC", text)
    found: dict[str, None] = {}
    for pattern in (_ALNUM, _DOTTED, _CLAUSE):
        for match in pattern.finditer(folded):
            code = match.group().upper()
            found.setdefault(code, None)
            if lettered := _LETTERED.fullmatch(code):
                found.setdefault(lettered.group(1), None)
    for match in _CHINESE_ARTICLE.finditer(folded):
        number = chinese_number(match.group(1))
        if number is not None:
            found.setdefault(f"{_ARTICLE_WORDS[match.group(2)]} {number}".upper(), None)
    for match in _LATIN_ARTICLE.finditer(folded):
        word = match.group(1).lower()
        found.setdefault(f"{_LATIN_WORDS.get(word, word)} {match.group(2)}".upper(), None)
    return tuple(found)


def asked_codes(text: str) -> tuple[str, ...]:
    """The codes that a question asks for: of one with and without its letters, the one that every spelling has."""
    found = find_codes(text)
    return tuple(code for code in found if not _LETTERED.fullmatch(code))
