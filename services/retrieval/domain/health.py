"""Figures on the health of a document's text, and what they mean."""

from __future__ import annotations

from services.common.domain.document import DocumentMetadata
from services.retrieval.domain.cleaning import CleanText
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import HealthThresholds


def document_figures(clean: CleanText, parsed: ParsedFile, thresholds: HealthThresholds) -> dict[str, float]:
    """Figures by name; ``content_health`` is 1 for clean text and falls to 0 as it nears what is blocked."""
    worst = max(
        clean.dirt_share / max(thresholds.block_dirt_share, 1e-9),
        clean.mojibake_share / max(thresholds.block_mojibake_share, 1e-9),
    )
    figures = {
        "characters": float(len(clean.text)),
        "dirt_share": clean.dirt_share,
        "repaired_invisible": float(clean.repaired_invisible),
        "mojibake_runs": float(clean.mojibake_runs),
        "spaced_out_runs": float(clean.spaced_out_runs),
        "content_health": round(max(0.0, 1.0 - worst), 4),
    }
    return figures | {name: float(value) for name, value in parsed.figures.items()}


def health_problem(clean: CleanText, thresholds: HealthThresholds) -> str:
    """Why the text must not be stored, with the repair that would help; empty if it may."""
    if clean.dirt_share > thresholds.block_dirt_share:
        return (
            f"{clean.dirt_share:.1%} of the characters are control or private-use characters, at most "
            f"{thresholds.block_dirt_share:.1%} are accepted; the file's fonts lack a Unicode table or it is not text: "
            "export it again, or run it through OCR"
        )
    if clean.mojibake_share > thresholds.block_mojibake_share:
        return (
            f"{clean.mojibake_runs} runs of wrongly decoded characters; the file was saved in another encoding than "
            "it was read in: save it as UTF-8 from the original"
        )
    return ""


def health_warnings(
    clean: CleanText, parsed: ParsedFile, metadata: DocumentMetadata, thresholds: HealthThresholds
) -> list[str]:
    """Things noticed that do not stop the document, each a sentence with its remedy."""
    warnings: list[str] = []
    if clean.repaired_invisible:
        warnings.append(f"{clean.repaired_invisible} zero-width characters and soft hyphens were removed")
    if clean.mojibake_share > thresholds.warn_mojibake_share:
        warnings.append(f"{clean.mojibake_runs} runs look wrongly decoded; compare with the original")
    if clean.spaced_out_runs:
        warnings.append(f"{clean.spaced_out_runs} words are spaced out letter by letter and cannot be searched")
    pages, empty = parsed.figures.get("pages", 0), parsed.figures.get("empty_pages", 0)
    if pages and empty / pages > thresholds.warn_empty_pages_share:
        warnings.append(f"{empty:.0f} of {pages:.0f} pages have no text; they may be scans that need OCR")
    cells, lost = parsed.figures.get("table_cells", 0), parsed.figures.get("table_cells_lost", 0)
    if cells and lost / cells > thresholds.warn_table_cells_lost_share:
        warnings.append(f"{lost:.0f} of {cells:.0f} table cells were not found in the stored text")
    for name in metadata.extracted_fields:
        if name not in ("title", "language"):
            warnings.append(
                f"{name} {getattr(metadata, name)} was read from the text; give it in the metadata to be sure"
            )
    return warnings
