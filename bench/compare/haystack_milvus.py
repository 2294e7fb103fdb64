"""Haystack's Milvus store on an exported corpus: dense, BM25, and hybrid with its RRF.

PYTHON bench/compare/haystack_milvus.py FOLDER URI
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from haystack import Document
from milvus_haystack import (
    MilvusDocumentStore,
    MilvusEmbeddingRetriever,
    MilvusHybridRetriever,
    MilvusSparseEmbeddingRetriever,
)
from milvus_haystack.function import BM25BuiltInFunction

TOP_K = 10
BATCH = 500


def main() -> None:
    """Fills a collection and asks every query."""
    folder, uri = Path(sys.argv[1]), sys.argv[2]
    passages = [json.loads(line) for line in (folder / "passages.jsonl").read_text("utf-8").splitlines()]
    vectors = np.load(folder / "passages.npy")
    queries = [json.loads(line)["text"] for line in (folder / "queries.jsonl").read_text("utf-8").splitlines()]
    asked = np.load(folder / "queries.npy").tolist()
    store = MilvusDocumentStore(
        collection_name="haystack",
        connection_args={"uri": uri},
        drop_old=True,
        index_params={"metric_type": "COSINE", "index_type": "HNSW", "params": {"M": 16, "efConstruction": 200}},
        search_params={"metric_type": "COSINE", "params": {"ef": 128}},
        sparse_vector_field="sparse",
        sparse_index_params={"metric_type": "BM25", "index_type": "SPARSE_INVERTED_INDEX", "params": {}},
        sparse_search_params={"metric_type": "BM25", "params": {}},
        builtin_function=[BM25BuiltInFunction(input_field_names="text", output_field_names="sparse")],
    )
    documents = [
        Document(
            id=passage["id"],
            content=passage["text"],
            embedding=vector.tolist(),
            meta={"document_id": passage["document_id"]},
        )
        for passage, vector in zip(passages, vectors, strict=True)
    ]
    for start in range(0, len(documents), BATCH):
        store.write_documents(documents[start : start + BATCH])
    # Rows just written are scanned one by one on the local server until they are sealed.
    store.client.flush("haystack")
    dense = MilvusEmbeddingRetriever(document_store=store, top_k=TOP_K)
    sparse = MilvusSparseEmbeddingRetriever(document_store=store, top_k=TOP_K)
    hybrid = MilvusHybridRetriever(document_store=store, top_k=TOP_K)
    ways: dict[str, Callable[[str, list[float]], dict[str, Any]]] = {
        "dense": lambda _, vector: dense.run(query_embedding=vector),
        "keyword": lambda text, _: sparse.run(query_text=text),
        "hybrid": lambda text, vector: hybrid.run(query_embedding=vector, query_text=text),
    }
    for name, ask in ways.items():
        found, spent = [], []
        for timed in (False, True):  # the first round loads indexes
            for text, vector in zip(queries, asked, strict=True):
                began = time.perf_counter()
                result = ask(text, vector)
                if timed:
                    spent.append((time.perf_counter() - began) * 1000)
                    found.append([one.meta["document_id"] for one in result["documents"]])
        print(json.dumps({"type": name, "found": found, "ms": spent}), flush=True)


if __name__ == "__main__":
    main()
