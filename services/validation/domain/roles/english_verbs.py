"""The verbs of an English sentence, told by its function words, its word forms and a list of verbs.

No tagger: what stands between function words is a noun phrase unless its form and its place make it a verb.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.reading.text import is_irregular
from services.validation.domain.roles.acts import EITHER_WAY, things_at

IsVerb = Callable[[str], bool]

_CLASSES = {
    "det": "the a an each every any all some no both its their his her our your my these those two three four either"
    " another other one this",
    "prep": "of in on at by for with from to into onto over under within during after before until upon between among"
    " through via without against about per than towards toward across along behind beside near inside outside like"
    " since despite up off out down away back following",
    "pron": "it they he she we you i them him us me itself themselves himself herself everyone anyone nobody",
    "rel": "as who which that whom whose where when if while whereas because although though unless once whenever",
    "be": "is are was were be been being",
    "have": "has have had having",
    "do": "do does did",
    "modal": "must shall should may might can could will would cannot need",
    "conj": "and or but nor yet so",
    "adv": "not also only even still always never already again directly usually then first finally now twice once"
    " together immediately normally thereby here there too often later soon please instead just n't",
}  # fmt: skip
_CLASS_OF = {word: name for name, words in _CLASSES.items() for word in words.split()}
_TOKEN = re.compile(r"[A-Za-z\u00c0-\u024f][\w'-]*|[,;:.()?!]|\d[\w.,/-]*\w|\d")
_PARTICIPLE = re.compile(r"(?:ed|en|wn|ght|lt|nt|ld|pt|rn|ung|ade|et|ut|id|ne|ood|uck|ost)$")
_INITIAL = re.compile(r"(?:\w+ )?[a-z]|dr|mr|mrs|ms|st|no|ltd|inc|co|jr|sr|vs")
_STOPS = frozenset(",;:.()?!")
_NOUNS_IN_LY = frozenset(("family", "assembly", "anomaly", "monopoly", "july", "italy", "butterfly"))


@dataclass(frozen=True, slots=True)
class Token:
    """A word, an identifier, a number or a mark with its class; ``verbal`` if its form may be a verb's."""

    low: str
    start: int
    end: int
    kind: str
    term: Term | None
    verbal: bool
    proper: bool


@dataclass(frozen=True, slots=True)
class VerbGroup:
    """A verb group: its first token (an auxiliary maybe), the verb itself, its voice."""

    first: int
    at: int
    passive: bool
    negated: bool


def tokens_of(analysis: Analysis, is_verb: IsVerb) -> list[Token]:
    """The words and the marks of a sentence with their classes."""
    things = things_at(analysis)
    found: list[Token] = []
    for match in _TOKEN.finditer(analysis.low):
        low, start = match.group(), match.start()
        if found and start < found[-1].end:
            continue  # inside an identifier of several words
        if low == "." and (
            analysis.low[start + 1 : start + 2].strip() or (found and _INITIAL.fullmatch(found[-1].low))
        ):
            continue  # "Michael R. Halden", "e.g."
        kind = _kind(low, found[-1].kind if found else "stop")
        verbal = kind == "word" and not low.endswith("'s") and is_verb(low)
        if kind == "word" and low.endswith("ly") and len(low) > _SHORT and not verbal and low not in _NOUNS_IN_LY:
            kind = "adv"
        proper = analysis.text[start].isupper() and bool(found) and found[-1].low not in (".", ":", "?", "!")
        thing = things.get(start)
        if thing is not None and thing.end > match.end():
            kind, verbal, low = "word", False, thing.word.surface
        found.append(Token(low, start, start + len(low), kind, thing, verbal, proper))
    return found


_SHORT = 4


def _kind(low: str, before: str) -> str:
    if low in _STOPS:
        return "stop"
    if low[0].isdigit():
        return "number"
    if low == "that" and before == "prep":
        return "det"
    return _CLASS_OF.get(low, "word")


def verbs_in(tokens: Sequence[Token]) -> list[VerbGroup]:
    """The verbs of a sentence by what leads to them, else by their own form and place."""
    found: list[VerbGroup] = []
    for i, token in enumerate(tokens):
        if found and i <= found[-1].at:
            continue
        if token.kind == "be" and (relation := _relation(tokens, i)):
            found.append(relation)
        if token.kind != "word" or (found and i <= found[-1].at):
            continue
        verb = _led(tokens, i)
        if verb is None and token.verbal and not token.proper:
            verb = _finite(tokens, i, found[-1].at if found else -1)
            if verb is not None and i and tokens[i - 1].low == "to":
                verb = replace(verb, negated=_denied(tokens, i, found[-1] if found else None))
        if verb is not None:
            found.append(verb)
    return found


def _denied(tokens: Sequence[Token], i: int, last: VerbGroup | None) -> bool:
    """ "Do not have to wear", "are not required to wear": what "to" leads to is denied with what leads to it."""
    begin = last.at + 1 if last is not None else 0
    linked = last is not None and last.negated and begin == i - 1
    return linked or any(t.low in _DENIALS or t.low.endswith("n't") for t in tokens[begin:i])


_DENIALS = frozenset(("not", "never", "cannot", "no"))


