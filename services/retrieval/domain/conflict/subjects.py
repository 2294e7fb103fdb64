"""What titles and headings tell of the subject of a sentence, and whether two of them tell different ones."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from services.retrieval.domain.conflict.light_words import WEAK
from services.retrieval.domain.conflict.meanings import Language, Meanings, related
from services.retrieval.domain.conflict.statements import Statement, subject_keys, subject_words
from services.retrieval.domain.conflict.title_words import (
    ACTS,
    KEEPER_CHINESE,
    KEEPER_TEXT,
    KIND_CHINESE,
    KIND_TEXT,
    PLACE_CHINESE,
    PLACE_TEXT,
)
from services.retrieval.domain.conflict.told_by_unit import OF_VALUES
from services.retrieval.domain.conflict.wording import Wording
from services.retrieval.domain.documents import StoredDocument

_KIND_PHRASE = re.compile("|".join(KIND_CHINESE))
_ASIDE = re.compile(r"[(（][^)）]{0,200}[)）]")
# So much in common that a sentence tells its subject by itself: under other headings, and under such of one word each,
# which often name the thing that the sentence leaves out.
_BY_ITSELF, _BESIDE_NAMES = 2.0, 2.5


@dataclass(frozen=True, slots=True)
class Around:
    """What stands around a sentence: words of its title, of its last heading, of all of them, and their keys."""

    title: frozenset[str]
    heading: frozenset[str]
    words: frozenset[str]
    keys: frozenset[str]


class Subjects:
    """Reads titles and headings of ``documents``; each once."""

    def __init__(self, documents: Mapping[str, StoredDocument], wording: Wording, meanings: Meanings) -> None:
        self._documents = documents
        self._wording = wording
        self._meanings = meanings
        self._read = lru_cache(maxsize=65_536)(lambda text: subject_words(text, wording, meanings))
        self._around = lru_cache(maxsize=65_536)(self._read_around)
        self._kinds = self._read(KIND_TEXT) | KIND_CHINESE
        self._keepers = self._read(KEEPER_TEXT) | KEEPER_CHINESE
        self._places = self._read(PLACE_TEXT) | PLACE_CHINESE

    def around(self, statement: Statement) -> Around:
        """What stands around ``statement``."""
        return self._around(self._documents[statement.document_id].metadata.title, statement.heading_path)

    def _read_around(self, title: str, path: tuple[str, ...]) -> Around:
        in_title = self._title(title)
        headings = [self._read(heading) - self._places for heading in path]
        last = headings[-1] - OF_VALUES - WEAK if headings else frozenset[str]()
        keys = subject_keys(title).union(*(subject_keys(heading) for heading in path))
        return Around(in_title, last, in_title.union(*headings), keys)

    def _title(self, title: str) -> frozenset[str]:
        """The words of a title; what is light elsewhere may be all that a title is made of."""
        bare = _ASIDE.sub(" ", title)
        return self._read(bare) | frozenset(_KIND_PHRASE.findall(bare)) or frozenset(bare.lower().split())

    def differ(self, a: Around, b: Around, spoken: frozenset[str], weight: float) -> bool:
        """Whether titles or headings show that the same words are said of different things.

        ``spoken`` are the words of both sentences and ``weight`` is what they have in common.
        """
        if a.keys - b.keys and b.keys - a.keys:
            return True
        apart = self._tells(a.title - b.title, spoken) and self._tells(b.title - a.title, spoken)
        both = a.title & b.title
        alike = both & (self._kinds | self._keepers) or (both and not (a.title | b.title) & (self._kinds - ACTS))
        named = any(self._meanings.is_name(word) for word in a.title ^ b.title)
        if apart and alike and (named or not both & self._kinds or weight < _BESIDE_NAMES):
            return True  # Leave policy Germany, leave policy France
        if apart and self._is_about(a.title, spoken) and self._is_about(b.title, spoken):
            return True  # "The population was 75 at the census" in articles on two towns
        if not a.heading or not b.heading or self._meet(a.heading, b.heading) or (a.heading | b.heading) & spoken:
            return False
        return weight < (_BESIDE_NAMES if len(a.heading) == len(b.heading) == 1 else _BY_ITSELF)

    def are_of_a_kind(self, a: Around, b: Around) -> bool:
        """Whether both are texts of rules or the like, and not each about a thing of its own."""
        return bool(a.title & self._kinds) and bool(b.title & self._kinds)

    def _meet(self, a: frozenset[str], b: frozenset[str]) -> bool:
        return bool(a & b) or any(related(x, y, self._meanings, Language.BOTH) for x in a for y in b)

    def _tells(self, words: frozenset[str], spoken: frozenset[str]) -> bool:
        telling = {word for word in words if len(word) > 1 or not word.isascii()}
        return bool(telling - self._kinds - self._keepers - spoken)

    def _is_about(self, title: frozenset[str], spoken: frozenset[str]) -> bool:
        """True if a document is about the one thing that its title names, which its sentences need not name again."""
        return self._tells(title, spoken) and not title & (self._kinds - ACTS) and not title & spoken
