"""Rules as the engine runs them. Packs are read elsewhere; here a rule is already compiled and checked."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from services.common.domain.question import Origin, OriginKind


class Sets(enum.StrEnum):
    """The field that a rule sets."""

    ACTION = "action"
    ENTITY = "entity"
    NOT_ENTITY = "not_entity"
    CODE = "code"
    NOT_CODE = "not_code"
    TIME = "time"
    TIME_RELATION = "time_relation"
    NOT_TIME = "not_time"
    QUANTITY = "quantity"
    SUPERLATIVE = "superlative"
    NOT_QUANTITY = "not_quantity"
    SIDES = "sides"
    ATTRIBUTE = "attribute"
    SOURCE = "source"
    EXCLUSION = "exclusion"
    LABEL = "label"
    SPLIT = "split"
    NOT_SPLIT = "not_split"
    REWRITE = "rewrite"
    VAGUE = "vague"
    NOT_VAGUE = "not_vague"


@dataclass(frozen=True, slots=True)
class Example:
    """A text on which a rule must fire (or must not). ``gives`` is what it must yield, None for anything."""

    text: str
    fires: bool
    gives: str | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a pack.

    ``patterns`` are alternatives over the normalised text; ``tokens`` are alternatives over tagged tokens,
    written as spaCy Matcher patterns. ``unless`` vetoes the rule for a whole text, ``requires`` must be found
    in it. ``score`` in (0, 1] ranks actions and settles overlaps.
    """

    id: str
    sets: Sets
    value: str
    about: str
    language: str
    score: float
    patterns: tuple[re.Pattern[str], ...]
    tokens: tuple[tuple[Mapping[str, object], ...], ...]
    unless: re.Pattern[str] | None
    requires: re.Pattern[str] | None
    options: Mapping[str, str]
    file: str
    line: int
    examples: tuple[Example, ...] = ()

    def origin(self, matched: str) -> Origin:
        """The explanation that travels with what this rule set."""
        return Origin(OriginKind.RULE, self.id, self.file, self.line, matched)


@dataclass(frozen=True, slots=True)
class KnownName:
    """A name that a pack or a gazetteer lists, with the form it stands for.

    ``case``: only the very spelling counts, because another one is a common word (WHO, Target).
    """

    name: str
    type: str
    canonical: str
    origin: Origin
    case: bool = False


@dataclass(frozen=True, slots=True)
class RuleSet:
    """All rules in force, one immutable value: a reload replaces it whole.

    ``version`` identifies the content: equal text, equal version. ``traditional`` folds one character to one.
    ``function_words`` give each language away. ``words`` are (word, tag) pairs for the Chinese segmenter.
    """

    version: str
    rules: tuple[Rule, ...]
    names: tuple[KnownName, ...] = ()
    traditional: Mapping[str, str] = field(default_factory=dict)
    function_words: Mapping[str, frozenset[str]] = field(default_factory=dict)
    words: tuple[tuple[str, str], ...] = ()
    by_kind: Mapping[Sets, tuple[Rule, ...]] = field(default_factory=dict)

    def of(self, kind: Sets) -> tuple[Rule, ...]:
        """The rules that set ``kind``, in pack order."""
        return self.by_kind.get(kind, ())

    def examples(self) -> Iterator[tuple[Rule, Example]]:
        """Every example of every rule."""
        for rule in self.rules:
            for example in rule.examples:
                yield rule, example


def group_by_kind(rules: tuple[Rule, ...]) -> dict[Sets, tuple[Rule, ...]]:
    """Rules by the field they set; order is kept."""
    grouped: dict[Sets, list[Rule]] = {}
    for rule in rules:
        grouped.setdefault(rule.sets, []).append(rule)
    return {kind: tuple(members) for kind, members in grouped.items()}
