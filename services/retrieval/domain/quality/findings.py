"""What a knowledge owner should know about the documents of a knowledge base."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from services.retrieval.domain.conflict.conflicts import Conflict, ConflictKind
from services.retrieval.domain.documents import StoredDocument
from services.retrieval.domain.ingest_config import HealthThresholds
from services.retrieval.domain.quality.minhash import similar_pairs
from services.retrieval.domain.versions.alike import alike_pairs
from services.retrieval.domain.versions.families import is_draft, outranked, told_by_time, undecided

_MAX_CONFLICTS = 200
_MANY_REPEATED = 10
_DATED_TYPES = frozenset({"regulation", "standard", "manual", "report"})


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. ``kind`` is machine-readable; ``message`` names the repair that would help."""

    kind: str
    document_ids: tuple[str, ...]
    message: str


def collect_findings(
    documents: Sequence[StoredDocument], signatures: Mapping[str, bytes], thresholds: HealthThresholds
) -> list[Finding]:
    """Findings over the documents of a knowledge base, by kind and then by document."""
    return [
        *_dates(documents),
        *_texts(documents),
        *_versions(documents),
        *_duplicates(documents, signatures, thresholds),
    ]


def collect_figures(documents: Sequence[StoredDocument], findings: Sequence[Finding]) -> dict[str, float]:
    """Figures by name: totals, shares in [0, 1], and ``findings.KIND`` counts."""
    total = max(1, len(documents))
    figures = {
        "documents": float(len(documents)),
        "chunks": float(sum(document.chunk_count for document in documents)),
        "characters": sum(document.figures.get("characters", 0.0) for document in documents),
        "content_health_mean": sum(document.metadata.content_health for document in documents) / total,
        "content_health_min": min((d.metadata.content_health for d in documents), default=1.0),
        "with_effective_date": sum(d.metadata.effective_from is not None for d in documents) / total,
        "with_any_date": sum(has_date(d) for d in documents) / total,
        "with_extracted_date": sum(bool(extracted_dates(d)) for d in documents) / total,
        "repaired_invisible": sum(document.figures.get("repaired_invisible", 0.0) for document in documents),
        "mojibake_runs": sum(document.figures.get("mojibake_runs", 0.0) for document in documents),
        "spaced_out_runs": sum(document.figures.get("spaced_out_runs", 0.0) for document in documents),
        "mixed_script_words": sum(document.figures.get("mixed_script_words", 0.0) for document in documents),
        "control_characters": sum(document.figures.get("control_characters", 0.0) for document in documents),
        "private_use_characters": sum(document.figures.get("private_use_characters", 0.0) for document in documents),
        "repeated_lines": sum(document.figures.get("repeated_lines", 0.0) for document in documents),
        "retired": float(sum(document.metadata.retired_at is not None for document in documents)),
        "pages": sum(document.figures.get("pages", 0.0) for document in documents),
        "empty_pages": sum(document.figures.get("empty_pages", 0.0) for document in documents),
        "table_cells": sum(document.figures.get("table_cells", 0.0) for document in documents),
        "table_cells_lost": sum(document.figures.get("table_cells_lost", 0.0) for document in documents),
    }
    for language, count in Counter(d.metadata.language or "unknown" for d in documents).items():
        figures[f"language.{language}"] = float(count)
    for kind, count in Counter(finding.kind for finding in findings).items():
        figures[f"findings.{kind}"] = float(count)
    return figures


def has_date(document: StoredDocument) -> bool:
    """True if a date is given or was read from the text."""
    metadata = document.metadata
    return any((metadata.effective_from, metadata.published_at, metadata.updated_at))


def extracted_dates(document: StoredDocument) -> tuple[str, ...]:
    """Names of the dates that were read from the text."""
    return tuple(name for name in document.metadata.extracted_fields if name.endswith(("_at", "_from", "_to")))


def conflict_findings(conflicts: Sequence[Conflict]) -> list[Finding]:
    """Statements on the same thing with different values, told apart by whether versions explain them."""
    found = []
    for conflict in conflicts[:_MAX_CONFLICTS]:
        first, second = conflict.first, conflict.second
        kind = "CONFLICT" if conflict.kind is ConflictKind.CONFLICT else "SUPERSEDED_VALUE"
        message = (
            f"{first.document_id!r} says {first.sentence[:300]!r}, {second.document_id!r} says "
            f"{second.sentence[:300]!r}; {conflict.remedy}"
        )
        found.append(Finding(kind, (first.document_id, second.document_id), message))
    return found


def _dates(documents: Sequence[StoredDocument]) -> list[Finding]:
    found = []
    for document in documents:
        metadata = document.metadata
        if metadata.doc_type in _DATED_TYPES and not has_date(document):
            message = f"{metadata.title!r} ({metadata.doc_type}) has no date; give effective_from or published_at"
            found.append(Finding("MISSING_DATE", (metadata.document_id,), message))
        elif extracted_dates(document):
            names = ", ".join(extracted_dates(document))
            message = f"{names} of {metadata.title!r} was read from the text; confirm it in the metadata"
            found.append(Finding("EXTRACTED_DATE", (metadata.document_id,), message))
    return found


