"""Versions of one document: which of them is in force on which day.

Overlaps are settled when documents are stored, so that a filter on two numbers decides at search time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from itertools import islice, permutations

from services.common.domain.document import DocumentMetadata
from services.retrieval.domain.versions.alike import GENERIC_TITLES, alike_pairs, are_alike, doubtful_pairs, fold
from services.retrieval.domain.versions.version_marks import (
    NameMarks,
    compare_numbers,
    name_marks,
    strip_marks,
    version_number,
)

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

    def meets(self, other: Window) -> bool:
        """True if there is a day in both."""
        return max(self.start, other.start) <= min(self.end, other.end)


NEVER = Window(LAST_DAY, FIRST_DAY)
"""Window of a version that has been replaced since a day nobody knows."""


def validity_windows(documents: Sequence[DocumentMetadata]) -> dict[str, Window]:
    """The window of every document by ``document_id``, given all documents of a knowledge base or family.

    A version is in force within its own dates until the day before the version that replaces it begins, and one that
    replaces another not before it does so; of two that overlap the newer one wins, unless it has less authority or is
    a draft. A replacement begins on its ``effective_from``, or on ``published_at`` or ``updated_at`` where that is
    missing; with none of them it replaces outright. Which of two is newer is told by ``supersedes``, else by
    ``newer``. No window outlasts the retirement of its document, and what a retired version replaced stays replaced.
    """
    by_id = {document.document_id: document for document in documents}
    successors = _successors(by_id)
    replacing = {successor for found in successors.values() for successor in found}
    windows: dict[str, Window] = {}
    for document in documents:
        window = own_window(document)
        if document.document_id in replacing and document.effective_from is None and _begin(document) != date.min:
            window = Window(_begin(document).toordinal(), window.end)
        for successor in successors.get(document.document_id, ()):
            window = _cut(window, by_id[successor])
        windows[document.document_id] = window
    return windows


def own_window(document: DocumentMetadata) -> Window:
    """The days that the document's own dates and its retirement allow."""
    start = document.effective_from.toordinal() if document.effective_from else FIRST_DAY
    end = document.effective_to.toordinal() if document.effective_to else LAST_DAY
    if document.retired_at is not None:
        end = min(end, document.retired_at.toordinal() - 1)
    return Window(start, end)


def family_keys(document: DocumentMetadata) -> tuple[str, ...]:
    """What versions of one document share where ``supersedes`` does not link them: any one of these keys will do.

    A title alone makes no family, for many unrelated texts share one. Beside it both must state a version, or both a
    first day in force, or both files must bear the same name but for marks such as _v2 or _修订; or their texts are
    largely the same, which ``are_alike`` tells.
    """
    common = f"{document.language}|{document.doc_type}|"
    return _keys(common, document.title, document.version, document.effective_from is not None, document.file_name)


# Every write looks at the families of all documents, whose keys hardly ever change.
@lru_cache(maxsize=65_536)
def _keys(common: str, title: str, version: str, dated: bool, file_name: str) -> tuple[str, ...]:
    title = fold(strip_marks(title.replace(version, " ") if version else title))
    if not title:
        return ()
    keys = []
    if version and dated:
        keys.append(f"vd|{common}{fold(_YEAR.sub(' ', title))}")
    if title not in GENERIC_TITLES:
        keys += [f"v|{common}{title}"] if version else []
        keys += [f"d|{common}{title}"] if dated else []
    if stem := name_marks(file_name).stem:
        keys.append(f"n|{common}{title}|{stem}")
    return tuple(keys)


def newer(first: DocumentMetadata, second: DocumentMetadata) -> int:
    """1 if ``first`` is the newer version, -1 if ``second`` is, 0 if nothing tells.

    By effective date, then version, then the marks of the file names, then the time of modification. The day of
    upload never counts. The times of modification count only where the names are marked as versions or copies, or the
    texts are largely the same; and not against the days that both texts state of themselves.
    """
    if first.effective_from and second.effective_from and first.effective_from != second.effective_from:
        return 1 if first.effective_from > second.effective_from else -1
    decided = compare_numbers(version_number(first.version), version_number(second.version))
    if decided:
        return decided
    marks, others = name_marks(first.file_name), name_marks(second.file_name)
    decided = _compare_marks(marks, others)
    named_alike = bool(marks.stem) and marks.stem == others.stem and (marks.marked or others.marked)
    if decided or not (named_alike or are_alike(first, second)):
        return decided
    times = (first.file_modified, second.file_modified)
    by_time = (times[0] > times[1]) - (times[0] < times[1]) if all(times) else 0
    return by_time if named_alike or by_time != -_compare_days(first, second) else 0


def _compare_days(first: DocumentMetadata, second: DocumentMetadata) -> int:
    """Which of two states the later day of publication, or of its last change."""
    a, b = first.updated_at or first.published_at, second.updated_at or second.published_at
    return (a > b) - (a < b) if a and b else 0


def _compare_marks(first: NameMarks, second: NameMarks) -> int:
    if not first.stem or first.stem != second.stem:
        return 0
    # A name without a number is the version before v2, but not to be told from v1.
    decided = compare_numbers(first.number or (1,), second.number or (1,)) if first.number or second.number else 0
    return decided or (first.stage > second.stage) - (first.stage < second.stage)


def is_draft(document: DocumentMetadata) -> bool:
    """True if the file's name or the version says so."""
    return name_marks(document.file_name).draft or bool(_DRAFT.search(document.version))


