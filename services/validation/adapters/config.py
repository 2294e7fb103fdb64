"""Loads ``config/validation/*.yaml`` into the domain's ``ValidationConfig``; errors name file, line, reason, remedy."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path

from services.common.config_file import ConfigError, read_config
from services.validation.adapters.config_files import (
    JudgePolicy,
    LexiconFile,
    ModelFile,
    PolicyFile,
    SimilarityPolicy,
    UnitsFile,
)
from services.validation.domain.checks import all_checks
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
from services.validation.domain.reading import text as texts
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.roles.actors import names_party
from services.validation.domain.values.units import Dimension, Unit, UnitTable

DEFAULT_DIRECTORY = Path(__file__).resolve().parents[3] / "config" / "validation"


def _dimension(name: str, named: Mapping[str, Mapping[str, int]]) -> Dimension:
    return tuple(sorted(named[name].items())) if name in named else ((name, 1),)


def _unit_table(file: UnitsFile) -> UnitTable:
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


def _interval_pattern(file: UnitsFile) -> Pattern:
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


def _lexicon(path: Path, file: LexiconFile) -> Lexicon:
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
    opposites: dict[str, set[tuple[int, int]]] = {}
    for number, row in enumerate(file.opposites):
        for side, group in zip((1, -1), row, strict=True):
            for word in group:
                opposites.setdefault(texts.stem(word), set()).add((number, side))
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
            opposites={k: frozenset(v) for k, v in opposites.items()},
            degrees={texts.stem(word): name for name, group in file.degrees.items() for word in group},
            bilingual=bilingual,
            more_words=more,
            comparative=_comparative(more),
            comparative_han=_comparative_han(more),
            synonyms={k: frozenset(v) for k, v in synonyms.items()},
            **compiled,
        )
    except TypeError as error:
        raise ConfigError(f"{path}: patterns: {error}; keep every name of the shipped file") from error


def _parties_in_both_languages(file: LexiconFile) -> list[list[str]]:
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
    units = read_config(base / "units.yaml", UnitsFile)
    lexicon = read_config(base / "lexicon.yaml", LexiconFile)
    policy = read_config(base / "policy.yaml", PolicyFile)
    words = QuantityWords(
        english_magnitudes=units.magnitudes.english,
        suffix_magnitudes=units.magnitudes.suffixes,
        han_magnitudes=units.magnitudes.han,
        before=lexicon.quantity.before,
        after=lexicon.quantity.after,
        intervals={name: (row.n, row.unit) for name, row in units.intervals.items()},
        interval_pattern=_interval_pattern(units),
    )
    _known_checks(base / "policy.yaml", policy.checks)
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


def _known_checks(path: Path, named: Mapping[str, str]) -> None:
    """A slip in a name would leave the check that was meant blocking.

    Raises:
        ConfigError: the policy names a check that does not exist.
    """
    known = [check.check_id for check in all_checks()]
    for name in named:
        if name not in known:
            meant = get_close_matches(name, known, 1)
            remedy = f"write {meant[0]}" if meant else "remove it"
            line = next(i for i, text in enumerate(path.read_text("utf-8").splitlines(), 1) if f"{name}:" in text)
            raise ConfigError(f"{path}:{line}: checks.{name}: there is no such check; {remedy}")


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
    file = read_config(path, ModelFile)
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
    policy = read_config((directory or DEFAULT_DIRECTORY) / "policy.yaml", PolicyFile)
    return policy.judge


def load_similarity_policy(directory: Path | None = None) -> SimilarityPolicy:
    """The similarity part of the policy."""
    policy = read_config((directory or DEFAULT_DIRECTORY) / "policy.yaml", PolicyFile)
    return policy.similarity


@lru_cache(maxsize=1)
def default_config() -> ValidationConfig:
    """The shipped configuration with the bilingual dictionary, loaded once a process."""
    from services.validation.adapters.glossary import CedictGlossary

    return load_config(glossary=CedictGlossary())
