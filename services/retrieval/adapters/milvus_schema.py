"""The one schema of a knowledge base's collection, and rows in and out of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from pymilvus import CollectionSchema, DataType, Function, FunctionType, MilvusClient
from pymilvus.milvus_client.index import IndexParams

from services.retrieval.domain.embedding import EmbedderIdentity, Vectors
from services.retrieval.domain.ports import METRIC, ChunkRow
from services.retrieval.domain.versions.families import Window

DENSE, SPARSE = "dense", "sparse"
IDENTITY_PROPERTY = "trirag.embedder"

# A VARCHAR holds at most 65,535 bytes; tokens are ASCII, so characters are bytes.
_LEXICAL_LIMIT = 60_000
# Parameters of the graph index: the usual middle between build time and recall at this size.
_HNSW = {"M": 16, "efConstruction": 200}
_BM25 = {"bm25_k1": 1.2, "bm25_b": 0.75}

_STRINGS = {
    "revision": 32, "document_id": 1024, "doc_type": 32, "language": 16, "version": 256, "access_key": 64,
}  # fmt: skip
_INTEGERS = (
    "ordinal", "start", "end", "parent_start", "parent_end", "page", "token_count", "authority",
    "published_day", "window_start", "window_end",
)  # fmt: skip
_INDEXED = ("revision", "document_id", "access_key", "window_start", "window_end")

OUTPUT_FIELDS = [*_STRINGS, *_INTEGERS, "text", "lexical", "number_density", "heading_path", "entities"]


def collection_schema(embedder: EmbedderIdentity) -> CollectionSchema:
    """Schema for vectors of ``embedder``; its description carries the embedder's identity."""
    schema = MilvusClient.create_schema(
        auto_id=False, enable_dynamic_field=False, description=identity_to_json(embedder)
    )
    schema.add_field("pk", DataType.VARCHAR, max_length=64, is_primary=True)
    for name, length in _STRINGS.items():
        schema.add_field(name, DataType.VARCHAR, max_length=length)
    for name in _INTEGERS:
        schema.add_field(name, DataType.INT64)
    schema.add_field("number_density", DataType.FLOAT)
    for name, length in (("heading_path", 4096), ("entities", 512)):
        capacity = 16 if name == "heading_path" else 64
        schema.add_field(name, DataType.ARRAY, element_type=DataType.VARCHAR, max_capacity=capacity, max_length=length)
    schema.add_field("text", DataType.VARCHAR, max_length=65535)
    # Tokens are made by the service (domain/ranking/lexical.py); this tokenizer only splits them at spaces.
    schema.add_field(
        "lexical", DataType.VARCHAR, max_length=65535, enable_analyzer=True, analyzer_params={"tokenizer": "standard"}
    )
    schema.add_field(SPARSE, DataType.SPARSE_FLOAT_VECTOR)
    schema.add_field(DENSE, DataType.FLOAT_VECTOR, dim=embedder.dimension)
    schema.add_function(
        Function(
            name="bm25", function_type=FunctionType.BM25, input_field_names=["lexical"], output_field_names=[SPARSE]
        )
    )
    return schema


def index_params(exact: bool) -> IndexParams:
    """Indexes of a collection: for dense an exact scan or a graph, inverted for sparse and for the filtered scalars."""
    params = MilvusClient.prepare_index_params()
    if exact:
        params.add_index(DENSE, index_type="FLAT", metric_type=METRIC)
    else:
        params.add_index(DENSE, index_type="HNSW", metric_type=METRIC, params=_HNSW)
    params.add_index(SPARSE, index_type="SPARSE_INVERTED_INDEX", metric_type="BM25", params=_BM25)
    for name in _INDEXED:
        params.add_index(name, index_type="INVERTED")
    return params


def identity_to_json(embedder: EmbedderIdentity) -> str:
    """The embedder's identity as it is kept with the collection."""
    return json.dumps(
        {
            "name": embedder.name,
            "revision": embedder.revision,
            "dimension": embedder.dimension,
            "max_tokens": embedder.max_tokens,
        }
    )


def identity_from_json(text: str) -> EmbedderIdentity | None:
    """The reverse; None if ``text`` is not such a record."""
    try:
        values = json.loads(text)
        return EmbedderIdentity(
            str(values["name"]), str(values["revision"]), int(values["dimension"]), int(values["max_tokens"])
        )
    except (ValueError, KeyError, TypeError):
        return None


def row_key(revision: str, ordinal: int) -> str:
    """Primary key of a row."""
    return f"{revision}:{ordinal}"


def to_milvus(row: ChunkRow, vector: Vectors) -> dict[str, Any]:
    """A row as pymilvus takes it."""
    values: dict[str, Any] = {
        name: getattr(row, name) for name in (*_STRINGS, *_INTEGERS) if not name.startswith("window_")
    }
    return values | {
        "pk": row_key(row.revision, row.ordinal),
        "window_start": row.window.start,
        "window_end": row.window.end,
        "number_density": float(row.number_density),
        "heading_path": list(row.heading_path),
        "entities": list(row.entities),
        "text": row.text,
        "lexical": _cut_tokens(row.lexical) or "empty",
        DENSE: vector,
    }


def from_milvus(entity: Mapping[str, Any]) -> ChunkRow:
    """A row from what pymilvus returns."""
    return ChunkRow(
        document_id=entity["document_id"],
        revision=entity["revision"],
        ordinal=int(entity["ordinal"]),
        text=entity["text"],
        lexical=entity["lexical"],
        heading_path=_strings(entity["heading_path"]),
        start=int(entity["start"]),
        end=int(entity["end"]),
        parent_start=int(entity["parent_start"]),
        parent_end=int(entity["parent_end"]),
        page=int(entity["page"]),
        token_count=int(entity["token_count"]),
        number_density=float(entity["number_density"]),
        entities=_strings(entity["entities"]),
        doc_type=entity["doc_type"],
        language=entity["language"],
        authority=int(entity["authority"]),
        version=entity["version"],
        published_day=int(entity["published_day"]),
        window=Window(int(entity["window_start"]), int(entity["window_end"])),
        access_key=entity["access_key"],
    )


def vector_of(entity: Mapping[str, Any]) -> Vectors | None:
    """The dense vector of an entity, if it was asked for."""
    vector = entity.get(DENSE)
    return None if vector is None else np.asarray(vector, dtype=np.float32)


def _strings(values: Sequence[Any] | None) -> tuple[str, ...]:
    return tuple(str(value) for value in values or ())


def _cut_tokens(lexical: str) -> str:
    return lexical if len(lexical) <= _LEXICAL_LIMIT else lexical[:_LEXICAL_LIMIT].rsplit(" ", 1)[0]
