"""Hits of a search, each with what its score is made of."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from cli.render.console import clean, out, shorten
from cli.render.words import milliseconds, validity

SNIPPET_LENGTH = 300


def print_hits(result: Any, embedding_model: str) -> None:
    """A TaskResult for people."""
    console = out()
    for hit in result.hits:
        document = hit.chunk.document
        line = Text.assemble(
            (f"{hit.rank:3d}  ", "bold cyan"),
            (f"{hit.score:.4f}  ", "bold"),
            clean(document.title or document.document_id),
        )
        about = validity(document)
        if about:
            line.append(f" ({clean(about)})", "dim")
        console.print(line, soft_wrap=True)
        place = " › ".join(hit.chunk.heading_path)
        page = f", page {hit.chunk.page}" if hit.chunk.page else ""
        console.print(Text(clean(f"     {hit.chunk.chunk_id}{page}  {place}"), "dim"), soft_wrap=True)
        console.print(f"     {shorten(hit.chunk.text, SNIPPET_LENGTH)}", soft_wrap=True)
        console.print(Text(f"     {_components(hit)}", "dim"), soft_wrap=True)
    if not result.hits:
        console.print("no passage found", style="yellow")
    told = [f"{len(result.hits)} hits", milliseconds(result.latency_ms)]
    if result.cached:
        told.append("from the cache")
    told += [part for part in (result.filter_description, embedding_model) if part]
    console.print(Text(clean(" · ".join(told)), "dim"), soft_wrap=True)


def _components(hit: Any) -> str:
    parts = [f"{c.name} {c.score:.4f}" + (f" (rank {c.rank})" if c.rank else "") for c in hit.components]
    if hit.version_choice:
        parts.append(f"version: {hit.version_choice}")
    if hit.also_in:
        parts.append(f"also: {', '.join(hit.also_in)}")
    return clean(" · ".join(parts))
