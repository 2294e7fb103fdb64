"""Wires packs, models and gazetteer into an interpreter."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from services.common.kept import KeptResults
from services.perception.adapters.analyser import TextAnalyser
from services.perception.adapters.checked_patterns import PatternChecks
from services.perception.adapters.chinese_dictionary import load_dictionary
from services.perception.adapters.english_tagger import EnglishTagger
from services.perception.adapters.jieba_segmenter import JiebaSegmenter
from services.perception.adapters.rule_packs import load_layers
from services.perception.adapters.spacy_model import DEFAULT_MODEL, load_english
from services.perception.domain.names import NameIndex
from services.perception.domain.pipeline import Interpreter
from services.perception.domain.rules import KnownName, RuleSet

BASE_PACKS = Path(__file__).resolve().parents[2] / "config" / "perception"


# Part-of-speech flags of names by their type; nz is any other proper name.
_FLAGS = {"place": "ns", "organization": "nt", "person": "nr"}


@dataclass(frozen=True, slots=True)
class Models:
    """What is slow to load and shared by every interpreter of a process."""

    english: EnglishTagger
    segmenter: JiebaSegmenter
    checks: PatternChecks


@lru_cache(maxsize=1)
def load_models(spacy_model: str = DEFAULT_MODEL, kept_in: Path | None = None) -> Models:
    """The models; takes about a second the first time that a process asks, a third of it if an earlier start has kept
    its results in this folder. Who asks again gets the same.

    Raises:
        FailedPrecondition: if the spaCy model is not installed.
    """
    results = KeptResults(kept_in)
    segmenter = JiebaSegmenter(load_dictionary(results))
    return Models(load_english(spacy_model), segmenter, PatternChecks(results))


def build_interpreter(
    layers: Sequence[Path] = (BASE_PACKS,),
    spacy_model: str = DEFAULT_MODEL,
    gazetteer: Iterable[KnownName] = (),
    fiscal_start_month: int = 1,
) -> Interpreter:
    """An interpreter over the packs of ``layers``, models included.

    Raises:
        RulePackError: if a pack is bad.
        FailedPrecondition: if the spaCy model is not installed.
    """
    models = load_models(spacy_model)
    return assemble(load_layers(layers, models.checks), models, tuple(gazetteer), fiscal_start_month)


def assemble(
    rules: RuleSet, models: Models, gazetteer: tuple[KnownName, ...] = (), fiscal_start_month: int = 1
) -> Interpreter:
    """An interpreter from parts that are loaded already.

    Raises:
        RulePackError: if spaCy refuses a token pattern.
    """
    segmenter = models.segmenter.with_words(_segmenter_words(rules, gazetteer))
    return Interpreter(
        rules=rules,
        names=NameIndex((*rules.names, *gazetteer), rules.traditional),
        analyser=TextAnalyser(models.english, segmenter, rules),
        version=_version(rules, gazetteer),
        fiscal_start_month=fiscal_start_month,
    )


def _version(rules: RuleSet, gazetteer: Sequence[KnownName]) -> str:
    """The packs' version; with a gazetteer its digest follows, since it decides parses too."""
    if not gazetteer:
        return rules.version
    digest = hashlib.sha256()
    for name in sorted((n.name, n.type, n.canonical) for n in gazetteer):
        digest.update("\0".join(name).encode() + b"\n")
    return f"{rules.version}+{digest.hexdigest()[:8]}"


def _segmenter_words(rules: RuleSet, gazetteer: Iterable[KnownName]) -> list[tuple[str, str]]:
    """What the Chinese segmenter must know beyond its dictionary: pack words and short known names."""
    known = [
        (name.name, _FLAGS.get(name.type, "nz")) for name in (*rules.names, *gazetteer) if _is_short_chinese(name.name)
    ]
    return [*known, *rules.words]


def _is_short_chinese(name: str) -> bool:
    return 2 <= len(name) <= 8 and all("\u4e00" <= char <= "\u9fff" for char in name)
