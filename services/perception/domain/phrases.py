"""Names of things in an English text, found by tags: where a noun phrase ends, begins, and what it is joined with.

There is no parser behind this: it would cost more memory and time than all other stages together. A phrase is a run
of words that the tags allow inside one ("the Canon R6", "Swedish contract law", "terms of service", "leasing a car"),
cut at the first verb, preposition or mark after its noun. Wrong tags on names in lower case and on codes are common,
so a word with a capital or a digit is always allowed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.perception.domain.matching import Question
from services.perception.domain.tokens import Token

Span = tuple[int, int]

_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS", "CD", "FW", "ADD", "VBG", "AFX", "LS", "NFP"})
_INSIDE = _NOUNS | {"JJ", "JJR", "JJS", "VBN", "POS", "HYPH", "SYM", "$", "#", "RP", "XX"}
_NEVER_FIRST = frozenset({"WP", "WRB", "WDT", "WP$", "CC", "EX", "PRP", "TO", ",", ".", ":", "IN", "MD"})
# Nothing ends with one of these unless it is written as a name ("Munich Re").
_NEVER_LAST = frozenset({"IN", "DT", "POS", "RB", "JJR", "HYPH"})
_ARTICLES = frozenset({"DT", "PRP$", "PDT"})
_TIED = frozenset("-/+_.&")
# Pairs that are one thing.
_PAIRS = frozenset(
    {("terms", "conditions"), ("rules", "regulations"), ("policies", "procedures"), ("policy", "procedure")}
    | {("health", "safety"), ("acts", "regulations"), ("standards", "guidelines"), ("articles", "association")}
)
# After one of these tags a word in -ing or -ed speaks about the noun before it: "a pump running on diesel".
_GOVERNS = frozenset({"IN", "DT", "PRP$", "TO", "RB", "PRP"})
_JOINTS = frozenset({"and", "or", "&", "vs", "vs.", "versus", ",", "nor", "/"})
_CLOSING = frozenset({"and", "or", "&", "nor"})
# A week or a month after the last thing compared says when, not what.
_WHEN = frozenset(
    {"today", "now", "currently", "yesterday", "tomorrow", "overall", "really", "actually", "please", "been"}
)
_MONTHS = frozenset(
    {"January", "February", "March", "April", "May", "June", "July"}
    | {"August", "September", "October", "November", "December"}
)
# After a word in -ing these say how it is done.
_DONE_HOW = frozenset({"by", "to", "on"})
# An attribute and one of these may stand before the things compared.
_BEFORE_LIST = frozenset({"of", "in", "for", "at", "between", "from", "on", "with"})
# These may be said again before each thing compared.
_REPEATED = frozenset({"to", "in", "at", "for", "on", "with", "by", "from"})
MOST_ITEMS = 6


def tokens_in(question: Question, start: int, end: int) -> list[Token]:
    """The tokens that lie in ``start`` to ``end`` of the normalised text."""
    return [t for t in question.analysis.tokens if t.start >= start and t.end <= end]


def leading(question: Question, start: int, end: int) -> Span | None:
    """The phrase at the beginning of a stretch, without its article; None if none begins there."""
    tokens = tokens_in(question, start, end)
    first, stop = _phrase(tokens, 0)
    return (tokens[first].start, tokens[stop - 1].end) if stop > first else None


def trailing(question: Question, start: int, end: int) -> Span | None:
    """The phrase at the end of a stretch ("tell me about the Roth IRA" gives "Roth IRA")."""
    tokens = tokens_in(question, start, end)
    at = len(tokens)
    while at > 0 and (_inside(tokens[at - 1]) or _links_names(tokens, at - 1)):
        at -= 1
    while at < len(tokens) and (tokens[at].tag in ("POS", "HYPH", "SYM") or tokens[at].text.lower() == "of"):
        at += 1
    return (tokens[at].start, tokens[-1].end) if at < len(tokens) else None


def joined(question: Question, start: int, end: int, extra: frozenset[str] = frozenset()) -> list[Span]:
    """The phrases of "A, B and C" at the beginning of a stretch, fewer than two if it is no such list.

    Args:
        extra: further words that join two phrases ("with", "to" after "compare").
    """
    tokens = tokens_in(question, start, end)
    items: list[Span] = []
    at, closed = 0, False
    while len(items) < MOST_ITEMS:
        if items and at < len(tokens) and tokens[at].text.lower() in _REPEATED:
            items[-1] = _after_word(question, items[-1], tokens[at].text.lower())
            at += 1
        if items and at + 1 < len(tokens) and tokens[at].text.lower() in ("that", "those"):
            at += 2 * (tokens[at + 1].text.lower() in _BEFORE_LIST)  # "the notice for tenants with that for owners"
        first, stop = _phrase(tokens, at)
        if stop <= first or (items and _changes_shape(tokens, first)):
            break
        items.append((tokens[first].start, tokens[stop - 1].end))
        stop += stop < len(tokens) and tokens[stop].tag == "POS"  # "Italy's or Spain's"
        joint = _joint(tokens, stop, extra)
        if joint == stop or (closed and tokens[stop].text.lower().rstrip(".") not in ("vs", "versus")):
            break
        closed = closed or any(t.text.lower() in _CLOSING | extra for t in tokens[stop:joint])
        at = joint
    return items


def _after_word(question: Question, span: Span, word: str) -> Span:
    """What stands after a preposition that comes again before the next thing ("fly to Rome or to Milan")."""
    place = question.text.text.lower().rfind(f" {word} ", *span)
    return (place + len(word) + 2, span[1]) if place >= 0 else span


def joined_inside(question: Question, start: int, end: int, extra: frozenset[str] = frozenset()) -> list[Span]:
    """:func:`joined`, at the beginning or after one of the first prepositions ("the rules in Austria and Germany")."""
    items = joined(question, start, end, extra)
    if len(items) > 1:
        return items
    places = [t.end for t in tokens_in(question, start, end) if t.text.lower() in _BEFORE_LIST][:MOST_ITEMS]
    for place in places:
        items = joined(question, place, end, extra)
        if len(items) > 1:
            return items
    return []


def same_kind(question: Question, items: Sequence[Span]) -> list[Span]:
    """Things compared are named alike; what only one of them carries at its end belongs to the sentence.

    "clause 7.1 and clause 7.2 of the lease" are two clauses, "Lyon and Nice walkable" two cities.
    """
    text = question.text.text
    spans = list(items)
    if len(spans) < 2:
        return spans
    if all(_is_name(text[slice(*span)]) for span in spans[:-1]):
        spans[-1] = (spans[-1][0], spans[-1][0] + _name_part(text[slice(*spans[-1])]))
    last = text[slice(*spans[-1])]
    inner = _after_of(text, spans[0])
    if " of " not in last and text[slice(*inner)].split()[0] == last.split()[0]:
        spans[0] = inner  # "the results of method A and method B" compares the methods
    elif " of " not in last and text[spans[0][0]].islower() and _is_name(text[slice(*inner)]) and _is_name(last):
        spans[0] = inner  # "the terms of Miele and Bosch" compares the makers
    owner = _owner(text[slice(*spans[-1])])
    if owner and not any(" of " in text[slice(*span)] for span in spans[:-1]):
        spans[-1] = (spans[-1][0], spans[-1][0] + owner)
    return spans


_WITH_MODIFIER = re.compile(r" (?:in|of|for|at|from|on|with|without|by|to|under) ")


def told_apart(question: Question, items: Sequence[Span]) -> list[Span]:
    """Things named alike with what tells them apart: "milk in bottles" and "milk in cartons", not milk and milk."""
    text = question.text.text
    spans = list(items)
    if len(spans) != 2 or text[slice(*spans[0])].casefold() != text[slice(*spans[1])].casefold():
        return spans
    for index, (start, end) in enumerate(spans):
        word = _WITH_MODIFIER.match(text, end)
        modifier = leading(question, word.end(), len(text)) if word is not None else None
        if modifier is not None:
            spans[index] = (start, modifier[1])
    return spans


def _phrase(tokens: Sequence[Token], at: int) -> tuple[int, int]:
    """(first, stop) of the phrase at token ``at``; equal if there is none."""
    while at < len(tokens) and tokens[at].tag in _ARTICLES and tokens[at].text[0].lower() != "w":
        at += 1
    first, has_noun = at, False
    while at < len(tokens):
        token = tokens[at]
        if at == first:
            if not any(map(str.isalnum, token.text)):
                break
            if token.tag in _NEVER_FIRST and not _marked(token) and (token.tag != "MD" or _asks(tokens, at)):
                break
            has_noun = token.tag in _NOUNS and token.tag != "VBG"
        elif not _continues(tokens, at, first, has_noun):
            break
        has_noun = has_noun or token.tag in _NOUNS or _marked(token)
        at += 1
    while at > first + 1 and tokens[at - 1].tag in _NEVER_LAST and not _marked(tokens[at - 1]):
        at -= 1
    return first, at


def _asks(tokens: Sequence[Token], at: int) -> bool:
    """True if an auxiliary has its subject behind it, as a question has ("can my partner …")."""
    return at + 1 < len(tokens) and tokens[at + 1].tag in ("PRP", "PRP$", "DT")


def _continues(tokens: Sequence[Token], at: int, first: int, has_noun: bool) -> bool:
    """True if the token still belongs to the phrase that began at ``first``."""
    token, before = tokens[at], tokens[at - 1]
    if token.start == before.end and (token.text[0] == "'" or before.text in _TIED or _ties(tokens, at)):
        return True
    lower = token.text.lower()
    if lower == "&" and at + 1 < len(tokens) and before.text[0].isupper() and _other_joint(tokens, at):
        return True
    if _is_pair(tokens, at):
        return True
    if lower in _JOINTS or lower in _WHEN or (token.tag in (".", ":", ",") and not token.text[0].isalnum()):
        return False
    if _marked(token):
        return True
    if lower in _DONE_HOW and at == first + 1 and tokens[first].tag == "VBG":
        return True  # "washing by hand", "going to court"
    if lower == "of":
        return has_noun or tokens[first].tag == "VBG"
    if _links_names(tokens, at):
        return True
    if token.tag in _ARTICLES:
        doing = tokens[first].tag == "VBG" and (at == first + 1 or before.text.lower() in _DONE_HOW)
        return doing or before.text.lower() == "of"
    if token.tag == "IN":
        return not has_noun
    after = tokens[at + 1].tag if at + 1 < len(tokens) else ""
    if has_noun and token.tag in ("VBG", "VBN") and after in _GOVERNS:
        return False
    return token.tag in _INSIDE or (not has_noun and token.tag.startswith("RB"))


def _is_pair(tokens: Sequence[Token], at: int) -> bool:
    """True for "and" in "terms and conditions"."""
    if tokens[at].text.lower() not in ("and", "&") or at + 1 >= len(tokens):
        return False
    return (tokens[at - 1].text.lower(), tokens[at + 1].text.lower()) in _PAIRS


def _other_joint(tokens: Sequence[Token], at: int) -> bool:
    """True if a word joins the things, so that "&" is part of a name ("Acme or Bolt & Sons")."""
    return any(t.text.lower() in ("or", "and", "vs", "versus") for t in (*tokens[:at], *tokens[at + 1 :]))


def _ties(tokens: Sequence[Token], at: int) -> bool:
    """True for a mark with no blank on either side ("S7-1500", "Node.js")."""
    return tokens[at].text in _TIED and at + 1 < len(tokens) and tokens[at + 1].start == tokens[at].end


def _marked(token: Token) -> bool:
    """Written as a name or a code is: with a capital or a figure in it."""
    return token.text[0].isupper() or any(c.isdigit() or c.isupper() for c in token.text)


def _inside(token: Token) -> bool:
    if token.text.lower() in _JOINTS or (token.tag in (".", ":", ",") and not token.text[0].isalnum()):
        return False
    return token.tag in _INSIDE or (_marked(token) and not token.tag.startswith(("W", "V", "MD")))


def _links_names(tokens: Sequence[Token], at: int) -> bool:
    """True for "of" or "for" between two capitals ("Bank of America")."""
    if tokens[at].text.lower() not in ("of", "for", "the") or not 0 < at < len(tokens) - 1:
        return False
    before, after = tokens[at - 1], tokens[at + 1]
    if after.text in _MONTHS:  # "plan B for May"
        return False
    if after.text.lower() == "the" and at + 2 < len(tokens):
        after = tokens[at + 2]
    if tokens[at].text.lower() == "the":
        return at > 1 and tokens[at - 1].text.lower() == "of" and _links_names(tokens, at - 1)
    return before.text[0].isupper() and after.text[0].isupper() and after.text.isalpha()


def _joint(tokens: Sequence[Token], at: int, extra: frozenset[str]) -> int:
    """The place after what joins two phrases at ``at`` ("," or ", and"); ``at`` itself if nothing does."""
    start = at
    while at < len(tokens) and at - start < 3 and tokens[at].text.lower() in _JOINTS | extra:
        at += 1
    if at < len(tokens) and at > start and tokens[at].text == "." and tokens[at - 1].text.lower() == "vs":
        at += 1
    return at


def _changes_shape(tokens: Sequence[Token], at: int) -> bool:
    """ "…, focusing on costs" is no further thing; nor is "and explain …"."""
    begins_with = tokens[at].tag
    first = tokens[0].tag
    return (
        not _marked(tokens[at])
        and begins_with in ("VBG", "VB", "VBZ", "VBP")
        and first not in (begins_with, "VB", "VBP", "VBG")
    )


def _owner(phrase: str) -> int:
    """Where " of the …" begins in a phrase, 0 if it does not."""
    places = [phrase.find(f" of {word} ") for word in ("the", "our", "my", "this", "your", "a", "an")]
    found = [place for place in places if place > 0]
    return min(found) if found else 0


_NAME_THEN_MORE = re.compile(r"[A-Z][A-Za-z0-9.'-]*+(?: [A-Z0-9][A-Za-z0-9.'-]*+)*+(?= [a-z]+(?![A-Za-z0-9]))(?! of )")


def _name_part(phrase: str) -> int:
    """Where the name ends that a phrase begins with ("Nice walkable"); its length if it is no name and more."""
    hit = _NAME_THEN_MORE.match(phrase)
    return hit.end() if hit is not None else len(phrase)


def _is_name(phrase: str) -> bool:
    words = phrase.split()
    return bool(words) and all(word[0].isupper() or any(map(str.isdigit, word)) or word == "of" for word in words)


def all_phrases(question: Question, start: int, end: int) -> list[Span]:
    """Every phrase of a stretch, in order: "the rate in Spain" has two."""
    tokens = tokens_in(question, start, end)
    found: list[Span] = []
    at = 0
    while at < len(tokens) and len(found) < MOST_ITEMS:
        first, stop = _phrase(tokens, at)
        if stop > first:
            found.append((tokens[first].start, tokens[stop - 1].end))
        at = max(stop, at + 1)
    return found


def like(question: Question, candidates: Sequence[Span], other: Span, *, last: bool = False) -> Span | None:
    """Of the phrases on one side of a comparison the one that is named like ``other``.

    Args:
        last: prefer the last phrase ("the rate in Spain higher than in Portugal" compares the countries).
    """
    if not candidates:
        return None
    text = question.text.text
    if " of " not in text[slice(*other)]:
        candidates = [_after_of(text, span) for span in candidates]
    candidates = [_parallel(text, span, text[slice(*other)]) for span in candidates]
    if _is_name(text[slice(*other)]):
        named = [span for span in candidates if _is_name(text[slice(*span)])]
        if named:
            return named[-1]
    return candidates[-1] if last else candidates[0]


def _parallel(text: str, span: Span, other: str) -> Span:
    """Cut after the word that the other thing ends with: "part timers accrue holiday" beside "full timers"."""
    head = other.split()[-1]
    place = text.find(f" {head} ", *span) if len(head) > 2 else -1
    return (span[0], place + 1 + len(head)) if place >= 0 else span


_ATTRIBUTE_OF = re.compile(r"[a-z][a-z -]* of (?:the |an? |our |my )?")


def _after_of(text: str, span: Span) -> Span:
    """ "battery life of the Pixel 8" beside a plain name is the Pixel 8."""
    hit = _ATTRIBUTE_OF.match(text, *span)
    return (hit.end(), span[1]) if hit is not None and hit.end() < span[1] else span
