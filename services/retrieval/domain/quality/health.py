"""Figures on the health of a document's text, and what they mean."""

from __future__ import annotations

import re
from collections.abc import Mapping

from services.common.domain.document import DocumentMetadata
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import HealthThresholds
from services.retrieval.domain.passages.cleaning import CleanText, repeated_lines


def document_figures(clean: CleanText, parsed: ParsedFile, thresholds: HealthThresholds) -> dict[str, float]:
    """Figures by name; ``content_health`` is 1 for clean text and falls to 0 as it nears what is blocked."""
    worst = max(
        clean.dirt_share / max(thresholds.block_dirt_share, 1e-9),
        clean.mojibake_share / max(thresholds.block_mojibake_share, 1e-9),
    )
    figures = {
        "characters": float(len(clean.text)),
        "dirt_share": clean.dirt_share,
        "control_characters": float(clean.control_characters),
        "private_use_characters": float(clean.private_use_characters),
        "repaired_invisible": float(clean.repaired_invisible),
        "mojibake_runs": float(clean.mojibake_runs),
        "spaced_out_runs": float(clean.spaced_out_runs),
        "mixed_script_words": float(clean.mixed_script_words),
        "content_health": round(max(0.0, 1.0 - worst), 4),
    }
    figures |= {name: float(value) for name, value in parsed.figures.items()}
    figures.setdefault("repeated_lines", float(repeated_lines(clean.text)))
    stored = float(stored_cells(clean.text))
    if "table_cells" in figures:
        # What the parser found in the source against what is in the text; a parser may know of more losses itself.
        missing = max(0.0, figures["table_cells"] - stored)
        figures["table_cells_lost"] = max(figures.get("table_cells_lost", 0.0), missing)
    elif stored:
        figures["table_cells"] = stored
    return figures


def stored_cells(text: str) -> int:
    """Cells with content in the Markdown tables of ``text``."""
    count = 0
    for line in text.split("\n"):
        row = line.strip()
        if row.startswith("|") and not _RULE_ROW.fullmatch(row):
            count += sum(1 for cell in _CELL_BORDER.split(row) if cell.strip())
    return count


_CELL_BORDER = re.compile(r"(?<!\\)\|")
_RULE_ROW = re.compile(r"[|:\- \t]+")


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
    clean: CleanText,
    parsed: ParsedFile,
    figures: Mapping[str, float],
    metadata: DocumentMetadata,
    thresholds: HealthThresholds,
) -> list[str]:
    """Things noticed that do not stop the document, each a sentence with its remedy."""
    warnings: list[str] = []
    if clean.repaired_invisible:
        warnings.append(f"{clean.repaired_invisible} zero-width characters and soft hyphens were removed")
    if clean.mojibake_share > thresholds.warn_mojibake_share:
        warnings.append(f"{clean.mojibake_runs} runs look wrongly decoded; compare with the original")
    if clean.spaced_out_runs:
        warnings.append(f"{clean.spaced_out_runs} words are spaced out letter by letter and cannot be searched")
    if clean.mixed_script_words:
        warnings.append(
            f"{clean.mixed_script_words} words mix Latin letters with Cyrillic ones that look like them, and are not "
            "found by who types them; write them in one alphabet"
        )
    repeated, lines = figures.get("repeated_lines", 0), clean.text.count("\n") + 1
    if not parsed.pages and repeated / lines > thresholds.warn_repeated_lines_share:
        warnings.append(f"{repeated:.0f} lines look like running headers or footers; take them out of the source")
    pages, empty = parsed.figures.get("pages", 0), parsed.figures.get("empty_pages", 0)
    if pages and empty / pages > thresholds.warn_empty_pages_share:
        warnings.append(f"{empty:.0f} of {pages:.0f} pages have no text; they may be scans that need OCR")
    cells, lost = figures.get("table_cells", 0), figures.get("table_cells_lost", 0)
    if cells and lost / cells > thresholds.warn_table_cells_lost_share:
        warnings.append(f"{lost:.0f} of {cells:.0f} table cells were not found in the stored text")
    for name in metadata.extracted_fields:
        if name not in ("title", "language"):
            warnings.append(
                f"{name} {getattr(metadata, name)} was read from the text; give it in the metadata to be sure"
            )
    return warnings
