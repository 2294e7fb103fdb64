"""What a knowledge owner can turn in Validation, as plain data. ``adapters/config.py`` loads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.values.units import UnitTable

OFF, WARN, BLOCK = "off", "warn", "block"


@dataclass(frozen=True, slots=True)
class QuantityWords:
    """The words around numbers: magnitudes, and patterns before and after a quantity by what they mean."""

    english_magnitudes: Mapping[str, float]
    suffix_magnitudes: Mapping[str, float]
    han_magnitudes: Mapping[str, float]
    before: Mapping[str, str]
    after: Mapping[str, str]
    intervals: Mapping[str, tuple[float, str]]
    interval_pattern: Pattern


@dataclass(frozen=True, slots=True)
class ContrastSet:
    """Words that exclude one another (original, copy). ``polar`` sets are opposites that a negation swaps."""

    kind: str
    words: tuple[str, ...]
    polar: bool


@dataclass(frozen=True, slots=True)
class ModalWords:
    """The words of one kind of modality in one language; ``han`` words are not looked for in texts without any."""

    kind: str
    han: bool
    pattern: Pattern


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words that carry meaning beyond content; patterns are compiled, longest alternative first."""

    modality: tuple[ModalWords, ...]
    negation: Pattern
    exception: Pattern
    only_if: Pattern
    unless: Pattern
    scope: Pattern
    hedge: Pattern
    universal: Pattern
    cause: Pattern
    condition: Pattern
    refusal: Pattern
    lead_in: Pattern
    closing: Pattern
    disclosure: Pattern
    draft: Pattern
    replaces: Pattern
    history: Pattern
    future: Pattern
    total: Pattern
    difference: Pattern
    increase: Pattern
    decrease: Pattern
    rise: Pattern
    fall: Pattern
    gain: Pattern
    loss: Pattern
    average: Pattern
    share: Pattern
    complement: Pattern
    compare: Pattern
    stopwords: frozenset[str]
    meta_words: frozenset[str]
    synonyms: Mapping[str, frozenset[int]]
    contrasts: tuple[ContrastSet, ...]
    # By stem: the row and the side, 1 or -1, of words that say the opposite in the same place; and degrees.
    opposites: Mapping[str, frozenset[tuple[int, int]]]
    degrees: Mapping[str, str]
    bilingual: Mapping[str, frozenset[str]]
    more_words: Mapping[str, str]
    # Candidates for ``more_words``: English phrases, else words, and the Chinese words that may follow 比.
    comparative: Pattern
    comparative_han: Pattern


class Glossary(Protocol):
    """A bilingual dictionary."""

    def glosses(self, word: str) -> frozenset[str]:
        """English stems that translate a Chinese word; empty where it knows none."""

    def related(self, word: str) -> frozenset[str]:
        """Stems of English near-synonyms of an English stem; empty where it knows none."""

    def is_verb(self, word: str) -> bool:
        """Whether a Chinese word, or an English one in lower case and in any form, may be a verb."""


class NoGlossary:
    """The dictionary that knows nothing."""

    def glosses(self, word: str) -> frozenset[str]:
        """Always empty."""
        return frozenset()

    def related(self, word: str) -> frozenset[str]:
        """Always empty."""
        return frozenset()

    def is_verb(self, word: str) -> bool:
        """Never."""
        return False


class Similarity(Protocol):
    """An optional second view on support: how near a statement is to passages in meaning."""

    def best(self, statement: str, passages: Sequence[str]) -> float | None:
        """In [0, 1] to the nearest passage; None if it cannot be told."""


@dataclass(frozen=True, slots=True)
class SupportModel:
    """Learnt weights of the interpretable support features, with the platt-scaled intercept.

    ``thresholds`` are names to probabilities: below ``reject`` a statement counts as unsupported, between
    ``reject`` and ``accept`` it is grey (a second opinion may be asked).
    """

    weights: Mapping[str, float]
    intercept: float
    thresholds: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on work, so that no input can hold a worker: characters, statements, chunks, and steps of pairs."""

    answer_chars: int = 60_000
    chunk_chars: int = 40_000
    statements: int = 400
    chunks: int = 100
    units_per_chunk: int = 400
    pairs: int = 60_000


@dataclass(frozen=True, slots=True)
class ValidationConfig:
    """Everything the checks read. ``checks`` maps a check id to off, warn or block.

    ``word_weights`` are inverse document frequencies of common English stems in (0, 1]; other words weigh 1.
    """

    version: str
    units: UnitTable
    quantity_words: QuantityWords
    lexicon: Lexicon
    checks: Mapping[str, str]
    support: SupportModel
    words: SupportModel
    sufficiency: SupportModel
    conflict: SupportModel
    settings: Mapping[str, float]
    word_weights: Mapping[str, float] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    glossary: Glossary = field(default_factory=NoGlossary)
    similarity: Similarity | None = None
    support_with_similarity: SupportModel | None = None

    def policy(self, check_id: str) -> str:
        """``off``, ``warn`` or ``block``; a check that the policy does not name blocks."""
        return self.checks.get(check_id, BLOCK)
