"""A corpus of a wanted size for speed: real passages with their real vectors, then passages recombined from them.

A recombined passage is the first half of one real passage and the second half of another one of the same language;
its vector is the normalised sum of theirs with a little noise. It is no text that anyone wrote, but it has the words,
lengths and neighbourhoods of real ones, and needs no embedding. Only real passages are judged relevant.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bench.retrieval_chunks import prepare_all
from bench.retrieval_data import SETS, Query, load_queries
from services.common.domain.document import DocumentMetadata
from services.retrieval.adapters.embedding_cache import CachedEmbedder
from services.retrieval.adapters.segmenter import Segmenter
from services.retrieval.domain.embedding import Vectors
from services.retrieval.domain.ports import ChunkRow
from services.retrieval.domain.versions.families import Window
from services.retrieval.service.rows import build_rows, embedding_texts

# Sets whose relevance is by document and whose documents are always in force: every framework can be judged on them.
PARTS = ("hotpotqa", "musique", "2wiki", "xquad en-en", "xquad zh-zh")
_PASSAGES_A_DOCUMENT = 20
_NOISE = 0.02


@dataclass(frozen=True)
class Corpus:
    """Rows with their vectors (n, dimension); ``titles`` by document."""

    rows: list[ChunkRow]
    vectors: Vectors
    titles: dict[str, str]
    real: int


def real_corpus(data: Path, embedder: CachedEmbedder, segmenter: Segmenter) -> Corpus:
    """The passages of ``PARTS``."""
    rows: list[ChunkRow] = []
    vectors: list[Vectors] = []
    titles: dict[str, str] = {}
    for name in PARTS:
        base, where, _ = SETS[name]
        for prepared in prepare_all(data, where, embedder).values():
            document_id = f"{base}/{prepared.metadata.document_id}"
            metadata = replace(prepared.metadata, document_id=document_id)
            rows += build_rows(metadata, prepared.text, prepared.chunks, uuid.uuid4().hex, Window(), segmenter)
            vectors.append(embedder.embed_passages(embedding_texts(prepared.text, prepared.chunks)))
            titles[document_id] = metadata.title
    return Corpus(rows, np.concatenate(vectors), titles, len(rows))


def judged_queries(data: Path, per_part: int) -> list[Query]:
    """The first queries of each part, their documents named as in the corpus."""
    queries = []
    for name in PARTS:
        base, _, files = SETS[name]
        for query in load_queries(data, files)[:per_part]:
            relevant = tuple(replace(one, document_id=f"{base}/{one.document_id}") for one in query.relevant)
            queries.append(replace(query, relevant=relevant))
    return queries


def of_size(corpus: Corpus, size: int, seed: int = 7) -> Corpus:
    """``corpus`` cut to or filled up to ``size`` passages."""
    rng = np.random.default_rng(seed)
    rows, titles = corpus.rows[:size], dict(corpus.titles)
    if size <= len(corpus.rows):
        return Corpus(rows, corpus.vectors[:size], titles, len(rows))
    by_language = {
        language: np.array([n for n, row in enumerate(corpus.rows) if row.language == language])
        for language in sorted({row.language for row in corpus.rows})
    }
    left, right = [], []
    made: list[ChunkRow] = []
    for number in range(size - len(rows)):
        first = int(rng.integers(len(corpus.rows)))
        second = int(rng.choice(by_language[corpus.rows[first].language]))
        left.append(first)
        right.append(second)
        made.append(_recombined(corpus.rows[first], corpus.rows[second], number))
        titles.setdefault(made[-1].document_id, f"Recombined {made[-1].document_id}")
    vectors = corpus.vectors[left] + corpus.vectors[right]
    vectors = vectors + _NOISE * rng.normal(size=vectors.shape).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return Corpus(rows + made, np.concatenate([corpus.vectors, vectors]).astype(np.float32), titles, len(rows))


def _recombined(first: ChunkRow, second: ChunkRow, number: int) -> ChunkRow:
    words, others = first.lexical.split(" "), second.lexical.split(" ")
    text = first.text[: len(first.text) // 2] + second.text[len(second.text) // 2 :]
    document = f"made/{number // _PASSAGES_A_DOCUMENT}"
    return replace(
        first,
        document_id=document,
        revision=uuid.uuid5(uuid.NAMESPACE_OID, document).hex,
        ordinal=number % _PASSAGES_A_DOCUMENT,
        text=text,
        lexical=" ".join(words[: len(words) // 2] + others[len(others) // 2 :]),
        start=0,
        end=len(text),
        parent_start=0,
        parent_end=len(text),
    )


def metadata_of(document_id: str, base: str, rows: Sequence[ChunkRow], title: str) -> DocumentMetadata:
    """Metadata of one document of the corpus."""
    return DocumentMetadata(document_id, base, title=title, language=rows[0].language, doc_type=rows[0].doc_type)
