"""The health of each document of a knowledge base, as the report shows it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from services.retrieval.domain.documents import StoredDocument
from services.retrieval.domain.quality.findings import Finding, extracted_dates, has_date


@dataclass(frozen=True, slots=True)
class DocumentHealth:
    """Figures of one document by name, the dates that were read from its text, and the kinds of what was found."""

    document_id: str
    title: str
    language: str
    content_health: float
    figures: Mapping[str, float] = field(default_factory=dict)
    extracted_dates: tuple[str, ...] = ()
    dated: bool = False
    findings: tuple[str, ...] = ()


def document_health(documents: Sequence[StoredDocument], findings: Sequence[Finding]) -> list[DocumentHealth]:
    """The health of every document, by id."""
    kinds: dict[str, set[str]] = defaultdict(set)
    for finding in findings:
        for document_id in finding.document_ids:
            kinds[document_id].add(finding.kind)
    return [
        DocumentHealth(
            document_id=document.metadata.document_id,
            title=document.metadata.title,
            language=document.metadata.language,
            content_health=document.metadata.content_health,
            figures=document.figures,
            extracted_dates=extracted_dates(document),
            dated=has_date(document),
            findings=tuple(sorted(kinds[document.metadata.document_id])),
        )
        for document in sorted(documents, key=lambda item: item.metadata.document_id)
    ]
