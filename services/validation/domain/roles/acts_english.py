"""The acts of an English sentence: what stands before and after its verbs, by voice and preposition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.roles.acts import AGENT, PATIENT, Act
from services.validation.domain.roles.english_verbs import IsVerb, Token, VerbGroup, tokens_of, verbs_in


def english_acts(analysis: Analysis, is_verb: IsVerb) -> tuple[Act, ...]:
    """The acts of a sentence, in order."""
    tokens = tokens_of(analysis, is_verb)
    verbs = verbs_in(tokens)
    return tuple(_acts(tokens, verbs))


def _acts(tokens: Sequence[Token], verbs: Sequence[VerbGroup]) -> Iterator[Act]:
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


def _left(tokens: Sequence[Token], floor: int, first: int) -> tuple[int, str]:
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


def _nearest(tokens: Sequence[Token], before: int) -> dict[str, tuple[Term, ...]]:
    """The noun phrase right before a relative word."""
    i = before - (before > 0 and tokens[before - 1].low == ",")
    end = i
    while i > 0 and (tokens[i - 1].kind in ("word", "det") or tokens[i - 1].low == "of"):
        i -= 1
    return _parts(tokens[i:end])


def _noun_phrase(tokens: Sequence[Token]) -> dict[str, tuple[Term, ...]]:
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


def _right(tokens: Sequence[Token], start: int, ceiling: int, *, last: bool) -> int:
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


def _parts(tokens: Sequence[Token]) -> dict[str, tuple[Term, ...]]:
    """What follows a verb by the preposition before it; what follows "of" is a part of its own (``agent of``)."""
    parts: dict[str, list[Term]] = {}
    name = PATIENT
    for token in tokens:
        if token.kind == "prep":
            name = token.low if token.low != "of" else name.removesuffix(" of") + " of"
        elif token.term is not None and token.kind == "word":
            parts.setdefault(name, []).append(token.term)
    return {k: tuple(v) for k, v in parts.items()}
