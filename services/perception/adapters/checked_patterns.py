"""Patterns of packs, checked: their word lists written out, their work bounded, what they need known."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from services.common.domain import regex_needs
from services.common.kept import KeptResults, digest_of
from services.perception.domain import pattern_safety, prefilter
from services.perception.domain.patterns import Pattern
from services.perception.domain.prefilter import Needs, needs_of

_KEPT_NAME = "checked-patterns"
# Somewhat more than the packs of a service have.
_MOST_PATTERNS = 4096
_REFERENCE = re.compile(r"\{([a-z][a-z0-9_]*)\}")


class CheckedPattern(NamedTuple):
    """A pattern, and what a text must have for it to match."""

    pattern: Pattern
    needs: Needs


class PatternChecks:
    """Checks each pattern once: a reload has most patterns of the load before, and tenants share the base packs.

    Patterns found safe are kept with their needs for the next start, for telling that takes a third of a start.
    """

    def __init__(self, results: KeptResults | None = None) -> None:
        self._results = results or KeptResults()
        self._made_from = digest_of(pattern_safety, prefilter, regex_needs)
        self._kept: dict[tuple[str, int], Needs] = self._results.read(_KEPT_NAME, self._made_from) or {}
        self._in_use: dict[tuple[str, int], Needs] = {}
        self._checked = lru_cache(maxsize=_MOST_PATTERNS)(self._check)

    def check(self, source: str, lexicon: Mapping[str, Sequence[str]], case: bool) -> CheckedPattern:
        """Expand ``{word_list}`` references and check what comes out.

        Raises:
            ValueError: for an unknown word list, a bad or an unsafe pattern.
        """
        return self._checked(_expand(source, lexicon, ()), int(re.ASCII if case else re.ASCII | re.IGNORECASE))

    def keep(self) -> None:
        """Writes what was checked, if that is more than is kept already."""
        if self._in_use.keys() - self._kept.keys():
            self._kept = dict(self._in_use)
            self._results.write(_KEPT_NAME, self._made_from, self._kept)

    def _check(self, expanded: str, flags: int) -> CheckedPattern:
        key = expanded, flags
        needs = self._kept.get(key)
        if needs is None:
            problem = pattern_safety.check(expanded, flags)
            if problem:
                raise ValueError(problem)
            needs = needs_of(pattern_safety.parsed(expanded, flags), flags)
        if len(self._in_use) >= _MOST_PATTERNS:
            self._in_use.clear()
        self._in_use[key] = needs
        return CheckedPattern(Pattern(expanded, flags), needs)


def _expand(source: str, lexicon: Mapping[str, Sequence[str]], seen: tuple[str, ...]) -> str:
    def replace(reference: re.Match[str]) -> str:
        name = reference.group(1)
        if name not in lexicon:
            raise ValueError(f"no word list {name!r}; there are {', '.join(sorted(lexicon)) or 'none'}")
        if name in seen:
            raise ValueError(f"word list {name!r} refers to itself")
        words = sorted(dict.fromkeys(lexicon[name]), key=len, reverse=True)
        return "(?:" + "|".join(_expand(word, lexicon, (*seen, name)) for word in words) + ")"

    return _REFERENCE.sub(replace, source)
