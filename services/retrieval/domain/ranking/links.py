"""Passages that name other documents: the bridge from the passage a question finds to the one that answers it.

"Who directed the film that X starred in?" finds the passage on X, which names the film, and the film's own passage
shares no word with the question. A candidate whose title a leading passage mentions is therefore more likely
relevant than its own words say. Only candidates are looked at: nothing is searched again.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# "Nine (film)" is mentioned as "Nine".
_QUALIFIER = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")
_SHORTEST_LATIN, _SHORTEST_HAN = 4, 2
# Passages less likely than this to be the right one lend no credit.
LEAST_CHANCE = 0.01


@dataclass(frozen=True, slots=True)
class Linkable:
    """A candidate: its document, the document's title, and the text that may mention others."""

    document_id: str
    title: str
    text: str


def named_by(query: str, candidates: Sequence[Linkable], chances: Sequence[float]) -> list[float]:
    """For each candidate the summed chance, in [0, 1], of passages of other documents that mention its title.

    A title that the query itself has is not news and gets 0.
    """
    leading = [index for index, chance in enumerate(chances) if chance >= LEAST_CHANCE]
    return credit(candidates, mention_pairs(query, candidates, leading), chances)


def mention_pairs(query: str, candidates: Sequence[Linkable], leading: Iterable[int]) -> list[tuple[int, int]]:
    """(candidate, leading passage of another document that mentions its title), as indexes."""
    names = [mention_name(candidate.title) for candidate in candidates]
    asked = query.casefold()
    bearers: dict[str, list[int]] = {}
    for index, name in enumerate(names):
        bearers.setdefault(name, []).append(index)
    sought = [name for name in bearers if name and not mentions(asked, name)]
    pairs = []
    for leader in leading:
        text, document_id = candidates[leader].text.casefold(), candidates[leader].document_id
        for name in sought:
            if name != names[leader] and mentions(text, name):
                pairs += [(index, leader) for index in bearers[name] if candidates[index].document_id != document_id]
    return pairs


def credit(candidates: Sequence[Linkable], pairs: Iterable[tuple[int, int]], chances: Sequence[float]) -> list[float]:
    """The chances of the passages that name each candidate, summed up to 1.

    A document's candidates share it: a mention of a statute says little about which of its articles is meant.
    """
    passages = Counter(candidate.document_id for candidate in candidates)
    total = [0.0] * len(candidates)
    for named, by in pairs:
        if chances[by] >= LEAST_CHANCE:
            total[named] += chances[by]
    return [min(1.0, value) / passages[one.document_id] for value, one in zip(total, candidates, strict=True)]


def mention_name(title: str) -> str:
    """A title as other passages write it, in lower case; empty if it is too short to be looked for."""
    name = _QUALIFIER.sub("", title).strip().casefold()
    return name if len(name) >= (_SHORTEST_LATIN if name.isascii() else _SHORTEST_HAN) else ""


def mentions(text: str, name: str) -> bool:
    """True if ``name`` stands in ``text``, in Latin script as whole words; both in lower case."""
    position = text.find(name)
    while position >= 0:
        end = position + len(name)
        if not (_joined(text[position - 1 : position], name[0]) or _joined(name[-1], text[end : end + 1])):
            return True
        position = text.find(name, position + 1)
    return False


def softmax(scores: Sequence[float]) -> list[float]:
    """Scores as chances that sum to 1."""
    best = max(scores, default=0.0)
    exponents = [math.exp(score - best) for score in scores]
    total = sum(exponents)
    return [exponent / total for exponent in exponents]


def _joined(left: str, right: str) -> bool:
    both = left + right
    return len(both) == 2 and both.isascii() and both.isalnum()
