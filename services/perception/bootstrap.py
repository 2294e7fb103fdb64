"""Wires packs, models and gazetteer into an interpreter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from services.perception.adapters.analyser import TextAnalyser
from services.perception.adapters.jieba_segmenter import JiebaSegmenter
from services.perception.adapters.rule_packs import load_layers
from services.perception.adapters.spacy_model import DEFAULT_MODEL, load_english
from services.perception.domain.names import NameIndex
from services.perception.domain.pipeline import Interpreter
from services.perception.domain.rules import KnownName, RuleSet

BASE_PACKS = Path(__file__).resolve().parents[2] / "config" / "perception"


def build_interpreter(
    layers: Sequence[Path] = (BASE_PACKS,),
    spacy_model: str = DEFAULT_MODEL,
    gazetteer: Iterable[KnownName] = (),
    fiscal_start_month: int = 1,
) -> Interpreter:
    """An interpreter over the packs of ``layers``; takes about two seconds, most of it model loading.

    Raises:
        RulePackError: if a pack is bad.
        ModelNotFoundError: if the spaCy model is not installed.
    """
    rules = load_layers(layers)
    names = tuple(gazetteer)
    return Interpreter(
        rules=rules,
        names=NameIndex((*rules.names, *names), rules.traditional),
        analyser=TextAnalyser(load_english(spacy_model), JiebaSegmenter(segmenter_words(rules, names)), rules),
        version=rules.version,
        fiscal_start_month=fiscal_start_month,
    )


def segmenter_words(rules: RuleSet, gazetteer: Iterable[KnownName] = ()) -> list[tuple[str, str]]:
    """What the Chinese segmenter must know beyond its dictionary: pack words and short known names."""
    known = [(name.name, "nz") for name in (*rules.names, *gazetteer) if _is_short_chinese(name.name)]
    return [*rules.words, *known]


def _is_short_chinese(name: str) -> bool:
    return 2 <= len(name) <= 8 and all("\u4e00" <= char <= "\u9fff" for char in name)
