"""Proper names out of CC-CEDICT, a Chinese-English dictionary (CC BY-SA 4.0).

The dictionary does not mark names, but its English does: a name's gloss is written with capital letters and says what
bears it ("Dangtu county in Ma'anshan", "Shen Congwen (1902-1988), novelist"). A word that also means something common
(平安, peace and a county) is left out: in a question nothing tells which is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from services.common import cedict
from services.perception.adapters.gloss_words import COMMON_HEADS, JOINING, KINDS, NO_NAMES, PEOPLES

_NAME = re.compile("[\u4e00-\u9fff·]{2,16}")
_ASIDES = re.compile(r"\[[^\]]*\]|^\((?:[a-z. ]+|Tw|Taiwan|PRC|HK)\) |\s*\(\d[^)]*\)$")
# Glosses that say nothing of the meaning.
_REFERS = re.compile(
    r"(?:also (?:written|called|pr)|abbr\. (?:for|to)|variant of|see(?: also)?|CL:|same as|former|Taiwan pr|surname)\b"
)
_BORN = re.compile(r"\((?:c\. |born |fl\. )?\d{2,4}\??(?: BC)?(?:-| ?AD)")
# How Chinese words end that are terms, whatever their English looks like.
_TERM = re.compile(
    "(?:主义|硕士|学士|博士|运动|战役|时代|王朝|效应|定律|[目科属纲岩族拳论码式术语教节座酒茶病症军战话历币剧])$"
)
# Where a gloss has named its thing and goes on to describe it.
_DESCRIBES = re.compile(r"[,(;:]| (?:or|aka|of|in|on|between|near|at|along|from|with|off|who|which|that|to|and other) ")


def read_names() -> Iterator[tuple[str, str]]:
    """(name, kind) for every proper name of the dictionary; nothing where the package is missing.

    Kinds are person, organization, place, product, document, and name for what the gloss does not tell.
    """
    source = cedict.text()
    if source is None:
        return
    named: dict[str, list[str]] = {}
    common: list[tuple[str, str]] = []
    # An entry reads: traditional simplified [pinyin] /gloss/gloss/ - and there are 119,000 of them at every start.
    with source.open(encoding="utf-8") as lines:
        for line in lines:
            word = line.split(" ", 2)[1]
            glosses = line[line.find("] /") + 3 :].rstrip("/\r\n ")
            first = glosses[4:5] if glosses.startswith("the ") else glosses[:1]
            if not first.isupper():
                common.append((word, glosses))
            elif _NAME.fullmatch(word):
                named.setdefault(word, []).append(glosses)
    for word, glosses in common:
        if word in named:
            named[word].append(glosses)
    for word, entries in named.items():
        kind = kind_of(word, "/".join(entries).split("/"))
        if kind is not None:
            yield word, kind


def kind_of(word: str, glosses: Iterable[str]) -> str | None:
    """The kind of name that ``word`` is by its English senses; None if any of them is common."""
    senses = [_ASIDES.sub("", gloss).strip() for gloss in glosses if not _REFERS.match(gloss)]
    kinds = [_sense_kind(sense.removeprefix("the ")) for sense in senses if sense]
    if not kinds or None in kinds:
        return None
    kind = next((kind for kind in kinds if kind != "name"), kinds[0])
    return None if kind not in ("place", "person") and _TERM.search(word) else kind


def _sense_kind(sense: str) -> str | None:
    """``sense``: "Dangtu county in Ma'anshan", "Shen Congwen (1902-1988), novelist", "peace"."""
    if not sense[:1].isupper() or NO_NAMES.match(sense):
        return None
    head = _DESCRIBES.split(sense, maxsplit=1)[0].strip()
    words = [part for word in head.split() for part in (word.split("-") if word[:1].islower() else (word,)) if part]
    if PEOPLES.match(head) and not any(word[:1].isupper() for word in words[1:]):
        return None
    common = [word for word in words if word[:1].islower() and word not in JOINING]
    if words[-1].lower() in COMMON_HEADS or any(word not in KINDS for word in common):
        return None
    if _BORN.search(sense):
        return "person"
    told = [KINDS[word] for word in re.findall(r"[a-z]+", sense.lower()) if word in KINDS]
    return told[0] if told else "name"
