"""Which passages statements are written from, and which statements say nothing."""

from __future__ import annotations

from services.common.domain.question import Action
from services.orchestrator.domain.concepts import no_gloss
from services.orchestrator.domain.focus import focused, is_telling, telling_part
from tests.unit.orchestrator.builders import TODAY, chunk, evidence, mention, parse

A320 = chunk("a#1", "Fares rose. The A320 burned 2.43 t of fuel an hour. Crews changed. Seats are blue. Doors shut.")
B737 = chunk("b#1", "The B737 burned 2.51 t of fuel an hour.")
OTHER = chunk("c#1", "The canteen opens at noon.")


def test_every_side_gets_a_passage_cut_to_its_telling_sentences():
    parsed = parse("Compare the fuel burn of A320 and B737", Action.COMPARE, sides=(mention("A320"), mention("B737")))
    found = focused(parsed, evidence(OTHER, A320, B737), no_gloss, TODAY, 2)
    assert [f.number for f in found] == [2, 3]
    assert "The A320 burned 2.43 t of fuel an hour." in found[0].evidence.excerpt
    assert found[0].question.startswith("A320")


def test_the_limit_bounds_the_calls():
    assert len(focused(parse("fuel burned an hour"), evidence(A320, B737, OTHER), no_gloss, TODAY, 1)) == 1


def test_passages_that_do_not_speak_of_the_question_are_not_written_from():
    assert focused(parse("vacation days"), evidence(OTHER), no_gloss, TODAY, 2) == []


def test_a_statement_that_repeats_the_title_or_misses_the_point_is_not_telling():
    item = evidence(
        chunk("e#1", "Error E4027 means that the token has expired. The pods restart.", title="Runbook: the gateway")
    )
    (focus,) = focused(parse("What does error E4027 mean?"), item, no_gloss, TODAY, 1)
    assert not is_telling("Runbook: the gateway, error E4027.", focus, no_gloss)
    assert not is_telling("The pods restart.", focus, no_gloss)
    assert is_telling("Error E4027 means an expired token.", focus, no_gloss)


def test_a_statement_that_repeats_itself_or_mixes_rows_is_not_telling():
    rows = "| Type | A-check interval |\n|---|---|\n| A320 | 600 flight hours |\n| A320neo | 750 flight hours |"
    (focus,) = focused(
        parse("What is the A-check interval of the A320?"), evidence(chunk("m#1", rows)), no_gloss, TODAY, 1
    )
    assert is_telling("The A-check interval of the A320 is 600 flight hours.", focus, no_gloss)
    assert not is_telling("The A-check interval of the A320 is 600 flight hours or 750 flight hours.", focus, no_gloss)
    assert not is_telling("A-check interval: 600 hours; A-check interval: 600 hours; the A320", focus, no_gloss)


def test_a_statement_without_news_or_in_a_circle_is_not_telling():
    item = evidence(chunk("f#1", "The authority decides the size of a fine by the gravity of the breach."))
    (focus,) = focused(parse("what decides the size of a fine"), item, no_gloss, TODAY, 1)
    assert is_telling("The size of a fine is decided by the gravity of the breach.", focus, no_gloss)
    assert not is_telling("big fine size", focus, no_gloss)
    circle = "The size of a fine is determined by the size of the fine, which is determined by the size of the fine."
    assert not is_telling(circle, focus, no_gloss)


def test_of_a_statement_of_several_sentences_those_that_tell_are_kept():
    item = evidence(
        chunk("t#1", "v. From 2014 on the threshold amount is $53,500. **2(g) Lessee** Guarantors are not lessees.")
    )
    (focus,) = focused(parse("What is the threshold amount?"), item, no_gloss, TODAY, 1)
    told = "From 2014 on the threshold amount is $53,500."
    assert telling_part(f"ii. {told} Guarantors. Guarantors are not lessees.", focus, no_gloss) == told
    assert telling_part("Guarantors are not lessees.", focus, no_gloss) == ""
    assert telling_part("Is the threshold amount $53,500 from 2014 on?", focus, no_gloss) == ""


def test_chinese_sentences_that_are_kept_get_no_blank_between_them():
    told = "阈值金额从2014年起为53500美元。阈值金额每年按物价调整。"
    (focus,) = focused(parse("阈值金额是多少？"), evidence(chunk("z#1", told)), no_gloss, TODAY, 1)
    assert telling_part(f"{told}你知道吗？", focus, no_gloss) == told
