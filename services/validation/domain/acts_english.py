"""The acts of an English sentence, read from its function words, its word forms and a list of verbs.

No tagger: what stands between function words is a noun phrase unless its form and its place make it a verb.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from services.validation.domain.acts import AGENT, EITHER_WAY, PATIENT, Act, things_at
from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.text import is_irregular

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
_STOPS = frozenset(",;:.()?!")
_NOUNS_IN_LY = frozenset(("family", "assembly", "anomaly", "monopoly", "july", "italy", "butterfly"))


@dataclass(frozen=True, slots=True)
class _Token:
    low: str
    start: int
    end: int
    kind: str
    term: Term | None
    verbal: bool
    proper: bool


@dataclass(frozen=True, slots=True)
class _Verb:
    """A verb group: its first token (an auxiliary maybe), the verb itself, its voice."""

    first: int
    at: int
    passive: bool
    negated: bool


def english_acts(analysis: Analysis, is_verb: IsVerb) -> tuple[Act, ...]:
    """The acts of a sentence, in order."""
    tokens = _tokens(analysis, is_verb)
    verbs = _verbs(tokens)
    return tuple(_acts(tokens, verbs))


def _tokens(analysis: Analysis, is_verb: IsVerb) -> list[_Token]:
    things = things_at(analysis)
    found: list[_Token] = []
    for match in _TOKEN.finditer(analysis.low):
        low, start = match.group(), match.start()
        if found and start < found[-1].end:
            continue  # inside an identifier of several words
        kind = _kind(low, found[-1].kind if found else "stop")
        verbal = kind == "word" and not low.endswith("'s") and is_verb(low)
        if kind == "word" and low.endswith("ly") and len(low) > _SHORT and not verbal and low not in _NOUNS_IN_LY:
            kind = "adv"
        proper = analysis.text[start].isupper() and bool(found) and found[-1].low not in (".", ":", "?", "!")
        thing = things.get(start)
        if thing is not None and thing.end > match.end():
            kind, verbal, low = "word", False, thing.word.surface
        found.append(_Token(low, start, start + len(low), kind, thing, verbal, proper))
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


def _verbs(tokens: Sequence[_Token]) -> list[_Verb]:
    found: list[_Verb] = []
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


def _denied(tokens: Sequence[_Token], i: int, last: _Verb | None) -> bool:
    """ "Do not have to wear", "are not required to wear": what "to" leads to is denied with what leads to it."""
    begin = last.at + 1 if last is not None else 0
    linked = last is not None and last.negated and begin == i - 1
    return linked or any(t.low in _DENIALS or t.low.endswith("n't") for t in tokens[begin:i])


_DENIALS = frozenset(("not", "never", "cannot", "no"))


def _relation(tokens: Sequence[_Token], i: int) -> _Verb | None:
    """ "A is a subsidiary of B": the noun tells what A is to B, as a verb would."""
    at = _ahead(tokens, i)
    at += at < len(tokens) and tokens[at].kind == "det"
    while at + 1 < len(tokens) and tokens[at].kind == "word" and tokens[at + 1].kind == "word":
        at += 1
    if at + 2 >= len(tokens) or tokens[at].kind != "word" or tokens[at + 1].low != "of":
        return None
    negated = any(t.low in _DENIALS for t in tokens[i:at])
    return None if tokens[at].low in EITHER_WAY else _Verb(i, at, False, negated)


def _back(tokens: Sequence[_Token], i: int) -> int:
    """The nearest token before one that is no adverb."""
    i -= 1
    while i >= 0 and tokens[i].kind == "adv":
        i -= 1
    return i


def _led(tokens: Sequence[_Token], i: int) -> _Verb | None:
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
            return _Verb(first, i, False, negated)
        return _Verb(first, i, True, negated) if _PARTICIPLE.search(low) else None
    if chain[0] == "have":
        return _Verb(first, i, False, negated) if _PARTICIPLE.search(low) else None
    return _Verb(first, i, False, negated)


def _finite(tokens: Sequence[_Token], i: int, last: int) -> _Verb | None:
    """A verb by its own form and place; ``last`` is the verb before it."""
    low, before, after = tokens[i].low, _back(tokens, i), _ahead(tokens, i)
    kind = tokens[before].kind if before >= 0 else "stop"
    following = tokens[after].kind if after < len(tokens) else "stop"
    plain, active = not _inflected(low), _Verb(i, i, False, False)
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
        return _Verb(i, i, True, False)
    return active if following != "stop" or low.endswith("ed") or not _auxiliary(tokens, i) else None


def _counted(tokens: Sequence[_Token], i: int) -> bool:
    """The words up to here follow a number: "6,215 deferred members"."""
    while i >= 0 and tokens[i].kind == "word":
        i -= 1
    return i >= 0 and tokens[i].kind == "number"


def _inflected(low: str) -> bool:
    return (low.endswith("s") and not low.endswith("ss")) or low.endswith("ed") or is_irregular(low)


def _goes_on(tokens: Sequence[_Token], i: int) -> bool:
    """A verb in its bare form with more to come: "the keys hang in the lodge"."""
    more = i + 1 < len(tokens) and tokens[i + 1].kind != "stop"
    return more and tokens[i].verbal and not _inflected(tokens[i].low)


def _bare(tokens: Sequence[_Token], i: int, before: int, after: int) -> bool:
    """A verb in its bare form: an order, after "to", after a plural."""
    kind = tokens[before].kind if before >= 0 else "stop"
    following = tokens[after].kind if after < len(tokens) else "stop"
    if kind in ("stop", "conj"):
        return following in ("det", "pron") and not _auxiliary(tokens, i)
    if kind == "prep":
        return tokens[before].low == "to" and following not in ("stop", "conj")
    plural = kind == "word" and tokens[before].low.endswith("s") and not tokens[before].low.endswith("'s")
    return plural and following != "stop" and not _auxiliary(tokens, i)


def _governed(tokens: Sequence[_Token], i: int, last: int) -> bool:
    """The noun phrase before a form hangs on a preposition after the verb: "looks for the runway lights"."""
    j = i - 1
    while j > last and tokens[j].kind in ("word", "number", "adv", "det"):
        j -= 1
    return 0 <= last < j and tokens[j].kind == "prep"


def _ahead(tokens: Sequence[_Token], i: int) -> int:
    i += 1
    while i < len(tokens) and tokens[i].kind == "adv":
        i += 1
    return i


def _auxiliary(tokens: Sequence[_Token], i: int) -> bool:
    """An auxiliary or a modal word stands between the same stops, before the next conjunction or relative word."""
    for step in (1, -1):
        j = i + step
        while 0 <= j < len(tokens) and tokens[j].kind not in ("stop", "rel", "conj"):
            if tokens[j].kind in ("be", "modal", "have", "do"):
                return True
            j += step
    return False


def _acts(tokens: Sequence[_Token], verbs: Sequence[_Verb]) -> Iterator[Act]:
    subject: dict[str, tuple[Term, ...]] = {}
    floor, relative = 0, False
    for n, verb in enumerate(verbs):
        start, how = _left(tokens, floor, verb.first)
        if how == "own" and relative and not any(t.kind in ("stop", "conj", "rel") for t in tokens[floor : verb.first]):
            how = "inherited"  # "changes which do not affect the licence need not be reported"
        relative = how == "who"
        if how == "own":
            subject = _noun_phrase(tokens[start : verb.first])
        elif how == "open":
            subject = {}
        elif how == "who":
            subject = _nearest(tokens, start)
        ceiling = verbs[n + 1].first if n + 1 < len(verbs) else len(tokens)
        end = _right(tokens, verb.at + 1, ceiling, last=n + 1 == len(verbs))
        parts = _parts(tokens[verb.at + 1 : end])
        if verb.passive:
            parts.pop(PATIENT, None)
            parts = {_AGENT_AS.get(k, k): v for k, v in parts.items()} | _renamed(subject, PATIENT)
        else:
            parts = _renamed(subject, AGENT) | parts
        term = tokens[verb.at].term
        stop = tokens[end - 1].end if end > verb.at else tokens[verb.at].end
        if term is not None:
            begin = tokens[min(start, verb.first)].start
            yield Act((term,), begin, stop, {k: v for k, v in parts.items() if v}, verb.negated)
        floor = verb.at + 1


def _left(tokens: Sequence[_Token], floor: int, first: int) -> tuple[int, str]:
    """Where the subject of a verb group begins, and whether it is its own, open, inherited or a relative's."""
    i = first
    while i > floor and tokens[i - 1].kind not in ("rel",) and tokens[i - 1].low not in (";", ":", ".", "(", ")"):
        i -= 1
    # The last comma or conjunction opens the subject, unless only a list stands before it.
    for j in range(first - 1, i - 1, -1):
        if tokens[j].low == "," or tokens[j].kind == "conj":
            if floor or any(t.kind == "prep" for t in tokens[i : i + 1]) or j == first - 1:
                i = j + 1
            break
    own = tokens[i:first]
    if any(t.kind == "pron" for t in own):
        return i, "open"
    if any(t.term is not None or t.kind == "number" for t in own):
        return i, "own"
    if i > 0 and tokens[i - 1].low in ("who", "which", "that"):
        return i - 1, "who"
    if floor and (i == floor or tokens[i - 1].kind in ("conj", "stop")):
        return i, "inherited"
    return i, "open"


