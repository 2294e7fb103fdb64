"""Knowledge bases and their documents."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from cli.render.console import clean, out
from cli.render.words import day, table, validity, when


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
        cells = (data.document_id, data.title, data.doc_type, data.language, _validity(document))
        shown.add_row(*(Text(clean(cell)) for cell in cells), str(document.chunk_count))
    out().print(shown)


def _validity(document: Any) -> str:
    """What the document states, and what other versions and its owner leave of it."""
    said = [validity(document.metadata)] if validity(document.metadata) else []
    end, last = day(document.in_force_to), day(document.metadata.effective_to)
    if document.never_in_force:
        said.append("never in force beside other versions")
    elif end and end != last:
        said.append(f"replaced after {end}")
    if day(document.retired_at):
        said.append(f"retired from {day(document.retired_at)} on")
    return ", ".join(said)
