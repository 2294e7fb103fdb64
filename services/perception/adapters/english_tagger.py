"""spaCy's tagger and name recogniser behind a lock, with bounded memory."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from typing import Protocol

from spacy.language import Language

from services.perception.domain.tokens import ModelEntity, Token

# spaCy keeps every new word it meets. Words met since the last renewal are forgotten after this many texts;
# forgetting costs some milliseconds, so it is not done for each.
RENEW_AFTER = 2_000


class _HasMemoryZone(Protocol):
    def memory_zone(self) -> AbstractContextManager[object]: ...


class ForgettingZone:
    """Keeps a spaCy memory zone open and replaces it now and then. Not thread-safe: the owner holds a lock."""

    def __init__(self, owner: _HasMemoryZone, renew_after: int = RENEW_AFTER) -> None:
        self._owner = owner
        self._renew_after = renew_after
        self._zone: AbstractContextManager[object] | None = None
        self._used = 0

    def enter(self) -> None:
        """Call before each text, when nothing made from earlier texts is in use any more."""
        if self._zone is not None and self._used < self._renew_after:
            self._used += 1
            return
        if self._zone is not None:
            self._zone.__exit__(None, None, None)
        self._zone = self._owner.memory_zone()
        self._zone.__enter__()
        self._used = 1


class EnglishTagger:
    """Tags English text. Threads take turns: the work is Python-bound, so nothing is lost by it."""

    def __init__(self, nlp: Language) -> None:
        self._nlp = nlp
        self._lock = threading.Lock()
        self._zone = ForgettingZone(nlp)

    def tag(self, text: str, offset: int = 0) -> tuple[list[Token], list[ModelEntity]]:
        """Words with Penn tags and the model's names; places are shifted by ``offset``. About 2 ms a sentence."""
        with self._lock:
            self._zone.enter()
            doc = self._nlp(text)
            tokens = [
                Token(t.text, t.idx + offset, t.idx + offset + len(t.text), t.tag_, "en") for t in doc if not t.is_space
            ]
            entities = [ModelEntity(e.start_char + offset, e.end_char + offset, e.label_) for e in doc.ents]
        return tokens, entities