def _relation(tokens: Sequence[Token], i: int) -> VerbGroup | None:
    """ "A is a subsidiary of B": the noun tells what A is to B, as a verb would."""
    at = _ahead(tokens, i)
    at += at < len(tokens) and tokens[at].kind == "det"
    while at + 1 < len(tokens) and tokens[at].kind == "word" and tokens[at + 1].kind == "word":
        at += 1
    if at + 2 >= len(tokens) or tokens[at].kind != "word" or tokens[at + 1].low != "of":
        return None
    negated = any(t.low in _DENIALS for t in tokens[i:at])
    return None if tokens[at].low in EITHER_WAY else VerbGroup(i, at, False, negated)


def _back(tokens: Sequence[Token], i: int) -> int:
    """The nearest token before one that is no adverb."""
    i -= 1
    while i >= 0 and tokens[i].kind == "adv":
        i -= 1
    return i


def _led(tokens: Sequence[Token], i: int) -> VerbGroup | None:
    """A verb after an auxiliary, a modal word or "to"."""
    first = j = _back(tokens, i)
    chain: list[str] = []
    while j >= 0 and tokens[j].kind in ("be", "have", "do", "modal"):
        chain.append(tokens[j].kind)
        first, j = j, _back(tokens, j)
    if not chain:
        return None
    low = tokens[i].low
    negated = any(t.low in _DENIALS or t.low.endswith("n't") for t in tokens[first:i])
    if chain[0] == "be":
        if low.endswith("ing"):
            return VerbGroup(first, i, False, negated)
        return VerbGroup(first, i, True, negated) if _PARTICIPLE.search(low) else None
    if chain[0] == "have":
        return VerbGroup(first, i, False, negated) if _PARTICIPLE.search(low) else None
    return VerbGroup(first, i, False, negated)


def _finite(tokens: Sequence[Token], i: int, last: int) -> VerbGroup | None:
    """A verb by its own form and place; ``last`` is the verb before it."""
    low, before, after = tokens[i].low, _back(tokens, i), _ahead(tokens, i)
    kind = tokens[before].kind if before >= 0 else "stop"
    following = tokens[after].kind if after < len(tokens) else "stop"
    plain, active = not _inflected(low), VerbGroup(i, i, False, False)
    if kind == "pron":
        return active
    if plain:
        return active if _bare(tokens, i, before, after) else None
    if low.endswith("s") and (
        following in ("be", "modal", "have", "do")
        or tokens[min(after, len(tokens) - 1)].low in ("of", ":")
        or _governed(tokens, i, last)
        or (following == "word" and (_auxiliary(tokens, i) or _goes_on(tokens, after)))
    ):
        return None  # a plural noun
    if kind in ("rel", "conj"):
        return active
    if (kind != "word" and tokens[before].low != ")") or (low.endswith("s") and _counted(tokens, before)):
        return None
    if low.endswith("ed") and following == "prep" and tokens[after].low == "by":
        return VerbGroup(i, i, True, False)
    return active if following != "stop" or low.endswith("ed") or not _auxiliary(tokens, i) else None


def _counted(tokens: Sequence[Token], i: int) -> bool:
    """The words up to here follow a number: "6,215 deferred members"."""
    while i >= 0 and tokens[i].kind == "word":
        i -= 1
    return i >= 0 and tokens[i].kind == "number"


def _inflected(low: str) -> bool:
    return (low.endswith("s") and not low.endswith("ss")) or low.endswith("ed") or is_irregular(low)


def _goes_on(tokens: Sequence[Token], i: int) -> bool:
    """A verb in its bare form with more to come: "the keys hang in the lodge"."""
    more = i + 1 < len(tokens) and tokens[i + 1].kind != "stop"
    return more and tokens[i].verbal and not _inflected(tokens[i].low)


def _bare(tokens: Sequence[Token], i: int, before: int, after: int) -> bool:
    """A verb in its bare form: an order, after "to", after a plural."""
    kind = tokens[before].kind if before >= 0 else "stop"
    following = tokens[after].kind if after < len(tokens) else "stop"
    if kind in ("stop", "conj"):
        return following in ("det", "pron") and not _auxiliary(tokens, i)
    if kind == "prep":
        return tokens[before].low == "to" and following not in ("stop", "conj")
    plural = kind == "word" and tokens[before].low.endswith("s") and not tokens[before].low.endswith("'s")
    return plural and following != "stop" and not _auxiliary(tokens, i)


def _governed(tokens: Sequence[Token], i: int, last: int) -> bool:
    """The noun phrase before a form hangs on a preposition after the verb: "looks for the runway lights"."""
    j = i - 1
    while j > last and tokens[j].kind in ("word", "number", "adv", "det"):
        j -= 1
    return 0 <= last < j and tokens[j].kind == "prep"


def _ahead(tokens: Sequence[Token], i: int) -> int:
    i += 1
    while i < len(tokens) and tokens[i].kind == "adv":
        i += 1
    return i


def _auxiliary(tokens: Sequence[Token], i: int) -> bool:
    """An auxiliary or a modal word stands between the same stops, before the next conjunction or relative word."""
    for step in (1, -1):
        j = i + step
        while 0 <= j < len(tokens) and tokens[j].kind not in ("stop", "rel", "conj"):
            if tokens[j].kind in ("be", "modal", "have", "do"):
                return True
            j += step
    return False
