"""Where a source stands in time: in force, expired, not yet in force, draft, superseded by another passage."""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from services.common.domain.document import DocumentMetadata
from services.validation.domain.config import Lexicon
from services.validation.domain.reading.evidence import Passage, Unit
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.reading.text import lower, normalise

_VERSION = re.compile(r"\d+(?:\.\d+)*")
TIMELESS_TYPES = frozenset({"regulation", "standard", "how_to", "faq"})


class Standing(enum.StrEnum):
    """How a source stands on a day."""

    CURRENT = "current"
    EXPIRED = "expired"
    FUTURE = "future"
    DRAFT = "draft"
    SUPERSEDED = "superseded"


@dataclass(frozen=True, slots=True)
class Status:
    """A source's standing on a day, why, and the passage that replaces it (0 if none)."""

    standing: Standing
    reason: str
    successor: int = 0


_FINAL = re.compile(r"(?:not|非) (?:a )?draft|final|正式")


# Bill Murray is no bill.
_FIRST_NAME = re.compile(r"\bBill (?=[A-Z][a-z]+)(?!Number|Status|Text)")


def is_draft(document: DocumentMetadata, text: str, lexicon: Lexicon) -> bool:
    """True if title or version call the document a draft, or the text opens by doing so."""
    head = lower(_FIRST_NAME.sub("", normalise(f"{document.title} {document.version}")))
    if document.version and _FINAL.search(lower(normalise(document.version))):
        return False
    return bool(lexicon.draft.search(head)) or bool(_OPENS_AS_DRAFT.search(lower(text[:200])))


_OPENS_AS_DRAFT = Pattern(
    r"^(?:\W*)(?:draft\b|consultation draft|proposal\b|征求意见稿|草案)|this (?:draft|proposal)|it is proposed"
    r"|本(?:草案"
    r"|征求意见稿)|拟(?:规定|修改|调整|将)"
)


def version_key(version: str) -> tuple[int, ...]:
    """``2.10`` → (2, 10), for ordering versions of one document; empty where it holds no number."""
    match = _VERSION.search(version)
    return tuple(int(part) for part in match.group().split(".")) if match else ()


class Timeline:
    """The standing of every retrieved passage on one day; what is slow to tell is told once."""

    def __init__(self, passages: Sequence[Passage], day: date, lexicon: Lexicon) -> None:
        self._passages = passages
        self._day = day
        self._lexicon = lexicon
        self._drafts = {p.citation: is_draft(p.chunk.document, p.text, lexicon) for p in passages}
        self._current = [p for p in passages if not self._drafts[p.citation] and _in_force(p, day)]
        self._replacing = {
            p.citation: [(u, m) for u in p.units if (m := lexicon.replaces.search(u.analysis.low))] for p in passages
        }
        self._states: dict[int, Status] = {}

    def status(self, passage: Passage) -> Status:
        """The standing of a passage's document."""
        state = self._states.get(passage.citation)
        if state is None:
            state = self._states[passage.citation] = self._status(passage)
        return state

    def is_draft(self, passage: Passage) -> bool:
        """True for a draft."""
        return self._drafts[passage.citation]

    def _status(self, passage: Passage) -> Status:
        document, day = passage.chunk.document, self._day
        successor = next((p.citation for p in self._current if p is not passage and self.supersedes(p, passage)), 0)
        if self._drafts[passage.citation]:
            return Status(Standing.DRAFT, "the source is a draft", successor)
        if document.effective_from is not None and day < document.effective_from:
            return Status(Standing.FUTURE, f"in force from {document.effective_from}", 0)
        if document.effective_to is not None and day > document.effective_to:
            return Status(Standing.EXPIRED, f"in force until {document.effective_to}", successor)
        if successor:
            return Status(Standing.SUPERSEDED, f"replaced by [{successor}]", successor)
        stated = _stated_start(passage)
        if stated is not None and stated > day and document.effective_from is None:
            return Status(Standing.FUTURE, f"the text takes effect on {stated}", 0)
        return Status(Standing.CURRENT, "")

    def supersedes(self, new: Passage, old: Passage) -> bool:
        """True if ``new`` names ``old`` as superseded, is a newer version of the same document, or says it
        replaces it."""
        a, b = new.chunk.document, old.chunk.document
        if a.supersedes and a.supersedes == b.document_id and a.document_id != b.document_id:
            return True
        if a.document_id == b.document_id:
            return _newer_version(a, b)
        return bool(self._replacing[new.citation]) and _text_replaces(new, old, self._replacing[new.citation])


