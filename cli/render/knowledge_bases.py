"""Knowledge bases, their documents and their health."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from cli.render.console import clean, out
from cli.render.words import table, validity, when


def print_knowledge_bases(response: Any) -> None:
    """A ListKnowledgeBasesResponse for people."""
    if not response.knowledge_bases:
        out().print("no knowledge base yet; make one with `trirag ingest PATH --kb NAME`")
        return
    shown = table("name", "documents", "chunks", "embedding model", "updated", right=("documents", "chunks"))
    for kb in response.knowledge_bases:
        model = f"{kb.embedding_model} ({kb.dimension} d)" if kb.dimension else kb.embedding_model
        shown.add_row(clean(kb.name), str(kb.document_count), str(kb.chunk_count), clean(model), when(kb.updated_at))
    out().print(shown)


def print_documents(response: Any) -> None:
    """A ListDocumentsResponse for people."""
    shown = table("document", "title", "type", "language", "validity", "chunks", right=("chunks",))
    for document in response.documents:
        data = document.metadata
        cells = (data.document_id, data.title, data.doc_type, data.language, validity(data))
        shown.add_row(*(Text(clean(cell)) for cell in cells), str(document.chunk_count))
    out().print(shown)


def print_health(response: Any) -> None:
    """A GetHealthReportResponse for people."""
    console = out()
    kb = response.knowledge_base
    console.print(Text(f"{clean(kb.name)}: {kb.document_count} documents, {kb.chunk_count} chunks", "bold"))
    figures = table("figure", "value", right=("value",))
    for name in sorted(response.figures):
        figures.add_row(clean(name), f"{response.figures[name]:.6g}")
    console.print(figures)
    if not response.findings:
        console.print("no finding", style="green")
    for finding in response.findings:
        console.print(
            Text.assemble(("! " + clean(finding.kind), "yellow"), f": {clean(finding.message)}"), soft_wrap=True
        )
        if finding.document_ids:
            console.print(Text(f"    {clean(', '.join(finding.document_ids))}", "dim"), soft_wrap=True)
