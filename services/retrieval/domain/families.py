"""Versions of one document: which of them is in force on which day.

Overlaps are settled when documents are stored, so that a filter on two numbers decides at search time.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from services.common.domain.document import DocumentMetadata

FIRST_DAY = 0
LAST_DAY = 9_999_999
"""Day numbers (proleptic Gregorian ordinals) that stand for an open start and an open end."""


@dataclass(frozen=True, slots=True)
class Window:
    """Days on which a version is the one in force, as day numbers, both inclusive; empty if start > end."""

    start: int = FIRST_DAY
    end: int = LAST_DAY

    def contains(self, day: date) -> bool:
        """True if the version is the one in force on ``day``."""
        return self.start <= day.toordinal() <= self.end


NEVER = Window(LAST_DAY, FIRST_DAY)
"""Window of a version that has been replaced since a day nobody knows."""


def validity_windows(documents: Sequence[DocumentMetadata]) -> dict[str, Window]:
    """The window of every document by ``document_id``, given all documents of a knowledge base or family.

    A version is in force within its own dates until the day before the version that replaces it begins;
    of two that overlap the newer one wins, unless it has less authority. A replacement begins on its
    ``effective_from``, or on ``published_at`` or ``updated_at`` where that is missing; with none of them it
    replaces outright.
    """
    by_id = {document.document_id: document for document in documents}
    successors = _successors(by_id)
    windows: dict[str, Window] = {}
    for document in documents:
        window = own_window(document)
        for successor in successors.get(document.document_id, ()):
            window = _cut(window, by_id[successor])
        windows[document.document_id] = window
    return windows


def own_window(document: DocumentMetadata) -> Window:
    """The days that the document's own dates allow."""
    start = document.effective_from.toordinal() if document.effective_from else FIRST_DAY
    end = document.effective_to.toordinal() if document.effective_to else LAST_DAY
    return Window(start, end)


def family_key(document: DocumentMetadata) -> str:
    """What versions of one document share where ``supersedes`` does not link them; empty if nothing does.

    Only documents that state both a version and a first day in force are taken as versions by their title:
    many unrelated texts share a title.
    """
    if not (document.version and document.effective_from and document.title):
        return ""
    title = unicodedata.normalize("NFKC", document.title).casefold()
    title = title.replace(unicodedata.normalize("NFKC", document.version).casefold(), " ")
    title = _VERSION_MARKS.sub(" ", title)
    title = re.sub(r"\W+", " ", title).strip()
    return f"{document.language}|{document.doc_type}|{title}" if title else ""


_VERSION_MARKS = re.compile(
    r"\b(?:v|ver|version|rev|revision|edition|ed)\.?\s*\d+(?:\.\d+)*\b|\d{4}(?:-\d{2}-\d{2})?\s*年?|修订版?|第.{1,3}版"
)


def related(document: DocumentMetadata, others: Iterable[DocumentMetadata]) -> list[DocumentMetadata]:
    """The documents out of ``others`` whose window may depend on ``document``, or the reverse."""
    key = family_key(document)
    found = []
    for other in others:
        if other.document_id == document.document_id:
            continue
        linked = other.supersedes == document.document_id or document.supersedes == other.document_id
        if linked or (key and family_key(other) == key):
            found.append(other)
    return found


def _successors(by_id: Mapping[str, DocumentMetadata]) -> dict[str, list[str]]:
    """For each document the ids of those that replace it; contradictory links are left out."""
    result: dict[str, list[str]] = {}
    for document in by_id.values():
        replaced = by_id.get(document.supersedes)
        if replaced is not None and _may_replace(document, replaced):
            result.setdefault(replaced.document_id, []).append(document.document_id)
    by_title: dict[str, list[DocumentMetadata]] = {}
    for document in by_id.values():
        key = family_key(document)
        if key:
            by_title.setdefault(key, []).append(document)
    for members in by_title.values():
        ordered = sorted(members, key=lambda member: (member.effective_from or date.min, member.document_id))
        for index, older in enumerate(ordered):
            newer = next((m for m in ordered[index + 1 :] if not outranked(m, older)), None)
            if newer and older.version != newer.version and older.effective_from != newer.effective_from:
                result.setdefault(older.document_id, []).append(newer.document_id)
    return result


def outranked(newer: DocumentMetadata, older: DocumentMetadata) -> bool:
    """True if ``newer`` has too little authority to put ``older`` out of force.

    Otherwise a note that claims to replace a regulation would hide it.
    """
    return newer.authority < older.authority


def _may_replace(newer: DocumentMetadata, older: DocumentMetadata) -> bool:
    """A replacement cannot begin before what it replaces nor be outranked by it, nor can two replace each other."""
    if newer.document_id == older.document_id or outranked(newer, older):
        return False
    if older.supersedes == newer.document_id and _begin(newer) <= _begin(older):
        return False
    return not (newer.effective_from and older.effective_from and newer.effective_from < older.effective_from)


def _begin(document: DocumentMetadata) -> date:
    return document.effective_from or document.published_at or document.updated_at or date.min


def _cut(window: Window, successor: DocumentMetadata) -> Window:
    begin = _begin(successor)
    if begin == date.min:
        return NEVER
    return Window(window.start, min(window.end, begin.toordinal() - 1))
