"""The dictionary of Chinese questions: jieba's, cut down to what they need, with the proper names of CC-CEDICT.

Rare common nouns, verbs and person names are left out, places, organisations and other names are kept. The names of
the second dictionary are laid over it, with the kind of what they name.
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Iterator
from typing import NamedTuple

from services.common import cedict, kept
from services.common.kept import KeptResults, digest_of
from services.perception.adapters import gloss_words, name_shapes, proper_names, word_table
from services.perception.adapters.name_shapes import NameShapes
from services.perception.adapters.proper_names import read_names
from services.perception.adapters.word_table import WordTable

#: Separates flag and kind of a name: ``ns/place``.
KIND_MARK = "/"
_KEPT_NAME = "chinese-dictionary"
# Words rarer than this are of no use for segmenting questions, unless they name something.
_MIN_FREQUENCY = 12
_RARE = {"ns": 3, "nt": 2, "nz": 2, "nrt": 3, "nr": 8, "j": 2, "i": 60, "l": 30}
# Flags of names by their kind, as jieba's own dictionary has them.
_NAME_FLAGS = {"place": "ns", "organization": "nt", "person": "nr"}
_OTHER_NAME, _ANY_NAME = "nz", "name"
_PEOPLE = ("nr", "nrt", "nrfg")
_PROPER = frozenset({"ns", "nt", "nz", "nr", "nrt", "nrfg", "j"})
# How often a name is taken to occur that jieba does not know: seldom, but more often than its parts side by side.
_NAME_FREQUENCY = 20


class ChineseDictionary(NamedTuple):
    """``words`` have frequencies and flags (a name's with its kind); ``shapes`` tell what else looks like a name."""

    words: WordTable
    shapes: NameShapes


def load_dictionary(results: KeptResults) -> ChineseDictionary:
    """The dictionary as kept, or read from the packages in more than half a second, and kept for the next start."""
    listed = importlib.resources.files("jieba").joinpath("dict.txt")
    code = (importlib.import_module(__name__), gloss_words, kept, name_shapes, proper_names, word_table)
    made_from = digest_of(listed, cedict.text(), *code)
    known = results.read(_KEPT_NAME, made_from)
    if known is not None:
        return ChineseDictionary(WordTable.restored(known[0]), NameShapes.restored(known[1]))
    shapes = NameShapes()
    words = WordTable.of(_words(listed, shapes))
    results.write(_KEPT_NAME, made_from, (words.plain(), shapes.plain()))
    return ChineseDictionary(words, shapes)


def _words(listed: importlib.resources.abc.Traversable, shapes: NameShapes) -> Iterator[tuple[str, int, str]]:
    names = dict(read_names())
    with listed.open(encoding="utf-8") as lines:
        for line in lines:
            word, frequency, flag = line.split()
            count = int(frequency)
            shapes.learn(word, count, flag)
            kind = names.pop(word, "")
            if kind and (kind != _ANY_NAME or flag in _PROPER):
                yield word, max(count, _NAME_FREQUENCY), _flag_of(kind, flag)
            elif count >= _RARE.get(flag, _MIN_FREQUENCY) or len(word) == 1:
                yield word, count, flag
    for word, kind in names.items():
        if len(word) == 2 and kind == _ANY_NAME:
            continue  # too short to be cut out of other words for the sake of who knows what
        yield word, _NAME_FREQUENCY, _flag_of(kind)


def _flag_of(kind: str, listed: str = "") -> str:
    flag = listed if kind in ("person", _ANY_NAME) and listed in _PEOPLE else _NAME_FLAGS.get(kind, _OTHER_NAME)
    return flag + KIND_MARK + kind
