"""What the tests of conflicts share: short documents, compared with the shipped words and the dictionary."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from services.common.domain.document import DocumentMetadata
from services.retrieval.adapters.segmenter import Segmenter
from services.retrieval.adapters.word_meanings import CedictMeanings
from services.retrieval.adapters.wording_config import load_wording
from services.retrieval.domain.conflict.conflicts import Conflict, find_conflicts
from services.retrieval.domain.conflict.statements import Statement, statements
from services.retrieval.domain.conflict.wording import Wording
from services.retrieval.domain.documents import StoredDocument
from services.retrieval.domain.versions.families import validity_windows


@lru_cache(maxsize=1)
def words() -> tuple[Wording, CedictMeanings]:
    """The words of the shipped configuration, and the dictionary."""
    path = Path(__file__).resolve().parents[3] / "config" / "wording.yaml"
    return load_wording(path), CedictMeanings(Segmenter().words)


def read(text: str, document_id: str = "d") -> list[Statement]:
    """The statements of a text."""
    return statements(document_id, text, *words())


def conflicts_of(
    known: list[DocumentMetadata], texts: tuple[str, ...], changed: set[str] | None = None
) -> list[Conflict]:
    """The conflicts among documents."""
    windows = validity_windows(known)
    stored = {m.document_id: StoredDocument(m, "r", "f", windows[m.document_id], 1, 0.0) for m in known}
    spoken = [s for m, text in zip(known, texts, strict=True) for s in read(text, m.document_id)]
    return find_conflicts(spoken, stored, *words(), changed)


def in_conflict(first: str, second: str, titles: tuple[str, str] = ("Text 0", "Text 1")) -> bool:
    """Whether two texts are told as a conflict."""
    known = [DocumentMetadata(f"d{n}", title=title) for n, title in enumerate(titles)]
    return bool(conflicts_of(known, (first, second)))
