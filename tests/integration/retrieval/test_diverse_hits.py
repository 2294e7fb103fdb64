"""Hits that differ: caps, novelty, texts that versions share, parents shown once."""

from __future__ import annotations

import grpc
import pytest

from tests.integration.retrieval.parts import RetrievalProcess, document, ids
from trirag.retrieval.v1 import retrieval_pb2

Diversity = retrieval_pb2.Diversity
EVERY_VERSION = retrieval_pb2.SearchFilter(include_superseded=True)
FILLER = "and of much else that makes it long enough to stand alone " * 4


@pytest.fixture(scope="module")
def base(service: RetrievalProcess) -> str:
    """A long document and a short one on the same word, and a rule in two versions with one changed paragraph."""
    long = "# Long\n\n" + "\n\n".join(f"Article {n} speaks of turbines {FILLER}." for n in range(1, 6))
    rule = "# Rule\n\nArticle 1 Gauges are read daily {0}.\n\nArticle 2 Gauges are sealed {1} {0}."
    summary = service.ingest(
        "diverse",
        [
            document(long, document_id="long"),
            document("Turbines hum softly.", document_id="short"),
            document(
                rule.format(FILLER, "yearly"), document_id="rule-1", title="Rule", version="1", doc_type="regulation",
                effective_from="2020-01-01",
            ),
            document(
                rule.format(FILLER, "monthly"), document_id="rule-2", title="Rule", version="2", doc_type="regulation",
                effective_from="2024-01-01", supersedes="rule-1",
            ),
        ],
    )  # fmt: skip
    assert summary.created == 4
    return "diverse"


@pytest.mark.parametrize("kind", ["KEYWORD", "HYBRID", "UNSPECIFIED"])
def test_a_document_has_at_most_so_many_hits(service: RetrievalProcess, base: str, kind: str) -> None:
    assert ids(service.search(base, "turbines", kind, top_k=3)).count("long") > 1
    capped = service.search(base, "turbines", kind, top_k=3, diversity=Diversity(max_per_document=1))
    assert ids(capped).count("long") == 1
    assert "short" in ids(capped)
    assert [hit.rank for hit in capped.hits] == list(range(1, len(capped.hits) + 1))


def test_novelty_brings_another_document_forward(service: RetrievalProcess, base: str) -> None:
    plain = ids(service.search(base, "turbines article speaks", "KEYWORD", top_k=2))
    novel = ids(service.search(base, "turbines article speaks", "KEYWORD", top_k=2, diversity=Diversity(novelty=0.9)))
    assert plain == ["long", "long"]
    assert novel == ["long", "short"]


def test_a_text_that_versions_share_is_shown_once_by_the_version_in_force_last(
    service: RetrievalProcess, base: str
) -> None:
    both = service.search(base, "gauges read daily", "KEYWORD", filter=EVERY_VERSION)
    assert {"rule-1", "rule-2"} == {hit.chunk.document.document_id for hit in both.hits if "daily" in hit.chunk.text}
    merged = service.search(
        base, "gauges read daily", "KEYWORD", filter=EVERY_VERSION, diversity=Diversity(merge_same_text=True)
    )
    [daily] = [hit for hit in merged.hits if "daily" in hit.chunk.text]
    assert daily.chunk.document.document_id == "rule-2"
    assert [one.split("#")[0] for one in daily.also_in] == ["rule-1"]
    assert {"rule-1", "rule-2"} == {hit.chunk.document.document_id for hit in merged.hits if "sealed" in hit.chunk.text}


def test_a_parent_is_shown_once_and_says_which_chunks_it_stands_for(service: RetrievalProcess, base: str) -> None:
    result = service.search(base, "turbines", "KEYWORD", expand_parent=True)
    assert sorted(ids(result)) == ["long", "short"]
    [long] = [hit for hit in result.hits if hit.chunk.document.document_id == "long"]
    assert "Article 1" in long.chunk.text
    assert "Article 5" in long.chunk.text
    assert len(long.also_in) >= 1
    assert long.chunk.chunk_id not in long.also_in


@pytest.mark.parametrize(
    ("diversity", "field"),
    [
        (Diversity(max_per_document=-1), "max_per_document"),
        (Diversity(novelty=1.5), "novelty"),
        (Diversity(novelty=float("nan")), "novelty"),
    ],
)
def test_what_is_out_of_range_is_named(
    service: RetrievalProcess, base: str, diversity: retrieval_pb2.Diversity, field: str
) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        service.search(base, "turbines", diversity=diversity)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert field in caught.value.details()
