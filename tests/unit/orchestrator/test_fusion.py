"""Fusion, credibility, de-duplication, version arbitration and the context budget."""

from __future__ import annotations

from datetime import date

from services.common.domain.question import Origin, OriginKind, QuantityConstraint
from services.orchestrator.domain.context import build_context
from services.orchestrator.domain.credibility import combined, factors
from services.orchestrator.domain.evidence import Evidence, Hit, RouteOutcome
from services.orchestrator.domain.fusion import FusionPolicy, fuse
from services.orchestrator.domain.policy import ContextBudget, Credibility
from services.orchestrator.domain.sentences import estimate_tokens
from tests.unit.orchestrator.builders import TODAY, chunk, evidence, parse

PLAIN = FusionPolicy(ContextBudget(), Credibility(influence=0.0))


def route(weight, *chunks):
    return RouteOutcome(f"t{weight}", "kb", weight, "OK", hits=tuple(Hit(c, i, 1.0) for i, c in enumerate(chunks, 1)))


def ids(ranked):
    return [e.chunk.chunk_id for e in ranked]


def test_a_passage_found_by_two_routes_beats_one_found_first_by_one():
    a, b = chunk("a#1", "alpha text one"), chunk("b#1", "beta text two")
    ranked = fuse([route(0.5, a, b), route(0.5, b)], parse("q"), TODAY, PLAIN, keep_versions=True)
    assert ids(ranked) == ["b#1", "a#1"]
    assert ranked[0].weight == 1.0


def test_route_weights_decide_between_equal_ranks():
    a, b = chunk("a#1", "alpha text one"), chunk("b#1", "beta text two")
    ranked = fuse([route(0.3, a), route(0.9, b)], parse("q"), TODAY, PLAIN, keep_versions=True)
    assert ids(ranked) == ["b#1", "a#1"]


def test_the_same_text_appears_once():
    a, b = chunk("a#1", "The limit is 30 days."), chunk("b#1", "The limit is 30 days.")
    assert ids(fuse([route(1, a, b)], parse("q"), TODAY, PLAIN, keep_versions=True)) == ["a#1"]


def test_texts_that_differ_in_a_number_are_no_duplicates():
    words = "the filing limit for every expense claim of the company in any country is"
    a, b = chunk("a#1", f"{words} 30 days"), chunk("b#1", f"{words} 60 days")
    assert len(fuse([route(1, a, b)], parse("q"), TODAY, PLAIN, keep_versions=True)) == 2


def editions():
    old = chunk("old#1", "limit 10 tonnes then", document_id="old", effective_from=date(2020, 1, 1))
    new = chunk("new#1", "limit 12 tonnes now", document_id="new", supersedes="old", effective_from=date(2024, 1, 1))
    return old, new


def test_a_document_of_another_knowledge_base_is_no_version_for_its_id():
    old, new = editions()
    other = chunk("old#1", "of something else", document_id="old", knowledge_base="other")
    ranked = fuse([route(1, old, new, other)], parse("q"), TODAY, PLAIN, keep_versions=False)
    assert [(e.chunk.document.knowledge_base, e.chunk.document.document_id) for e in ranked] == [
        ("kb", "new"),
        ("other", "old"),
    ]


def test_the_edition_in_force_on_the_day_wins():
    old, new = editions()
    now = fuse([route(1, old, new)], parse("q"), TODAY, PLAIN, keep_versions=False)
    then = fuse([route(1, old, new)], parse("q"), date(2022, 6, 1), PLAIN, keep_versions=False)
    assert (ids(now), ids(then)) == (["new#1"], ["old#1"])


def test_a_note_that_claims_to_supersede_a_regulation_does_not_hide_it():
    rule = chunk("rule#1", "Leave is 25 days.", authority=5, effective_from=date(2026, 1, 1))
    note = chunk("note#1", "Leave is 66 days.", authority=1, supersedes="rule", effective_from=date(2026, 6, 1))
    later = chunk("later#1", "Leave is 27 days.", authority=5, supersedes="rule", effective_from=date(2026, 7, 1))
    assert ids(fuse([route(1, note, rule)], parse("q"), TODAY, PLAIN, keep_versions=False)) == ["rule#1"]
    assert ids(fuse([route(1, note, rule, later)], parse("q"), TODAY, PLAIN, keep_versions=False)) == ["later#1"]


def test_both_editions_stay_when_asked_for():
    assert len(fuse([route(1, *editions())], parse("q"), TODAY, PLAIN, keep_versions=True)) == 2


def test_a_chain_of_versions_with_a_gap_is_one_family():
    v1 = chunk("v1#1", "one a b c", document_id="v1", effective_from=date(2018, 1, 1))
    v2 = chunk("v2#1", "two d e f", document_id="v2", supersedes="v1", effective_from=date(2020, 1, 1))
    v3 = chunk("v3#1", "three g h i", document_id="v3", supersedes="v2", effective_from=date(2022, 1, 1))
    assert ids(fuse([route(1, v1, v2, v3)], parse("q"), TODAY, PLAIN, keep_versions=False)) == ["v3#1"]


