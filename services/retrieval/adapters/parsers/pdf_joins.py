"""Where lines of a PDF meet: words that were broken at their ends, hyphens that belong there."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.retrieval.adapters.parsers.pdf_blocks import PageLines

_HYPHENATED = re.compile("(?<![A-Za-z])[A-Za-z]{2,}[\u2010\u2011-][A-Za-z]+")
_HYPHEN_KEPT = re.compile("[A-Za-z0-9][\u2010\u2011-]$")
# Behind a hyphen that stands for the rest of a word; and before one that never breaks a word.
_AND = frozenset({"and", "or", "to", "und", "oder", "et", "ou"})
_PREFIXES = frozenset({"self"})
_HYPHEN_END = re.compile(r"([A-Za-z]{2,})[\u2010\u2011\u00ad-]$")
# A word longer than this is no word that a hyphen breaks.
_LONGEST_WORD = 64
_CJK = re.compile("[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]")


def broken_word(line: str) -> re.Match[str] | None:
    """The word at the end of ``line`` that a hyphen may only have broken."""
    return _HYPHEN_END.search(line, max(0, len(line) - _LONGEST_WORD))


def join_lines(before: str, line: str, hyphenated: set[str]) -> tuple[str, str]:
    """The line before without a hyphen that only broke a word, and what stands between it and ``line``."""
    broken = broken_word(before)
    rest = re.match(r"[A-Za-z]{0,64}", line)
    word = rest.group() if rest else ""
    if broken and word.lower() in _AND:  # pre- and post-war
        return before, " "
    if broken and line[:1].islower():
        keep = f"{broken.group(1)}-{word}".lower() in hyphenated or broken.group(1).lower() in _PREFIXES
        return before[: broken.end() - 1], "-" if keep else ""
    if _HYPHEN_KEPT.search(before[-2:]) and line[:1].isalnum():  # COVID-19, 2-3 bar, non-EU
        return before[:-1] + "-", ""
    if _CJK.search(before[-1:]) and _CJK.search(line[:1]):
        return before, ""
    return before, " "


def hyphenated_words(pages: Sequence[PageLines]) -> set[str]:
    """Words that the document writes with a hyphen within a line, such as multi-factor."""
    found: set[str] = set()
    for page in pages:
        for block in page.blocks:
            for line in block.all_lines():
                found.update(re.sub("[\u2010\u2011]", "-", word).lower()
                             for word in _HYPHENATED.findall(line))  # fmt: skip
    return found
