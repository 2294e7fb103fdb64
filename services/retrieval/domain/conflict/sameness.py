"""Whether two sentences speak of the same thing: their words are set against each other, and nothing may be left over.

A word of one sentence is met by the same word of the other, by a word of its group (``config/wording.yaml``), or by one
that means the same in the dictionary, in the other language as well. What is left over on one side tells another
object, condition, place or act, and the two are not the same; only what the other side's title or headings name, or
what is said of anybody, may stand on one side alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from services.retrieval.domain.conflict.light_words import UNSAID, WEAK, is_general
from services.retrieval.domain.conflict.meanings import Language, Meanings, related, same_head, same_root
from services.retrieval.domain.conflict.statements import Statement
from services.retrieval.domain.conflict.told_by_unit import told_by_unit
from services.retrieval.domain.conflict.wording import stem
from services.retrieval.domain.values.stated_values import OF_A_DAY

# Groups of config/wording.yaml that frame a value and name no thing.
_ENGLISH = re.compile(r"[A-Za-z]+")
_PERIODS = frozenset(("yearly", "monthly", "weekly", "daily"))
_FRAMES = _PERIODS | {"atleast", "atmost", "timelimit"}
_EXACT, _OF_DICTIONARY, _LITTLE = 1.0, 0.7, 0.5
# Within a language a dictionary's near-synonym is taken for the same word only beside so much that is the same.
_EXACT_FOR_ONE = 2.0
# The main word of a compound in the other language counts beside so many words that are met.
_BESIDE_HEADS = 2
# No period of time is less than so many of the next shorter one.
_LEAST_OF_PERIODS = 3
# So many words more than are shared may have to be met otherwise.
_MOST_LEFT = 3


@dataclass(frozen=True, slots=True)
class Sameness:
    """Why two sentences are held to speak of the same thing.

    ``shared`` are words that both have, ``alike`` pairs held to mean the same, ``given`` what one side alone names and
    the other's title or headings tell. ``weight`` is how much that is, about one a telling word.
    """

    shared: tuple[str, ...]
    alike: tuple[tuple[str, str], ...]
    given: tuple[str, ...]
    weight: float

    def reason(self, first: str, second: str) -> str:
        """In words of the sentences."""
        parts = []
        if self.shared:
            parts.append(f"both speak of {', '.join(_as_written(word, first) for word in self.shared)}")
        if self.alike:
            pairs = (f"{_as_written(a, first)} and {_as_written(b, second)}" for a, b in self.alike)
            parts.append(f"held to mean the same: {', '.join(pairs)}")
        if self.given:
            given = ", ".join(_as_written(word, f"{first} {second}") for word in self.given)
            parts.append(f"named by one, given for the other: {given}")
        return "; ".join(parts)


def sameness(
    first: Statement,
    second: Statement,
    around: tuple[Collection[str], Collection[str]],
    meanings: Meanings,
    keys: Collection[str] = (),
    titles: tuple[Collection[str], Collection[str]] = ((), ()),
    common: Collection[str] = (),
) -> Sameness | None:
    """Why the sentences speak of the same thing; None if they are not held to.

    ``around`` are the words of the titles and headings that each stands under, ``titles`` those of the titles, which
    each document is about, ``keys`` the codes and periods that both name or stand under, and ``common`` words that so
    many documents have that they tell little.
    """
    if _told_otherwise(first, second):
        return None
    a, b = _telling(first, second), _telling(second, first)
    told = told_by_unit(first.stated)
    little = told.union(common)
    shared = tuple(word for word in a if word in b)
    left_a, left_b = [w for w in a if w not in shared], [w for w in b if w not in shared]
    language = _language(first, second)
    if language is not Language.BOTH and max(len(left_a), len(left_b)) > _MOST_LEFT + len(shared):
        return None  # too little in common, whatever the dictionary says
    alike = _alike(left_a, left_b, a, b, meanings, language)
    if language is Language.BOTH and len(shared) + len(alike) >= _BESIDE_HEADS:
        alike += _same_heads(left_a, left_b, alike, meanings)
    left_a = [w for w in left_a if all(w not in pair[0].split() for pair in alike)]
    left_b = [w for w in left_b if all(w not in pair[1].split() for pair in alike)]
    beyond = around
    if any(titles):
        beyond = (frozenset(around[0]).union(first.beside_words), frozenset(around[1]).union(second.beside_words))
    given = tuple(
        [w for w in left_a if _is_given(w, beyond[1], meanings)]
        + [w for w in left_b if _is_given(w, beyond[0], meanings)]
    )
    known = told.union(WEAK, given)
    left_a, left_b = ([w for w in left if w not in known] for left in (left_a, left_b))
    own = [[w for w in left if w in title] for left, title in zip((left_a, left_b), titles, strict=True)]
    if all(own):
        return None  # each of what its own document is about
    left_a, left_b = ([w for w in left if w not in mine] for left, mine in zip((left_a, left_b), own, strict=True))
    if left_a and left_b:
        return None
    left, others = (left_a, b) if left_a else (left_b, a)
    if not (UNSAID.issuperset(left) or (any(titles) and _is_done(left, others, meanings))):
        return None
    if len(given) > len(shared) + len(alike) + len(keys):
        return None
    roots = [pair for pair in alike if _is_root(*pair)]
    exact = sum(_weight(word, little) for word in shared) + len(roots)
    if language is not Language.BOTH and exact < _EXACT_FOR_ONE * (len(alike) - len(roots)):
        return None
    weight = exact + _OF_DICTIONARY * (len(alike) - len(roots)) + len(keys)
    if not shared and not alike:
        weight = weight and weight + _LITTLE * len(given)
    return Sameness((*shared, *sorted(keys)), tuple(alike), (*given, *left_a, *left_b), weight) if weight > 0 else None


def _is_done(left: Sequence[str], others: Sequence[str], meanings: Meanings) -> bool:
    """Whether what is left over on one side tells only what is done with a thing that the other side, whose words are
    ``others``, only names, as a row of a table does."""
    return all(w in UNSAID or meanings.is_verb(w) for w in left) and not any(map(meanings.is_verb, others))


def _is_root(first: str, second: str) -> bool:
    return first.isascii() and second.isascii() and same_root(first, second)


def _telling(statement: Statement, other: Statement) -> tuple[str, ...]:
    """The words that name a thing: no bounds and periods.

    Above and below are bounds as well, unless one side has the one and the other the other.
    """
    left_out = set(_FRAMES)
    for bound, opposite in (("above", "below"), ("below", "above")):
        if opposite not in other.words:
            left_out.add(bound)
    return tuple(word for word in statement.words if word not in left_out)


def _language(first: Statement, second: Statement) -> Language:
    if first.manner.chinese != second.manner.chinese:
        return Language.BOTH
    return Language.CHINESE if first.manner.chinese else Language.ENGLISH


def _told_otherwise(first: Statement, second: Statement) -> bool:
    """How often against how long, before against after, forbidden against allowed, at least against at most."""
    manners = first.manner, second.manner
    if manners[0].often != manners[1].often or manners[0].negative != manners[1].negative:
        return True
    periods = [_PERIODS.intersection(s.words) for s in (first, second)]
    of_a_day = any(value.compared in OF_A_DAY for value in first.stated)
    if periods[0] != periods[1] and not of_a_day and (all(periods) or not _of_one_period(first, second)):
        return True
    if {manners[0].direction, manners[1].direction} == {"before", "after"}:
        return True
    if {manners[0].edge, manners[1].edge} == {"start", "end"}:
        return True
    low, high = (tuple(bound in s.words for s in (first, second)) for bound in ("atleast", "atmost"))
    return low[0] != low[1] and high[0] != high[1]


def _of_one_period(first: Statement, second: Statement) -> bool:
    """Whether values of which one side alone tells the period, 25 days and 28 days a year, are too near each other for
    a week's and a month's."""
    sums = [sum(value.amount for value in s.stated) for s in (first, second)]
    return 0 < max(sums) < _LEAST_OF_PERIODS * min(sums)


def _alike(
    left_a: Sequence[str],
    left_b: Sequence[str],
    a: Sequence[str],
    b: Sequence[str],
    meanings: Meanings,
    language: Language,
) -> list[tuple[str, str]]:
    """Pairs of words left over that mean the same, and one word for two of the other side."""
    pairs: list[tuple[str, str]] = []
    free = list(left_b)
    for word in left_a:
        other = next((o for o in free if related(word, o, meanings, language)), None)
        if other is not None:
            free.remove(other)
            pairs.append((word, other))
            continue
        phrase = _phrase(word, b, meanings)
        if phrase:
            pairs.append((word, phrase))
            free = [o for o in free if o not in phrase.split()]
    met = {word for pair in pairs for word in pair[0].split()}
    for word in free:
        phrase = _phrase(word, a, meanings)
        if phrase and not met.issuperset(phrase.split()):
            pairs.append((phrase, word))
    return pairs


def _same_heads(
    left_a: Sequence[str], left_b: Sequence[str], alike: Sequence[tuple[str, str]], meanings: Meanings
) -> list[tuple[str, str]]:
    met = {word for pair in alike for side in pair for word in side.split()}
    return [(a, b) for a in left_a for b in left_b if a not in met and b not in met and same_head(a, b, meanings)]


def _phrase(word: str, others: Sequence[str], meanings: Meanings) -> str:
    """Two words of the other side that together translate ``word``."""
    if word.isascii():
        return ""
    for sense in meanings.senses(word):
        parts = sense.split("+")
        if len(parts) > 1 and all(part in others for part in parts):
            return " ".join(parts)
    return ""


def _is_given(word: str, around: Collection[str], meanings: Meanings) -> bool:
    return word in around or any(related(word, other, meanings, Language.BOTH) for other in around)


def _weight(word: str, known: Collection[str]) -> float:
    little = word in known or word in WEAK or is_general(word) or (not word.isascii() and len(word) == 1)
    return _LITTLE if little else _EXACT


def _as_written(words: str, sentence: str) -> str:
    """Stems as the sentence writes them; the name of a group stays."""
    written = {stem(match.group().lower()): match.group() for match in _ENGLISH.finditer(sentence)}
    return " ".join(written.get(word, word) for word in words.split())