def test_credibility_lifts_authority_over_a_slightly_better_rank():
    weak = chunk("weak#1", "some text here", authority=1)
    strong = chunk("strong#1", "other text there", authority=5)
    policy = FusionPolicy(ContextBudget(), Credibility(influence=0.5, authority=1.0))
    assert ids(fuse([route(1, weak, strong)], parse("q"), TODAY, policy, keep_versions=True)) == ["strong#1", "weak#1"]


def test_recency_halves_with_the_half_life():
    dated = chunk("a#1", "x", published_at=date(2024, 11, 30))
    values = factors(dated, parse("q"), TODAY, Credibility(recency_half_life_days=730))
    assert values["recency"] == 0.5


def test_number_density_counts_only_for_questions_about_numbers():
    plain = chunk("a#1", "no figures")
    quantity = QuantityConstraint("", "", "", 0, Origin(OriginKind.RULE, "t"))
    assert factors(plain, parse("q"), TODAY, Credibility())["number_density"] == 1.0
    assert factors(plain, parse("q", quantity=quantity), TODAY, Credibility())["number_density"] == 0.0


def test_combined_is_a_weighted_mean():
    policy = Credibility(recency=0, authority=1, number_density=0, validity=3, health=0)
    values = {"recency": 0.0, "authority": 0.2, "number_density": 0.0, "validity": 1.0, "health": 0.0}
    assert combined(values, policy) == 0.8


def test_nothing_found_gives_nothing():
    assert fuse([route(1)], parse("q"), TODAY, PLAIN, keep_versions=False) == ()


def test_heavier_evidence_gets_more_room_and_the_budget_holds():
    text = " ".join(f"Sentence number {i} speaks about engines and fuel." for i in range(60))
    heavy, light = Evidence(chunk("h#1", text), 1.0), Evidence(chunk("l#1", text), 0.25)
    built = build_context([heavy, light], "engines", ContextBudget(max_tokens=400, min_tokens_per_passage=20))
    sizes = [estimate_tokens(e.excerpt) for e in built]
    assert sum(sizes) <= 400
    assert sizes[0] > 2 * sizes[1] > 0


def test_a_passage_that_fits_is_kept_whole():
    item = evidence(chunk("a#1", "# Title\n\n1. Open the valve.\n2. Close it."))
    assert build_context(item, "valve", ContextBudget())[0].excerpt == item[0].chunk.text


def test_a_cut_passage_keeps_the_sentences_that_speak_of_the_question():
    filler = " ".join(f"Filler sentence {i} about nothing at all." for i in range(50))
    item = evidence(chunk("a#1", f"{filler} The reactor limit is 42 bar. {filler}"))
    built = build_context(item, "reactor limit", ContextBudget(max_tokens=100, min_tokens_per_passage=20))
    assert "The reactor limit is 42 bar." in built[0].excerpt


def test_the_same_search_in_several_knowledge_bases_is_merged_by_score_not_by_rank():
    def outcome(base, *rows):
        hits = tuple(
            Hit(chunk(name, f"{name} text of its own", knowledge_base=base), i, 1.0, {"dense": d, "keyword": k})
            for i, (name, d, k) in enumerate(rows, start=1)
        )
        return RouteOutcome(f"t-{base}", base, 0.8, "OK", hits=hits, group="question")

    off_topic = outcome("weather", ("w#1", 0.70, 1.0), ("w#2", 0.69, 0.0))
    on_topic = outcome("leave", ("l#1", 0.90, 9.0), ("l#2", 0.86, 7.0))
    ranked = fuse([off_topic, on_topic], parse("q"), TODAY, PLAIN, keep_versions=True)
    assert ids(ranked) == ["l#1", "l#2", "w#1", "w#2"]


def test_a_rerank_score_alone_decides_the_merge_where_there_is_one():
    def outcome(base, name, rerank, dense):
        hit = Hit(
            chunk(name, f"{name} text of its own", knowledge_base=base), 1, 1.0, {"rerank": rerank, "dense": dense}
        )
        return RouteOutcome(f"t-{base}", base, 0.8, "OK", hits=(hit,), group="question")

    ranked = fuse([outcome("a", "a#1", 0.2, 0.99), outcome("b", "b#1", 0.7, 0.1)], parse("q"), TODAY, PLAIN, True)
    assert ids(ranked) == ["b#1", "a#1"]


def test_the_best_hit_of_a_light_search_has_a_seat():
    heavy = [chunk(f"h{i}#1", f"heavy text number {i} of its own") for i in range(9)]
    light = chunk("light#1", "a passage of the other language")
    policy = FusionPolicy(ContextBudget(max_passages=4), Credibility(influence=0.0))
    ranked = fuse([route(1.0, *heavy), route(0.1, light)], parse("q"), TODAY, policy, keep_versions=True)
    assert ids(ranked) == ["h0#1", "h1#1", "h2#1", "light#1"]
