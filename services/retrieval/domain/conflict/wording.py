"""One wording for what rules are told in many: synonyms, bounds, frequencies and inflections, in both languages.

Only for comparing statements. ``config/wording.yaml`` holds the groups of words that rules use for one another.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

# What frames a rule and says nothing of its subject.
_FRAME_ENGLISH = (
    "carryout period length duration carry come amount equal apply set fix valid validity once time "
    "expire lapse rated nominal due automatically immediately promptly compulsory mandatory obligatory"
)
_FRAME_CHINESE = (
    "期限|期间|有效期|有效|失效|过期|额定|自动|立即|长度|时长|时间|标准|数额|规定|要求|次数|一次(?!性)|可休|享受|实行"
)
_BEHIND_VALUE = ((re.compile(r"(?<=\s)个?(?:位|字符)"), " character "), (re.compile(r"(?<=\s)[以之]?内"), " atmost "))
_DOUBLED = re.compile(r"([bdgmnprt])\1$")


_IRREGULAR_TEXT = (
    "sent send begun begin began begin given give gave give kept keep held hold paid pay made make left leave "
    "taken take took take written write wrote write met meet lost lose found find done do built build bought "
    "buy brought bring sold sell told tell said say stood stand spent spend lent lend chosen choose driven "
    "drive drove drive broken break spoken speak known know shown show drawn draw worn wear borne bear got get "
    "gotten get became become came come went go gone go"
)
_IRREGULAR = dict(zip(_IRREGULAR_TEXT.split()[::2], _IRREGULAR_TEXT.split()[1::2], strict=True))
# Of a verb that is hardly longer than its ending: giv(ing), fil(ed), but end(ed), pay(ing).
_LOST_E = re.compile(r"[^aeiou][aeiou][^aeiouwxy]")
_SHORTEST = 3


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """A lower-case English word without the endings of plural, past and present participle, and without a final e."""
    word = _IRREGULAR.get(word, word)
    if word.endswith("ings"):
        return word[:-1]  # buildings and settings are things
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-3] + "y" if word.endswith("ies") and len(word) > 4 else word[:-1]
    for ending in ("ing", "ed"):
        bare = word.removesuffix(ending)
        if bare != word and len(bare) >= _SHORTEST and re.search("[aeiouy]", bare) and not word.endswith("eed"):
            whole = _DOUBLED.sub(r"\1", bare)
            if len(bare) == _SHORTEST and _LOST_E.fullmatch(bare):
                return f"{bare}e"
            return whole.removesuffix("e")
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


_ENGLISH_WORD = re.compile(r"[A-Za-z][A-Za-z']*")
_FRAME = frozenset(stem(word) for word in _FRAME_ENGLISH.split())
_FRAME_PHRASE = re.compile(_FRAME_CHINESE)
_NOTHING = re.compile(r"(?!)")


class Wording:
    """Groups of phrases, each with a name: English and Chinese ones together. Two objects are equal if they are one."""

    def __init__(self, groups: Mapping[str, Sequence[str]]) -> None:
        self._names = {
            " ".join(stem(word) for word in phrase.lower().split()): name
            for name, phrases in groups.items()
            for phrase in phrases
        }
        self._members: dict[str, tuple[str, ...]] = {
            name: tuple(p for p, owner in self._names.items() if owner == name and " " not in p) for name in groups
        }
        longest_first = sorted(self._names, key=len, reverse=True)
        english = "|".join(re.escape(p).replace("\\ ", "[ ]+") for p in longest_first if p.isascii())
        # A single character is part of other words, so it is met only where it is a word.
        chinese = "|".join(re.escape(p) for p in longest_first if not p.isascii() and len(p) > 1)
        self._characters = {p: name for p, name in self._names.items() if len(p) == 1 and not p.isascii()}
        self._english = re.compile(rf"(?<![A-Za-z])(?:{english})(?![A-Za-z])") if english else _NOTHING
        self._chinese = re.compile(chinese) if chinese else _NOTHING

    def one(self, text: str) -> str:
        """``text``, whose values are blanked out, in stems and names of groups; Chinese of no group stays as it is."""
        for pattern, name in _BEHIND_VALUE:
            text = pattern.sub(name, text)
        stemmed = _ENGLISH_WORD.sub(lambda match: stem(match.group().lower()), text)
        if stemmed.isascii():
            return self._english.sub(self._named, stemmed)
        return _FRAME_PHRASE.sub(" ", self._chinese.sub(self._named, self._english.sub(self._named, stemmed)))

    def of_character(self, word: str) -> str:
        """The name of the group of a word of one Chinese character; the word itself for any other."""
        return self._characters.get(word, word)

    def members(self, name: str) -> tuple[str, ...]:
        """The single words of a group, English ones as stems; the word itself for what names no group."""
        return self._members.get(name) or (name,)

    def _named(self, match: re.Match[str]) -> str:
        return f" {self._names[' '.join(match.group().split())]} "


def is_frame(word: str) -> bool:
    """True for a stem that says nothing of the subject."""
    return word in _FRAME