_AGENT_AS = {"by": AGENT, "by of": f"{AGENT} of"}


def _renamed(subject: dict[str, tuple[Term, ...]], name: str) -> dict[str, tuple[Term, ...]]:
    """A subject as one part of an act, with what hangs on it by "of" and what leads to it."""
    names = {PATIENT: name, f"{PATIENT} of": f"{name} of"}
    return {names.get(k, k): v for k, v in subject.items()}


def _nearest(tokens: Sequence[_Token], before: int) -> dict[str, tuple[Term, ...]]:
    """The noun phrase right before a relative word."""
    i = before - (before > 0 and tokens[before - 1].low == ",")
    end = i
    while i > 0 and (tokens[i - 1].kind in ("word", "det") or tokens[i - 1].low == "of"):
        i -= 1
    return _parts(tokens[i:end])


def _noun_phrase(tokens: Sequence[_Token]) -> dict[str, tuple[Term, ...]]:
    """The parts of what stands before a verb: from the last determiner that no preposition governs, and what leads to
    it ("after heart surgery the child ...")."""
    begin = 0
    for i, token in enumerate(tokens):
        free = i == 0 or (tokens[i - 1].kind not in ("prep", "det", "conj") and tokens[i - 1].low != ",")
        if token.kind == "det" and free:
            begin = i
    if tokens and tokens[0].kind == "prep":
        if not begin:
            return {}  # "in the corridor office staff ...": nothing shows where the subject begins
        return {k: v for k, v in _parts(tokens[:begin]).items() if k != PATIENT} | _parts(tokens[begin:])
    return _parts(tokens[begin:])


def _right(tokens: Sequence[_Token], start: int, ceiling: int, *, last: bool) -> int:
    """Where what follows a verb ends: at a stop, a relative word, or where the next verb's subject begins."""
    cut = start
    while cut < ceiling and tokens[cut].kind not in ("stop", "rel", "be", "have", "modal"):
        cut += 1
    another = cut < len(tokens) and tokens[cut].kind in ("be", "have", "modal")
    if not another and (cut < ceiling or last):
        return cut
    for i in range(cut - 1, start - 1, -1):
        if tokens[i].kind == "conj":
            return i
    return cut


def _parts(tokens: Sequence[_Token]) -> dict[str, tuple[Term, ...]]:
    """What follows a verb by the preposition before it; what follows "of" is a part of its own (``agent of``)."""
    parts: dict[str, list[Term]] = {}
    name = PATIENT
    for token in tokens:
        if token.kind == "prep":
            name = token.low if token.low != "of" else name.removesuffix(" of") + " of"
        elif token.term is not None and token.kind == "word":
            parts.setdefault(name, []).append(token.term)
    return {k: tuple(v) for k, v in parts.items()}
