"""Tagged tokens and the ports that make and match them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

# Tags of names in both tag sets; x marks a word that the Chinese dictionary lacks.
PROPER_TAGS = frozenset({"NNP", "NNPS", "ns", "nt", "nz", "nr", "nrt", "nrfg", "x", "j", "eng"})


@dataclass(frozen=True, slots=True)
class Token:
    """``start`` and ``end`` index the normalised text. ``tag`` is a Penn tag (English) or a jieba flag.

    ``names`` tells what made the tagger take the word for a name and of what kind ("cedict.place"), else it is empty.
    """

    text: str
    start: int
    end: int
    tag: str
    language: str
    names: str = ""


@dataclass(frozen=True, slots=True)
class ModelEntity:
    """A name found by a statistical model; ``label`` is the model's own."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class TokenMatch:
    """A token rule that fired: its id and its stretch of the normalised text."""

    rule_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Analysis:
    """What the language models say about one text."""

    tokens: tuple[Token, ...] = ()
    entities: tuple[ModelEntity, ...] = ()
    matches: tuple[TokenMatch, ...] = ()


class Analyser(Protocol):
    """Tags a text and runs the token rules it was built with."""

    def analyse(self, text: str, languages: Sequence[tuple[str, int, int]]) -> Analysis:
        """Tag ``text``, whose stretches of one language are given as (language, start, end)."""
        ...
