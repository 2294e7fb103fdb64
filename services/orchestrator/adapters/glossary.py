"""English terms for Chinese words, from CC-CEDICT; keeps the composer's Gloss port."""

from __future__ import annotations

import re
from functools import lru_cache

from services.common import cedict
from services.common.cedict import entries, gloss_words
from services.orchestrator.domain.concepts import GlossedWord
from services.orchestrator.domain.sentences import STOP_WORDS, terms

CHINESE = re.compile(r"[\u4e00-\u9fff]+")
LONGEST_WORD = 6
MOST_GLOSS_WORDS = 4
UNTELLING = STOP_WORDS | cedict.UNTELLING | {"one", "use"}


def gloss(text: str) -> list[GlossedWord]:
    """The Chinese words of two or more characters that the dictionary knows, with their English terms.

    Words are found by longest match from the left: good enough where a wrong word merely matches nothing.
    """
    known = entries()
    found: list[GlossedWord] = []
    for run in CHINESE.finditer(text):
        characters, at = run.group(), 0
        while at < len(characters):
            for length in range(min(LONGEST_WORD, len(characters) - at), 1, -1):
                word = characters[at : at + length]
                if word in known:
                    if meant := _words(word):
                        found.append(GlossedWord(word, terms(" ".join(meant)), meant))
                    at += length
                    break
            else:
                at += 1
    return found


@lru_cache(maxsize=32768)
def _words(word: str) -> tuple[str, ...]:
    wanted = (w for words in gloss_words(entries()[word], MOST_GLOSS_WORDS) for w in words if w not in UNTELLING)
    return tuple(dict.fromkeys(wanted))
