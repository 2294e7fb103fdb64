"""Acts: which thing does what to which, as far as word order, prepositions and voice tell, in either language."""

from __future__ import annotations

from dataclasses import dataclass, field

from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.reading.text import Word, stem

AGENT, PATIENT, OCCASION = "agent", "patient", "when"
# What one is to the other, the other is to the one.
EITHER_WAY = frozenset((
    "neighbour", "neighbor", "rival", "competitor", "partner", "friend", "colleague", "sister", "brother", "twin",
    "counterpart", "opposite", "member", "part", "对手", "邻居", "伙伴", "朋友", "同事", "同学", "兄弟", "姐妹",
    "一部分",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Act:
    """One act of a text: the words of its verbs, and the words of those that take part, by their part.

    ``parts`` maps ``agent``, ``patient`` and the prepositions (``to``, ``from``, ``in`` ...) to the words that stand
    there, "agent of" and the like to what hangs on them. ``start`` and ``end`` are offsets of the stretch that was
    read. ``marked``: the form itself shows who acts (English word order, 由, 被); what stands first in a Chinese
    clause may be a topic or a circumstance. ``inherited``: what it is told of stands in the clause before.
    """

    verbs: tuple[Term, ...]
    start: int
    end: int
    parts: dict[str, tuple[Term, ...]] = field(default_factory=dict)
    negated: bool = False
    marked: bool = True
    inherited: bool = False

    @property
    def terms(self) -> tuple[Term, ...]:
        """All words of the act."""
        return (*self.verbs, *(t for part in self.parts.values() for t in part))

    def part(self, name: str) -> tuple[Term, ...]:
        """The words in one part, none where nothing stands there."""
        return self.parts.get(name, ())


def things_at(analysis: Analysis) -> dict[int, Term]:
    """The words of a text by offset, and its identifiers (Sola 200T, 甲方) as words."""
    things = {t.start: t for t in analysis.terms}
    for name in analysis.names:
        if name.strict:
            word = Word(stem(name.key), analysis.low[name.start : name.end], name.start, name.end, analysis.han)
            things[name.start] = Term(word, word.key, frozenset(), frozenset(), 1.0)
    return things


def words_between(analysis: Analysis, things: dict[int, Term], start: int, end: int) -> list[Word]:
    """The words and the identifiers of a stretch, in order."""
    words = {w.start: w for w in analysis.words if start <= w.start and w.end <= end}
    words.update({at: t.word for at, t in things.items() if start <= at and t.end <= end})
    return [words[at] for at in sorted(words)]
