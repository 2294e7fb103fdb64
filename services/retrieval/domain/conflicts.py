"""Passages of different documents that speak of the same thing with different numbers or dates."""

from __future__ import annotations

import enum
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from services.retrieval.domain.documents import StoredDocument
from services.retrieval.domain.family_index import FamilyIndex
from services.retrieval.domain.statements import Statement, subject_keys, subject_words
from services.retrieval.domain.wording import Wording

# Of the documents that say the same sentence with other values, as many are compared with each other.
_GROUP = 24
# Pairs of sentences reported for a pair of documents.
_PAIRS = 5
# Words of titles that tell the kind of document, and those that tell its keeper or age; neither is its subject.
_KIND_TEXT = (
    "handbook manual guide policy guideline instruction rule regulation standard procedure faq question answer note "
    "report notice announcement overview summary document memo text doc file page terms statement leaflet brochure"
)
_KIND_CHINESE_TEXT = "制度 规定 办法 手册 指南 说明 问答 通知 公告 总结 报告 条例 细则 规程 规范 须知 文档"
_KIND_CHINESE = frozenset(_KIND_CHINESE_TEXT) | frozenset(_KIND_CHINESE_TEXT.split())
_KIND_PHRASE = re.compile("|".join(_KIND_CHINESE_TEXT.split()))
_KEEPER_TEXT = "company corporate group internal official staff employee hr general current new old draft final"
_KEEPER_CHINESE = frozenset("公司集团内部人事部员工新旧版草案")
_ASIDE = re.compile(r"[(（][^)）]*[)）]")


class ConflictKind(enum.StrEnum):
    """Why two statements differ."""

    SUPERSEDED = "superseded"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two statements that differ in nothing but their values."""

    kind: ConflictKind
    first: Statement
    second: Statement

    @property
    def remedy(self) -> str:
        """What would help."""
        if self.kind is ConflictKind.SUPERSEDED:
            return "the version in force on the day asked about decides"
        return "correct one of them, declare which supersedes the other, or retire one"


@dataclass(frozen=True, slots=True)
class ConflictReport:
    """Conflicts, true ones first, and how many documents were not compared because there are too many statements."""

    conflicts: tuple[Conflict, ...] = ()
    left_out: int = 0

    def count(self, kind: ConflictKind) -> int:
        """How many there are of a kind."""
        return sum(conflict.kind is kind for conflict in self.conflicts)


def find_conflicts(
    statements: Iterable[Statement],
    documents: Mapping[str, StoredDocument],
    wording: Wording,
    changed: Collection[str] | None = None,
) -> list[Conflict]:
    """Pairs of statements of different ``documents``, true conflicts first; with ``changed``, only pairs with one of
    those documents.

    Two statements speak of the same thing if they have the same subject words, name the same periods, codes and places
    in a text, and neither titles nor headings tell different subjects. The cost is linear in the statements: those of
    one subject meet in one group, of which at most 24 documents are compared.
    """
    groups: dict[tuple[str, str, int], list[Statement]] = defaultdict(list)
    for statement in statements:
        if statement.document_id in documents:
            groups[(statement.subject, statement.keys, len(statement.values))].append(statement)
    index = FamilyIndex(document.metadata for document in documents.values())
    families: dict[str, frozenset[str]] = {}
    found: list[Conflict] = []
    for group in groups.values():
        for first, second in _pairs(group, changed):
            if first.document_id not in families:
                families[first.document_id] = frozenset(index.family([first.document_id]))
            versions = second.document_id in families[first.document_id]
            if versions or same_subject(first, second, documents, wording):
                # Versions that are in force together, such as a note that cannot replace a regulation, do conflict.
                together = documents[first.document_id].window.meets(documents[second.document_id].window)
                kind = ConflictKind.CONFLICT if together else ConflictKind.SUPERSEDED
                found.append(Conflict(kind, first, second))
    found.sort(key=lambda c: (c.kind is ConflictKind.SUPERSEDED, c.first.document_id, c.second.document_id))
    return _bounded(found)


def _pairs(group: Sequence[Statement], changed: Collection[str] | None) -> Iterable[tuple[Statement, Statement]]:
    if len({statement.values for statement in group}) < 2:
        return
    if changed is not None:
        group = sorted(group, key=lambda statement: statement.document_id not in changed)
    # One statement of a document and value is enough; a template with thousands of copies stays cheap.
    distinct = list({(s.document_id, s.values): s for s in group}.values())[:_GROUP]
    for first, second in combinations(distinct, 2):
        if first.document_id == second.document_id or first.values == second.values:
            continue
        if changed is None or first.document_id in changed or second.document_id in changed:
            yield (first, second) if first.document_id < second.document_id else (second, first)


def same_subject(
    first: Statement, second: Statement, documents: Mapping[str, StoredDocument], wording: Wording
) -> bool:
    """False if titles or headings show that the same words are said of different things: another model, period,
    region or section."""
    if first.own or second.own:
        return False
    titles = [documents[s.document_id].metadata.title for s in (first, second)]
    keys = [subject_keys(" ".join((t, *s.heading_path))) for t, s in zip(titles, (first, second), strict=True)]
    if keys[0] - keys[1] and keys[1] - keys[0]:
        return False
    spoken = first.words | second.words
    a, b = (_title_words(title, wording) for title in titles)
    if a & b and _tells(a - b, spoken, wording) and _tells(b - a, spoken, wording):
        return False  # Leave policy Germany, leave policy France
    if _is_about(a, spoken, wording) and _is_about(b, spoken, wording):
        return False  # "The population was 75 at the census" in articles on two towns
    a, b = (subject_words(s.heading_path[-1], wording) if s.heading_path else frozenset() for s in (first, second))
    return not a or not b or bool(a & b) or bool((a | b) & spoken)


@lru_cache(maxsize=4)
def _kinds_and_keepers(wording: Wording) -> tuple[frozenset[str], frozenset[str]]:
    return subject_words(_KIND_TEXT, wording) | _KIND_CHINESE, subject_words(_KEEPER_TEXT, wording) | _KEEPER_CHINESE


def _title_words(title: str, wording: Wording) -> frozenset[str]:
    """What a title tells, and its kind, which is no subject word where it frames rules too: 规定, "it is laid down"."""
    title = _ASIDE.sub(" ", title)
    return subject_words(title, wording) | frozenset(_KIND_PHRASE.findall(title))


def _tells(words: frozenset[str], spoken: frozenset[str], wording: Wording) -> bool:
    kinds, keepers = _kinds_and_keepers(wording)
    return bool({word for word in words if len(word) > 1 or not word.isascii()} - kinds - keepers - spoken)


def _is_about(title: frozenset[str], spoken: frozenset[str], wording: Wording) -> bool:
    """True if a document is about the one thing that its title names, which its sentences need not name again."""
    return _tells(title, spoken, wording) and not title & _kinds_and_keepers(wording)[0] and not title & spoken


def _bounded(conflicts: Sequence[Conflict]) -> list[Conflict]:
    taken: dict[tuple[str, str], int] = defaultdict(int)
    kept = []
    for conflict in conflicts:
        pair = (conflict.first.document_id, conflict.second.document_id)
        if taken[pair] < _PAIRS:
            taken[pair] += 1
            kept.append(conflict)
    return kept