def _texts(documents: Sequence[StoredDocument]) -> list[Finding]:
    found = []
    for document in documents:
        metadata, figures = document.metadata, document.figures
        if metadata.content_health < 0.9:
            message = f"{metadata.title!r} has dirty text (health {metadata.content_health:.2f}); export it again"
            found.append(Finding("DIRTY_TEXT", (metadata.document_id,), message))
        if figures.get("spaced_out_runs", 0) > 0:
            message = f"{metadata.title!r} has {figures['spaced_out_runs']:.0f} words spaced out letter by letter"
            found.append(Finding("SPACED_OUT_WORDS", (metadata.document_id,), message))
        if figures.get("mixed_script_words", 0) > 0:
            words = f"{figures['mixed_script_words']:.0f} words"
            message = (
                f"{metadata.title!r} has {words} of Latin and look-alike Cyrillic letters; write them in one alphabet"
            )
            found.append(Finding("MIXED_SCRIPTS", (metadata.document_id,), message))
        if figures.get("empty_pages", 0) > 0:
            message = f"{figures['empty_pages']:.0f} pages of {metadata.title!r} have no text; scan them with OCR"
            found.append(Finding("EMPTY_PAGES", (metadata.document_id,), message))
        if figures.get("table_cells_lost", 0) > 0:
            lost, cells = figures["table_cells_lost"], figures.get("table_cells", 0)
            message = f"{lost:.0f} of {cells:.0f} table cells of {metadata.title!r} were not found in its text"
            found.append(Finding("TABLE_CELLS_LOST", (metadata.document_id,), message))
        if not figures.get("pages") and figures.get("repeated_lines", 0) >= _MANY_REPEATED:
            lines = f"{figures['repeated_lines']:.0f} lines"
            message = f"{lines} of {metadata.title!r} look like running headers or footers; take them out of the source"
            found.append(Finding("REPEATED_LINES", (metadata.document_id,), message))
        if not metadata.language:
            message = f"the language of {metadata.title!r} is not evident; give language"
            found.append(Finding("UNKNOWN_LANGUAGE", (metadata.document_id,), message))
    return found


def _versions(documents: Sequence[StoredDocument]) -> list[Finding]:
    by_id = {document.metadata.document_id: document.metadata for document in documents}
    found = []
    for document in documents:
        metadata = document.metadata
        replaced = by_id.get(metadata.supersedes)
        if metadata.supersedes and replaced is None:
            message = f"{metadata.title!r} supersedes {metadata.supersedes!r}, which is not in the knowledge base"
            found.append(Finding("MISSING_PREDECESSOR", (metadata.document_id,), message))
        if replaced is not None and outranked(metadata, replaced):
            message = (
                f"{metadata.document_id!r} (authority {metadata.authority}) claims to supersede "
                f"{replaced.document_id!r} (authority {replaced.authority}), which stays in force; "
                "give it the authority to replace it, or take supersedes away"
            )
            found.append(Finding("OUTRANKED_SUCCESSOR", (metadata.document_id, replaced.document_id), message))
        if metadata.retired_at is not None:
            message = (
                f"{metadata.title!r} is retired since {metadata.retired_at}; `trirag kb retire --undo` takes it back"
            )
            found.append(Finding("RETIRED", (metadata.document_id,), message))
        if is_draft(metadata) and document.window.start <= document.window.end:
            message = f"{metadata.title!r} is named a draft and is found as in force; replace or retire it"
            found.append(Finding("DRAFT_IN_FORCE", (metadata.document_id,), message))
        if document.window.start > document.window.end:
            message = f"{metadata.title!r} is never in force: another version covers all of its days"
            found.append(Finding("NEVER_IN_FORCE", (metadata.document_id,), message))
    for first, second in undecided(by_id.values()):
        message = (
            f"{first!r} and {second!r} are named as versions of one document, or have one title and largely the same "
            "text, and nothing tells which is newer; give effective_from, version or supersedes"
        )
        found.append(Finding("UNDECIDED_VERSIONS", (first, second), message))
    for pair in alike_pairs(by_id.values()):
        for older, later in (pair, pair[::-1]):
            if told_by_time(older, later):
                message = (
                    f"{later.document_id!r} counts as the newer version of {older.document_id!r}: the same title, "
                    "largely the same text, modified later; declare supersedes, or give them different titles"
                )
                found.append(Finding("VERSION_BY_TIME", (later.document_id, older.document_id), message))
    return found


def _duplicates(
    documents: Sequence[StoredDocument], signatures: Mapping[str, bytes], thresholds: HealthThresholds
) -> list[Finding]:
    by_id = {document.metadata.document_id: document for document in documents}
    found = []
    for first, second, alike in similar_pairs(signatures, thresholds.near_duplicate_similarity):
        a, b = by_id[first].metadata, by_id[second].metadata
        if a.checksum == b.checksum:
            message = f"{first!r} and {second!r} have the same text; delete one"
            found.append(Finding("DUPLICATE", (first, second), message))
        elif a.version == b.version and not _are_versions(by_id[first], by_id[second]):
            message = f"{first!r} and {second!r} are {alike:.0%} alike; if one replaces the other, declare supersedes"
            found.append(Finding("NEAR_DUPLICATE", (first, second), message))
    return found


def _are_versions(one: StoredDocument, other: StoredDocument) -> bool:
    """True if one replaces the other: that is declared, or they share no day in force."""
    a, b = one.metadata, other.metadata
    declared = a.supersedes == b.document_id or b.supersedes == a.document_id
    return declared or not one.window.meets(other.window)
