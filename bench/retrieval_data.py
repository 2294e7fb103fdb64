"""The labelled retrieval sets beside the checkout, and how their rows are judged."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import yaml

from services.common.domain.document import Chunk
from services.retrieval.domain.sidecar import parse_sidecar
from services.retrieval.service.items import FileItem, IngestItem

SETS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    # name: knowledge base, documents, query files
    "asvs": ("asvs", "asvs/docs", ("asvs/queries.jsonl",)),
    "nist80053": ("nist80053", "nist80053/docs", ("nist80053/queries.jsonl",)),
    "laws_zh": ("laws_zh", "laws_zh/docs", ("laws_zh/queries.jsonl",)),
    "laws_zh-versions": ("laws_zh", "laws_zh/docs", ("laws_zh/queries-versions.jsonl",)),
    "gdpr": ("gdpr", "gdpr/docs", ("gdpr/queries.jsonl",)),
    "hotpotqa": ("hotpotqa", "multihop/hotpotqa/documents.jsonl", ("multihop/hotpotqa/queries.jsonl",)),
    "musique": ("musique", "multihop/musique/documents.jsonl", ("multihop/musique/queries.jsonl",)),
    "2wiki": ("2wiki", "multihop/2wiki/documents.jsonl", ("multihop/2wiki/queries.jsonl",)),
    "xquad en-en": ("xquad_en", "xquad/documents-en.jsonl", ("xquad/queries-en.jsonl",)),
    "xquad zh-zh": ("xquad_zh", "xquad/documents-zh.jsonl", ("xquad/queries-zh.jsonl",)),
    "xquad zh-en": ("xquad_en", "xquad/documents-en.jsonl", ("xquad/queries-zh2en.jsonl",)),
    "xquad en-zh": ("xquad_zh", "xquad/documents-zh.jsonl", ("xquad/queries-en2zh.jsonl",)),
}


@dataclass(frozen=True, slots=True)
class Relevant:
    """A judged document, and text that the chunk must hold (empty: any chunk of the document)."""

    document_id: str
    contains: str = ""


@dataclass(frozen=True, slots=True)
class Query:
    """One row of a query file."""

    query_id: str
    text: str
    as_of: date | None
    relevant: tuple[Relevant, ...]
    type: str = ""


def load_queries(data: Path, files: Sequence[str]) -> list[Query]:
    """The rows of query files in order."""
    rows = []
    for name in files:
        for line in (data / name).read_text("utf-8").splitlines():
            row = json.loads(line)
            relevant = tuple(Relevant(r["document_id"], normalise(r.get("contains", ""))) for r in row["relevant"])
            as_of = date.fromisoformat(row["as_of"]) if row.get("as_of") else None
            rows.append(Query(row["query_id"], row["query"], as_of, relevant, row.get("type", "")))
    return rows


def load_documents(data: Path, where: str) -> Iterator[IngestItem]:
    """What the command line would send for a folder with its sidecar, or for a JSONL file."""
    path = data / where
    if path.is_file():
        yield FileItem(path.name, path.read_bytes())
        return
    sidecar = parse_sidecar(yaml.safe_load((path / "meta.yaml").read_text("utf-8")))
    for file in sorted(path.rglob("*")):
        if file.is_file() and file.name != "meta.yaml":
            relative = file.relative_to(path).as_posix()
            yield FileItem(relative, file.read_bytes(), sidecar.fields_for(relative))


def normalise(text: str) -> str:
    """Every run of white space becomes one space."""
    return re.sub(r"[\s\u3000\u00a0]+", " ", text).strip()


def is_relevant(chunk: Chunk, relevant: Relevant) -> bool:
    """The judging rule of the data's README."""
    if chunk.document.document_id != relevant.document_id:
        return False
    return not relevant.contains or relevant.contains in normalise(chunk.text)


def first_ranks(chunks: Sequence[Chunk], query: Query) -> list[int]:
    """For each judged item the rank (from 1) of the first chunk that satisfies it; 0 if none does."""
    ranks = []
    for relevant in query.relevant:
        ranks.append(next((rank for rank, c in enumerate(chunks, start=1) if is_relevant(c, relevant)), 0))
    return ranks
