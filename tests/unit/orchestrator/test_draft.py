"""Drafts, and what remedies make of them."""

from __future__ import annotations

from dataclasses import replace

from services.common.domain.question import Span
from services.common.domain.verdict import Remedy, RemedyKind, Verdict
from services.orchestrator.domain.draft import Draft, DraftStatement, from_statements
from services.orchestrator.domain.remedies import Chances, Decision, RepairKit, decide, repaired, retrieval_queries
from tests.unit.orchestrator.builders import invalid, valid

TWO = Draft((DraftStatement("One is 1.", (1,)), DraftStatement("Two is 3.", (2,))))
KIT = RepairKit(("Source one says 1.", "# T\n\nOne is 2 here. More text."), "The sources disagree:")
PLENTY = Chances(rounds=1, attempts=1, repaired=False)


def test_rendering_puts_citations_before_the_final_mark():
    assert TWO.render() == "One is 1 [1].\nTwo is 3 [2]."
    assert Draft((DraftStatement("年假为10天。", (1, 3)),)).render() == "年假为10天 [1][3]。"


def test_every_sentence_of_a_statement_carries_the_citation():
    draft = Draft((DraftStatement("Log no secrets. Hash tokens, e.g. with SHA-256.", (1,), is_item=True),))
    assert draft.render() == "- Log no secrets [1]. Hash tokens, e.g. with SHA-256 [1]."
    (span,) = draft.spans()
    assert draft.render()[span.start : span.end] == draft.render()


def test_spans_cover_the_rendered_statements():
    text = TWO.render()
    assert [text[s.start : s.end] for s in TWO.spans()] == ["One is 1 [1].", "Two is 3 [2]."]


def test_a_models_own_citation_marks_are_removed_and_repetitions_dropped():
    draft = from_statements([("A [1].", [1]), ("A [2].", [2]), ("  ", [1])], 2, 6)
    assert draft.statements == (DraftStatement("A.", (1,)),)


def test_a_source_number_out_of_range_is_left_for_the_verifier():
    assert from_statements([("A.", [9])], 2, 6).statements[0].citations == (9,)


def test_a_valid_draft_is_accepted():
    assert decide(TWO, valid(), PLENTY, KIT) is Decision.ACCEPT


def test_a_wrong_statement_is_dropped():
    verdict = invalid(TWO.render(), "Two is 3")
    assert decide(TWO, verdict, PLENTY, KIT) is Decision.REPAIR
    assert repaired(TWO, verdict, KIT) == Draft(TWO.statements[:1])


def test_a_miscited_statement_is_recited():
    verdict = invalid(TWO.render(), "Two is 3", RemedyKind.RECITE, citation=5)
    better = repaired(TWO, verdict, KIT)
    assert better is not None
    assert better.statements[1].citations == (5,)


def test_a_draft_of_one_wrong_statement_cannot_be_repaired():
    one = Draft(TWO.statements[:1])
    verdict = invalid(one.render(), "One is 1")
    assert repaired(one, verdict, KIT) is None
    assert decide(one, verdict, PLENTY, KIT) is Decision.REGENERATE
    assert decide(one, verdict, Chances(0, 0, False), KIT) is Decision.COMPOSE


def test_what_is_missing_is_searched_while_rounds_are_left():
    verdict = invalid(TWO.render(), "Two is 3", RemedyKind.RETRIEVE_MISSING, queries=("two", "two"))
    assert retrieval_queries(verdict) == ("two",)
    assert decide(TWO, verdict, PLENTY, KIT) is Decision.RETRIEVE
    assert decide(TWO, verdict, Chances(0, 1, False), KIT) is Decision.REPAIR


def test_a_lead_in_goes_with_what_it_led_to():
    one, lead_in, other = TWO.statements[0], DraftStatement("The sources disagree:"), DraftStatement("X.", (2,))
    assert Draft((one, lead_in)).trimmed() == Draft((one,))
    assert Draft((one, lead_in, other)).trimmed() == Draft((one, lead_in, other))


def test_a_hidden_conflict_is_disclosed_with_the_other_sources_sentence():
    one = Draft(TWO.statements[:1])
    issue = replace(
        invalid(one.render(), "One is 1").issues[0],
        remedy=Remedy(RemedyKind.DISCLOSE_CONFLICT),
        citation=2,
        evidence_span=Span(7, 12),
    )
    better = repaired(one, Verdict(False, 0.1, (), (issue,)), KIT)
    assert better is not None
    assert better.render() == "The sources disagree:\nOne is 1 [1].\nOne is 2 here [2]."


def test_the_counters_of_a_copied_list_are_no_statements() -> None:
    draft = from_statements([("1. The Board elects a chair. 2. The term is 5 years. 3.", [1])], 1, 6)
    assert draft.render() == "The Board elects a chair [1]. The term is 5 years [1]."
    # Alone it is all that was said.
    assert from_statements([("1.", [1])], 1, 6).render() == "1 [1]."
