"""From a prepared document to the rows of the vector store."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.common.domain.document import DocumentMetadata
from services.retrieval.domain.embedding import EmbedderIdentity, passage_key
from services.retrieval.domain.filters import access_key
from services.retrieval.domain.passages.chunks import ChunkDraft
from services.retrieval.domain.passages.codes import find_codes
from services.retrieval.domain.passages.plain import embedding_text, plain_text
from services.retrieval.domain.ports import ChunkRow
from services.retrieval.domain.ranking.lexical import WordSegmenter, analyze
from services.retrieval.domain.versions.families import Window

# Passages embedded between two signs of life, and two looks at whether to end: some seconds of the local embedder.
WARM_CHUNKS = 64

_MAX_ENTITIES = 64
_HEADING_CHARACTERS = 512
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_WORD = re.compile(r"[A-Za-z0-9]+(?:[.,'\-][A-Za-z0-9]+)*|[\u3400-\u9fff]")
# Two or more capitalised words in a row, or one with digits or inner capitals: names, in Latin script.
_NAME = re.compile(r"\b[A-Z][\w&'-]+(?:\s+(?:of|the|and|for)\s+[A-Z][\w&'-]+|\s+[A-Z][\w&'-]+)+")


def embedding_texts(text: str, chunks: Sequence[ChunkDraft]) -> list[str]:
    """What is embedded for each chunk."""
    return [embedding_text(chunk.context, text[chunk.start : chunk.end]) for chunk in chunks]


def passage_keys(embedder: EmbedderIdentity, text: str, chunks: Sequence[ChunkDraft]) -> bytes:
    """Under what the vectors of a text's chunks are kept on disk, one key behind the other."""
    return b"".join(passage_key(embedder, passage) for passage in embedding_texts(text, chunks))


def build_rows(
    metadata: DocumentMetadata,
    text: str,
    chunks: Sequence[ChunkDraft],
    revision: str,
    window: Window,
    segmenter: WordSegmenter,
) -> list[ChunkRow]:
    """The rows of one revision of a document."""
    key = access_key(metadata.access_groups)
    published = metadata.published_at.toordinal() if metadata.published_at else 0
    rows = []
    for chunk in chunks:
        body = text[chunk.start : chunk.end]
        lexical = " ".join(analyze(f"{chunk.context}\n{plain_text(body)}", segmenter))
        rows.append(
            ChunkRow(
                document_id=metadata.document_id,
                revision=revision,
                ordinal=chunk.ordinal,
                text=body,
                lexical=lexical,
                heading_path=tuple(heading[:_HEADING_CHARACTERS] for heading in chunk.heading_path),
                start=chunk.start,
                end=chunk.end,
                parent_start=chunk.parent_start,
                parent_end=chunk.parent_end,
                page=chunk.page,
                token_count=chunk.token_count,
                number_density=number_density(body),
                entities=entities_of(body),
                doc_type=metadata.doc_type,
                language=metadata.language,
                authority=metadata.authority,
                version=metadata.version,
                published_day=published,
                window=window,
                access_key=key,
            )
        )
    return rows


def number_density(text: str) -> float:
    """Numbers for each word (a Chinese character counts as one), in [0, 1]."""
    words = len(_WORD.findall(text))
    return round(min(1.0, len(_NUMBER.findall(text)) / words), 4) if words else 0.0


def entities_of(text: str) -> tuple[str, ...]:
    """Codes, then capitalised names, each once, at most 64."""
    found = dict.fromkeys(code[:128] for code in find_codes(text))
    for match in _NAME.finditer(text):
        found.setdefault(re.sub(r"\s+", " ", match.group())[:128], None)
    return tuple(found)[:_MAX_ENTITIES]
