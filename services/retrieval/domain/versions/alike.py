"""Documents of one title whose texts are largely the same: versions of each other, or perhaps.

What was found when a document was stored lies on it as links; whether a link still holds is asked each time that it is
used, for the other document may have got another title, text or circle of readers since.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache

from services.common.domain.document import DocumentMetadata
from services.retrieval.domain.versions.version_marks import strip_marks

Pair = tuple[DocumentMetadata, DocumentMetadata]

# Titles that tell a kind of text and not which one.
GENERIC_TITLES = frozenset(
    {
        "readme", "index", "notice", "introduction", "overview", "untitled", "document", "report", "memo", "faq",
        "contents", "table of contents", "summary", "appendix", "annex", "minutes", "agenda", "news", "changelog",
        "release notes", "通知", "公告", "说明", "目录", "报告", "会议纪要", "附件", "附录", "总则", "前言", "简介",
        "摘要", "常见问题", "新闻",
    }
)  # fmt: skip


def fold(title: str) -> str:
    """``title`` in small letters, its words parted by single spaces and nothing else."""
    return " ".join(re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", title).casefold()).split())


def title_key(document: DocumentMetadata) -> str:
    """What files share whose texts are to be compared: language, type, readers and title.

    Empty if the title tells no subject, or nothing the file's age.
    """
    title = _subject(document.title) if document.file_modified else ""
    return "|".join((document.language, document.doc_type, ",".join(document.access_groups), title)) if title else ""


def are_alike(one: DocumentMetadata, other: DocumentMetadata) -> bool:
    """True if the two have the same title, type, language and readers, and their texts, which are as they were when
    they were compared, are largely the same."""
    return _linked(one, other, one.alike, other.alike)


def alike_pairs(documents: Iterable[DocumentMetadata]) -> list[Pair]:
    """Pairs of documents that ``are_alike``, each once, the smaller id first."""
    return _pairs(documents, lambda document: document.alike)


def doubtful_pairs(documents: Iterable[DocumentMetadata]) -> list[Pair]:
    """Pairs that would be alike, were it clear that both are on the same thing; each once, the smaller id first."""
    return _pairs(documents, lambda document: document.perhaps_alike)


_Links = tuple[tuple[str, str], ...]


def _pairs(documents: Iterable[DocumentMetadata], links: Callable[[DocumentMetadata], _Links]) -> list[Pair]:
    by_id = {document.document_id: document for document in documents}
    linked = ((by_id.get(key), document) for document in by_id.values() for key, _ in links(document))
    found = {
        tuple(sorted((one.document_id, other.document_id))): None
        for one, other in linked
        if one is not None and one is not other and _linked(one, other, links(one), links(other))
    }
    return [(by_id[first], by_id[second]) for first, second in found]


def _linked(one: DocumentMetadata, other: DocumentMetadata, of_one: _Links, of_other: _Links) -> bool:
    if (other.document_id, other.checksum) not in of_one and (one.document_id, one.checksum) not in of_other:
        return False
    key = title_key(one)
    return bool(key) and key == title_key(other)


# Every write looks at the titles of all documents, which hardly ever change.
@lru_cache(maxsize=65_536)
def _subject(title: str) -> str:
    folded = fold(strip_marks(title))
    return "" if folded in GENERIC_TITLES else folded
