"""The document that an English question wants its answer from, as a noun phrase after the words that say so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from services.perception.domain.candidates import Candidate
from services.perception.domain.grown_sources import WAYS, grown_source
from services.perception.domain.matching import Match, Question
from services.perception.domain.phrases import leading, tokens_in
from services.perception.domain.rules import Sets

# Rules with these values list the nouns that documents and laws are called by; they find no source themselves.
NOUNS = ("document_noun", "law_noun", "body_noun")
# Names of these types say something or are something, but are no text to look into.
_BEINGS = ("person", "organization", "place", "product", "name", "model_number")
_MOST_WORDS = 6
# Codes that documents are numbered by.
_NUMBERS = ("identifier", "part_number", "standard")
_POLITE = re.compile(r",? (?:please|pls|plz|thanks|thank you|thx)$", re.IGNORECASE)
_LONGEST_POLITE = 12
_CLAUSE_OF = re.compile(r" ?(?:of|in|from|to) (?:the |our |this |your |my |its |their |your )?")
# Where in a text: "page 12 of the audit report".
_PLACE_OF = re.compile(
    r"(?:section|sect\.|clause|article|art\.|chapter|annex|appendix|schedule|exhibit|paragraph|para\.?|part|page|table|"
    r"figure|item|rule|§) ?(?-i:[A-Z0-9])[A-Za-z0-9.()-]{0,12},? (?:of|in|to|from) "
    r"(?:(?:the|our|this|your|my|its|their) )?",
    re.IGNORECASE,
)
# Only a text has these; sections, parts and tables are found in halls, too.
_PLACE_IN_TEXT = re.compile(r"(?:clause|article|art\.|annex|appendix|chapter|paragraph|para|page|§)", re.IGNORECASE)

# "under the terms of the Scotland Act": what it says is no part of its name.
_WORDING_OF = re.compile(
    r"(?:the )?(?:\d{4} |latest |current |new |old )?"
    r"(?:terms|provisions|requirements|wording|text|letter|meaning|findings|conclusions|recommendations|contents|"
    r"(?:main |key |most important )(?:points|findings|messages|takeaways|ideas)|data|figures|numbers|values|"
    r"(?:version|edition|issue|revision|copy)(?: [\w.]{1,6})?) (?:of|in|from) "
    r"(?!service\b|use\b|reference\b|sale\b|business\b|trade\b|payment\b|employment\b|engagement\b)"
    r"(?:the |our |this |your |my )?",
    re.IGNORECASE,
)


def taken_source(question: Question, match: Match, names: Sequence[Candidate]) -> Candidate | None:
    """The source where a rule with the option ``take`` says that it stands; None if nothing there is one."""
    if match.rule.options["take"] in WAYS:
        return grown_source(question, match, names)
    return phrase_source(question, match, names)


def phrase_source(question: Question, match: Match, names: Sequence[Candidate]) -> Candidate | None:
    """The noun phrase that the rule's group ``source`` begins with; None if it is no document.

    With the option ``needs: document`` the phrase must have a noun for documents in it ("the Cobalt user manual"), or
    be a standard; with ``law: yes`` a law will do, with ``named: yes`` it needs a name or number of its own. With
    ``needs: document|name`` a name will do that is no place ("the FAA's position"). Without ``needs`` any phrase will
    do ("according to the NHS"). With ``whole: yes`` nothing may follow it.
    A clause before it is left out: "section 4 of the quality manual" is the quality manual.
    """
    start, zone_end = match.group("source") or (match.start, match.end)
    zone_end = _without_politeness(question.text.text, start, zone_end)
    start, clause, stated, wording = _behind_place(question, match, start, zone_end, names)
    place = _quoted(question.text.text, start, zone_end) or leading(question, start, zone_end)
    if clause is not None and start == clause.start:
        place = (clause.start, clause.end)
    if place is None or _does_something(question, *place):
        return None
    start, end = place
    end = max([end, *(c.end for c in names if c.start < end < c.end)])
    end = max([end, *(noun.end for noun in _nouns(question, end, zone_end, law=True) if noun.start == end + 1)])
    needs = match.rule.options.get("needs", "")
    if needs:
        law = match.rule.options.get("law") == "yes" or wording
        placed = stated is not None or clause is not None
        found = _needed(question, match, (start, end, zone_end), names, law=law, placed=placed)
        if found is None and stated is not None and _PLACE_IN_TEXT.match(question.text.text, *stated):
            found = (start, end)
        if found is None:
            return None
        start, end = found
    end = _with_number(question.text.text, end, names)
    end = _with_owner(question, start, end, zone_end)
    if match.rule.options.get("whole") == "yes" and question.text.text[end:zone_end].strip(" .'\""):
        return None
    part = question.text.text[start:end]
    end -= len(part) - len(re.sub(r"(?:'s|[ ,.\"'])+$", "", part))
    if start >= end:
        return None
    origin = match.rule.origin(question.text.surface(match.start, match.end))
    return Candidate(start, end, "source", origin, match.rule.score)


class _Behind(NamedTuple):
    """Where a document begins behind the place in it that was named, and what was named.

    ``clause`` is a place that is a code, ``stated`` where any place stands; ``wording`` is True for "the terms of".
    """

    start: int
    clause: Candidate | None
    stated: tuple[int, int] | None
    wording: bool


def _behind_place(question: Question, match: Match, start: int, end: int, names: Sequence[Candidate]) -> _Behind:
    """The beginning of "the lease" in "clause 4 of the lease" and in "the terms of the lease"."""
    text = question.text.text
    stated = match.group("clause")
    clause = next((c for c in names if c.type == "clause" and c.start == start), None)
    owner = _CLAUSE_OF.match(text, clause.end, end) if clause is not None else None
    if owner is not None:
        start = owner.end()
    within = _PLACE_OF.match(text, start, end)
    if within is not None:
        stated, start = stated or within.span(), within.end()
    wording = _WORDING_OF.match(text, start, end)
    if wording is not None and wording.end() < end:
        start = wording.end()
    return _Behind(start, clause, stated, wording is not None)


def _needed(
    question: Question,
    match: Match,
    place: tuple[int, int, int],
    names: Sequence[Candidate],
    *,
    law: bool,
    placed: bool,
) -> tuple[int, int] | None:
    """The part of a phrase that is what the rule's option ``needs`` asks for; None if there is no such part.

    Args:
        place: beginning and end of the phrase, and the end of the stretch that it was taken from.
        law: laws count, too.
        placed: a clause of it was named.
    """
    start, end, zone_end = place
    touching = [c for c in names if c.start < end and start < c.end]
    found = _document(question, match, start, end, touching, law=law, placed=placed)
    if found is None:  # the tagger may have taken its last noun for a verb, or its first for the end
        stop = start + len(question.text.text[start:zone_end].rstrip(" ,.:"))
        stop = max((noun.end for noun in _nouns(question, start, stop, law)), default=stop)
        short = stop > end and question.text.text.count(" ", start, stop) < _MOST_WORDS
        found = _document(question, match, start, stop, [], law=law, placed=placed) if short else None
    named = match.rule.options["needs"] == "document|name" and _is_named(question, start, end, touching)
    return (start, end) if found is None and named else found


def _does_something(question: Question, start: int, end: int) -> bool:
    """True for a task ("renewing a certificate"), which only looks like a thing ("operating manual")."""
    first, *rest = tokens_in(question, start, end)
    return first.tag == "VBG" and bool(rest) and rest[0].tag in ("DT", "PRP$")


def _is_named(question: Question, start: int, end: int, touching: Sequence[Candidate]) -> bool:
    """True for a phrase written as a name that is no place: "the FAA", not "Berlin"."""
    if any(c.type == "place" and c.start <= start and end <= c.end for c in touching):
        return False
    return question.text.text[start].isupper()


# What names a document behind its noun; "on" does so in titles alone.
_OWNED = re.compile(r" (?:of|for|with|from) (?:the |our )?(?=[A-Z])")
_TITLED = re.compile(r" (?:on|and) (?:the )?(?=[A-Z])")


def _without_politeness(text: str, start: int, end: int) -> int:
    """The end of a stretch before "please" and the full stop."""
    end = start + len(text[start:end].rstrip(" .!"))
    polite = _POLITE.search(text, max(start, end - _LONGEST_POLITE), end)
    return end if polite is None else polite.start()


def _with_number(text: str, end: int, names: Sequence[Candidate]) -> int:
    """The end of a document with the number that stands right behind what it is: "audit report AR-2024-09"."""
    return next((c.end for c in names if c.type in _NUMBERS and text[end : c.start] == " "), end)


def _with_owner(question: Question, start: int, end: int, zone_end: int) -> int:
    """The end of a document with the name that tells it from others: "the manual for the Golf"."""
    text = question.text.text
    for _ in range(3):
        if any(map(str.isdigit, text[text.rfind(" ", start, end) + 1 : end])):
            break  # a number tells it from others already
        more = _OWNED.match(text, end, zone_end)
        if more is None and text[start].isupper() and text[text.rfind(" ", start, end) + 1].isupper():
            more = _TITLED.match(text, end, zone_end)
        named = leading(question, more.end(), zone_end) if more is not None else None
        if named is None or _MONTH.match(text, named[0]):
            break
        end = named[1]
    return end


_MONTH = re.compile(
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December|Q[1-4]|FY)\b"
)
_TITLE_WORD = r"""(?:[A-Z0-9][^ "']*|of|the|and|for|on|in|to)"""
_TITLE = re.compile(rf"""(["'])({_TITLE_WORD}(?: {_TITLE_WORD}){{1,11}}) ?\1""")


def _quoted(text: str, start: int, end: int) -> tuple[int, int] | None:
    """A title in quotation marks at the beginning of a stretch."""
    title = _TITLE.match(text, start, end)
    return title.span(2) if title is not None else None


def _document(
    question: Question, match: Match, start: int, end: int, named: Sequence[Candidate], *, law: bool, placed: bool
) -> tuple[int, int] | None:
    """The part of a phrase that is a document; None if it is something else, or a law where laws do not count.

    Args:
        law: laws count, too.
        placed: a clause of it was named, so that it needs no name of its own.
    """
    text, options = question.text.text, match.rule.options
    for name in named:
        clause = any(c.type == "clause" and c.start == name.end + 1 for c in named)  # "gdpr art 33"
        whole = name.start <= start and (name.end >= end or clause or text.startswith("'s", name.end))
        if whole and (name.type == "standard" or (name.type == "document" and law)):
            return name.start, name.end
    if law:
        numbered = next((c for c in named if c.start == start and c.end >= end and c.type not in _BEINGS), None)
        if numbered is not None:
            return numbered.start, numbered.end
    if not _has_noun(question, start, end, NOUNS[:2] if law else NOUNS[:1]):
        return None
    if options.get("named") == "yes" and not placed and not any(c.isupper() or c.isdigit() for c in text[start:end]):
        return None
    return start, end


def _has_noun(question: Question, start: int, end: int, values: Sequence[str]) -> bool:
    return any(True for _ in question.matches_in(Sets.SOURCE, start, end, *values))


def _nouns(question: Question, start: int, end: int, law: bool) -> list[Match]:
    return list(question.matches_in(Sets.SOURCE, start, end, *(NOUNS[:2] if law else NOUNS[:1])))