def _stated_start(passage: Passage) -> date | None:
    """The day on which the passage says that it itself takes effect (本办法自…起施行)."""
    for unit in passage.units:
        if not _TAKES_EFFECT.search(unit.analysis.low):
            continue
        days = [m for m in unit.analysis.moments if m.kind == "day" and m.year]
        interval = days[0].interval() if len(days) == 1 else None
        if interval:
            return interval[0]
    return None


_TAKES_EFFECT = re.compile(
    r"(?:this|the present) (?:regulation|act|circular|policy|rule|directive|order|law|standard|procedure|notice"
    r"|edition|version)s? "
    r"(?:shall )?(?:enters?|comes?|takes?|applies|apply|is effective|becomes effective)|本(?:办法|规定|条例|法"
    r"|细则|标准|通知|制度|规则)自"
)


def _in_force(passage: Passage, day: date) -> bool:
    document = passage.chunk.document
    if not document.in_force_on(day):
        return False
    if document.effective_from is None:
        start = _stated_start(passage) or document.published_at or document.updated_at
        if start is not None and start > day:
            return False
    return True


def _newer_version(a: DocumentMetadata, b: DocumentMetadata) -> bool:
    if a.version and b.version and a.version != b.version:
        key_a, key_b = version_key(a.version), version_key(b.version)
        if key_a and key_b and key_a != key_b:
            return key_a > key_b
    for field in ("effective_from", "published_at", "updated_at"):
        day_a, day_b = getattr(a, field), getattr(b, field)
        if day_a is not None and day_b is not None and day_a != day_b:
            return bool(day_a > day_b)
    return False


def _text_replaces(new: Passage, old: Passage, replacing: Sequence[tuple[Unit, re.Match[str]]]) -> bool:
    """The newer text names the older document (title or id) in a sentence that replaces it."""
    title = lower(normalise(old.chunk.document.title)).strip(' 《》"')
    marks = [m for m in (title, lower(old.chunk.document.document_id)) if len(m) >= 4]
    for unit, match in replacing:
        for mark in marks:
            place = unit.analysis.low.find(mark)
            if place < 0 or mark == lower(normalise(new.chunk.document.title)).strip():
                continue
            passive = re.search(r"(?:is|are|was|were|been|be)\s+$", unit.analysis.low[: match.start()])
            zh = unit.analysis.han
            # "X replaces Y": Y follows; "Y is repealed", "Y同时废止": Y precedes.
            if zh or (place > match.start()) != bool(passive) or match.group().endswith(" by"):
                return True
    return any(_names_in_words(new, old, unit, match) for unit, match in replacing)


def _names_in_words(new: Passage, old: Passage, unit: Unit, match: re.Match[str]) -> bool:
    """The older document is named by the words of its title in another order: the instruction on pumps of 2019."""
    words = [t for t in old.title.terms if t.weight >= 1]
    if len(words) < _LEAST_WORDS or any(t.key not in unit.analysis.keys for t in words):
        return False
    years = {m.year for m in old.title.moments if m.year}
    newer = {m.year for m in new.title.moments if m.year}
    if not years or not years & {m.year for m in unit.analysis.moments} or years & newer:
        return False
    if unit.analysis.han:
        return True
    passive = re.search(r"(?:is|are|was|were|been|be)\s+$", unit.analysis.low[: match.start()]) is not None
    year = max((m.start for m in unit.analysis.moments if m.year in years), default=0)
    return (year > match.start()) != passive or match.group().endswith(" by")


_LEAST_WORDS = 2
