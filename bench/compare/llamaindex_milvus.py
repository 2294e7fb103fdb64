"""LlamaIndex's Milvus store on an exported corpus: dense, and hybrid with its BM25 function and RRF.

PYTHON bench/compare/llamaindex_milvus.py FOLDER URI
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores.types import VectorStoreQuery, VectorStoreQueryMode
from llama_index.vector_stores.milvus import MilvusVectorStore
from llama_index.vector_stores.milvus.utils import BM25BuiltInFunction

TOP_K = 10


def main() -> None:
    """Fills a collection and asks every query."""
    folder, uri = Path(sys.argv[1]), sys.argv[2]
    passages = [json.loads(line) for line in (folder / "passages.jsonl").read_text("utf-8").splitlines()]
    vectors = np.load(folder / "passages.npy")
    queries = [json.loads(line)["text"] for line in (folder / "queries.jsonl").read_text("utf-8").splitlines()]
    asked = np.load(folder / "queries.npy")
    store = MilvusVectorStore(
        uri=uri,
        collection_name="llamaindex",
        dim=int(vectors.shape[1]),
        overwrite=True,
        similarity_metric="COSINE",
        enable_sparse=True,
        sparse_embedding_function=BM25BuiltInFunction(),
        hybrid_ranker="RRFRanker",
        hybrid_ranker_params={"k": 60},
        batch_size=500,
        use_async_client=False,
    )
    nodes = []
    for passage, vector in zip(passages, vectors, strict=True):
        source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=passage["document_id"])}
        nodes.append(TextNode(id_=passage["id"], text=passage["text"], embedding=vector.tolist(), relationships=source))
    store.add(nodes)
    store.client.flush("llamaindex")
    documents = {passage["id"]: passage["document_id"] for passage in passages}
    for name, mode in (("dense", VectorStoreQueryMode.DEFAULT), ("hybrid", VectorStoreQueryMode.HYBRID)):
        found, spent = [], []
        for timed in (False, True):  # the first round loads indexes
            for text, vector in zip(queries, asked, strict=True):
                began = time.perf_counter()
                result = store.query(
                    VectorStoreQuery(
                        query_embedding=vector.tolist(),
                        query_str=text,
                        similarity_top_k=TOP_K,
                        hybrid_top_k=TOP_K,
                        sparse_top_k=50,
                        mode=mode,
                    )
                )
                if timed:
                    spent.append((time.perf_counter() - began) * 1000)
                    found.append([documents[node] for node in result.ids or []])
        print(json.dumps({"type": name, "found": found, "ms": spent}), flush=True)


if __name__ == "__main__":
    main()