def undecided(documents: Iterable[DocumentMetadata]) -> list[tuple[str, str]]:
    """Pairs of ids whose files are named as versions of one document, or whose texts look like it, while nothing tells
    which is newer."""
    documents = list(documents)
    by_key: dict[str, list[DocumentMetadata]] = {}
    pairs = [*alike_pairs(documents), *doubtful_pairs(documents)]
    for document in documents:
        for key in family_keys(document):
            if key.startswith("n|"):
                by_key.setdefault(key, []).append(document)
    for members in by_key.values():
        members.sort(key=lambda member: member.document_id)
        for index, one in enumerate(members[:_PAIRED]):
            for other in members[index + 1 : _PAIRED]:
                if name_marks(one.file_name).marked or name_marks(other.file_name).marked:
                    pairs.append((one, other))
    found: dict[tuple[str, str], None] = {}
    for one, other in pairs:
        linked = one.supersedes == other.document_id or other.supersedes == one.document_id
        if not linked and newer(one, other) == 0:
            found[(one.document_id, other.document_id)] = None
    return list(found)


def told_by_time(older: DocumentMetadata, later: DocumentMetadata) -> bool:
    """True if ``later`` replaces ``older`` by nothing but its title, its text and the time of its modification."""
    linked = later.supersedes == older.document_id
    apart = replace(older, alike=()), replace(later, alike=())
    return not linked and newer(later, older) > 0 and newer(apart[1], apart[0]) == 0 and _replaces(later, older)


_YEAR = re.compile(r"\d{4}(?:-\d{2}-\d{2})?\s*年?")
_DRAFT = re.compile(r"draft|草|征求意见|讨论稿|送审稿|初稿", re.IGNORECASE)
# Members of a group that are compared pair by pair; in a larger one each is compared with the next.
_PAIRED = 64


def _successors(by_id: Mapping[str, DocumentMetadata]) -> dict[str, list[str]]:
    """For each document the ids of those that replace it; contradictory links are left out."""
    result: dict[str, list[str]] = {}
    rounds = _rounds(by_id)
    for document in by_id.values():
        replaced = by_id.get(document.supersedes)
        if replaced is not None and _may_replace(document, replaced):
            if document.document_id in rounds and _begin(document) <= _begin(replaced):
                continue
            result.setdefault(replaced.document_id, []).append(document.document_id)
    by_key: dict[str, list[DocumentMetadata]] = {}
    for document in by_id.values():
        for key in family_keys(document):
            by_key.setdefault(key, []).append(document)
    pairs = [pair for members in by_key.values() for pair in _candidates(members)]
    for one, other in alike_pairs(by_id.values()):
        pairs += [(one, other), (other, one)]
    for older, candidate in pairs:
        if _replaces(candidate, older) and candidate.document_id not in result.get(older.document_id, ()):
            result.setdefault(older.document_id, []).append(candidate.document_id)
    return result


def _rounds(by_id: Mapping[str, DocumentMetadata]) -> frozenset[str]:
    """Ids of documents that replace one another in a round: a replaces b, b replaces c, c replaces a.

    Only days can say which of them is the newest; without any all would put each other out of force.
    """
    found: set[str] = set()
    done: set[str] = set()
    for start in by_id:
        path: list[str] = []
        here = start
        while here in by_id and here not in done:
            done.add(here)
            path.append(here)
            here = by_id[here].supersedes
        if here in path:
            found.update(path[path.index(here) :])
    return frozenset(found)


def _candidates(members: Sequence[DocumentMetadata]) -> Iterator[tuple[DocumentMetadata, DocumentMetadata]]:
    """Pairs of a family of which the second may replace the first."""
    if len(members) <= _PAIRED:
        yield from permutations(members, 2)
        return
    ordered = sorted(members, key=lambda m: (_begin(m), version_number(m.version), m.document_id))
    for index, older in enumerate(ordered):
        following = (m for m in ordered[index + 1 : index + _PAIRED] if _replaces(m, older))
        yield from ((older, candidate) for candidate in islice(following, 1))


def _replaces(candidate: DocumentMetadata, older: DocumentMetadata) -> bool:
    """True if ``candidate`` is the newer of two versions and may put ``older`` out of force."""
    if outranked(candidate, older) or (is_draft(candidate) and not is_draft(older)):
        return False
    # Versions of a family state different ones, or are told apart by their files.
    same = candidate.version == older.version and bool(candidate.version)
    if same and candidate.effective_from != older.effective_from:
        return False
    return newer(candidate, older) > 0


def outranked(later: DocumentMetadata, older: DocumentMetadata) -> bool:
    """True if ``later`` has too little authority to put ``older`` out of force.

    Otherwise a note that claims to replace a regulation would hide it.
    """
    return later.authority < older.authority


def _may_replace(later: DocumentMetadata, older: DocumentMetadata) -> bool:
    """A replacement cannot begin before what it replaces nor be outranked by it, nor can two replace each other."""
    if later.document_id == older.document_id or outranked(later, older):
        return False
    if older.supersedes == later.document_id and _begin(later) <= _begin(older):
        return False
    return not (later.effective_from and older.effective_from and later.effective_from < older.effective_from)


def _begin(document: DocumentMetadata) -> date:
    return document.effective_from or document.published_at or document.updated_at or date.min


def _cut(window: Window, successor: DocumentMetadata) -> Window:
    begin = _begin(successor)
    if begin == date.min:
        return NEVER
    return Window(window.start, min(window.end, begin.toordinal() - 1))
