"""Rules as the engine runs them. Packs are read elsewhere; here a rule is already compiled and checked."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from services.common.domain.question import Origin, OriginKind
from services.perception.domain.patterns import Pattern
from services.perception.domain.prefilter import Needs, met


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
    in it. ``score`` in (0, 1] ranks actions and settles overlaps. ``needs`` holds for each pattern what a text must
    have for it to match, ``requires_needs`` the same for ``requires``; without them every text is searched.
    """

    id: str
    sets: Sets
    value: str
    about: str
    language: str
    score: float
    patterns: tuple[Pattern, ...]
    tokens: tuple[tuple[Mapping[str, object], ...], ...]
    unless: Pattern | None
    requires: Pattern | None
    options: Mapping[str, str]
    file: str
    line: int
    examples: tuple[Example, ...] = ()
    needs: tuple[Needs, ...] = ()
    requires_needs: Needs = ()

    def holds_for(self, text: str) -> bool:
        """True if ``text`` has what the rule ``requires`` and nothing that takes it out (``unless``)."""
        if self.requires is not None and not self.requires.search(text):
            return False
        return self.unless is None or not self.unless.search(text)

    def origin(self, matched: str) -> Origin:
        """The explanation that travels with what this rule set."""
        return Origin(OriginKind.RULE, self.id, self.file, self.line, matched)


# A rule with those of its patterns that can match a text at all.
Able = tuple[Rule, tuple[re.Pattern[str], ...]]


class RuleIndex:
    """Patterns by the grams that a text must have for them to match; most rules are never looked at for a text."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)
        # (position of the rule, pattern, what else it needs)
        self._entries: list[tuple[int, Pattern | None, Needs]] = []
        self._by_gram: dict[str, list[int]] = {}
        self._always: list[int] = []
        for place, rule in enumerate(self._rules):
            if rule.tokens:
                self._add(place, None, ())
            for number, pattern in enumerate(rule.patterns):
                self._add(place, pattern, rule.needs[number] if rule.needs else ())

    def _add(self, place: int, pattern: Pattern | None, needs: Needs) -> None:
        number = len(self._entries)
        self._entries.append((place, pattern, needs[1:]))
        if not needs:
            self._always.append(number)
        for gram in needs[0] if needs else ():
            self._by_gram.setdefault(gram, []).append(number)

    def able(self, text_grams: frozenset[str]) -> dict[Sets, list[Able]]:
        """The rules that can match a text with these grams or a stretch of it, in order, by what they set."""
        numbers = set(self._always)
        for gram in text_grams & self._by_gram.keys():
            numbers.update(self._by_gram[gram])
        patterns: dict[int, list[re.Pattern[str]]] = {}
        for number in sorted(numbers):
            place, pattern, needs = self._entries[number]
            if needs and not met(needs, text_grams):
                continue
            own = patterns.setdefault(place, [])
            if pattern is not None:
                own.append(pattern.compiled())
        found: dict[Sets, list[Able]] = {}
        for place, own in patterns.items():
            rule = self._rules[place]
            if met(rule.requires_needs, text_grams):
                found.setdefault(rule.sets, []).append((rule, tuple(own)))
        return found


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
    index: RuleIndex = field(default_factory=lambda: RuleIndex(()), repr=False, compare=False)
    _chosen: dict[tuple[Sets, frozenset[str], tuple[str, ...]], tuple[Rule, ...]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def of(self, kind: Sets) -> tuple[Rule, ...]:
        """The rules that set ``kind``, in pack order."""
        return self.by_kind.get(kind, ())

    def chosen(self, kind: Sets, languages: frozenset[str], values: tuple[str, ...] = ()) -> tuple[Rule, ...]:
        """The rules that set ``kind`` to one of ``values`` (any if empty) and know one of ``languages``."""
        key = (kind, languages, values)
        known = self._chosen.get(key)
        if known is None:
            known = self._chosen[key] = tuple(
                rule
                for rule in self.of(kind)
                if (rule.language == "any" or rule.language in languages) and (not values or rule.value in values)
            )
        return known

    def compile_all(self) -> None:
        """Compiles every pattern, so that no question has to wait for one. Takes about half a second."""
        for rule in self.rules:
            for pattern in (*rule.patterns, rule.unless, rule.requires):
                if pattern is not None:
                    pattern.compiled()

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
