"""Passages in the other language bring in what is missing, and neither win by their mere presence nor by one word."""

from __future__ import annotations

from dataclasses import replace

import pytest

from services.common.domain.question import Action
from services.orchestrator.adapters.cel import evaluate_condition
from services.orchestrator.adapters.glossary import gloss
from services.orchestrator.domain.compose import ComposeInputs, compose
from services.orchestrator.domain.evidence import Hit, RouteOutcome
from services.orchestrator.domain.fusion import FusionPolicy, fuse
from services.orchestrator.domain.plan import SearchFilters
from services.orchestrator.domain.planner import PlanInputs, Planner, point_of_view
from services.orchestrator.domain.policy import ContextBudget, Credibility
from services.orchestrator.domain.variables import question_variables
from tests.unit.orchestrator.builders import POLICY, TODAY, chunk, evidence, parse

PLAIN = FusionPolicy(ContextBudget(), Credibility(influence=0.0))
CLASS = chunk("travel#1", "第五条 除总监及以上人员外，员工不得乘坐飞机公务舱。", title="差旅管理办法")
HOME = chunk("home#1", "Employees may work from home up to three days per week.", title="Remote work policy")
ALLOWANCE = chunk("home#2", "本办法适用于公司全体员工。", title="差旅管理办法")


def outcome(weight, *chunks, narrowed=False):
    hits = tuple(Hit(c, i, 1.0) for i, c in enumerate(chunks, 1))
    return RouteOutcome(f"t{weight}", "kb", weight, "OK", hits=hits, narrowed=narrowed)


def answer(question: str, *chunks, language: str = "zh", action: Action = Action.LOOKUP):
    parsed = replace(parse(question, action), language=language)
    draft = compose(ComposeInputs(parsed, evidence(*chunks), None, 6, "", TODAY, gloss))
    return [s.text for s in draft.statements]


def test_the_best_of_the_other_language_does_not_pass_the_best_of_all():
    found = [outcome(0.8, CLASS, HOME), outcome(0.4, HOME, narrowed=True), outcome(0.3, HOME, narrowed=True)]
    ranked = fuse(found, parse("q"), TODAY, PLAIN, keep_versions=True)
    assert [e.chunk.chunk_id for e in ranked] == ["travel#1", "home#1"]


def test_what_only_the_search_in_the_other_language_found_is_there():
    found = [outcome(0.8, CLASS), outcome(0.4, HOME, narrowed=True)]
    assert len(fuse(found, parse("q"), TODAY, PLAIN, keep_versions=True)) == 2


def test_a_chinese_question_is_answered_from_the_chinese_rule_although_an_english_passage_comes_first():
    (told,) = answer("员工可以坐公务舱吗？", HOME, CLASS)
    assert "公务舱" in told


def test_one_common_word_of_several_does_not_make_a_sentence_of_the_other_language_an_answer():
    assert answer("Who is the CEO of the company?", ALLOWANCE, language="en") == []


@pytest.mark.parametrize(
    ("allowed", "searched"),
    [((), [(), ("en",), ("en",)]), (("zh",), [("zh",)]), (("en", "zh"), [("en", "zh"), ("en",), ("en",)])],
)
def test_a_route_never_widens_the_languages_that_a_caller_allows(allowed, searched):
    parsed = replace(parse("年假有几天"), language="zh")
    variables = question_variables(parsed, ("kb",), False, "")
    view = point_of_view(parsed, None, TODAY)
    inputs = PlanInputs(parsed, variables, ("kb",), view, SearchFilters(languages=allowed), "annual leave")
    tasks = Planner(evaluate_condition).first_round(POLICY, inputs).tasks
    assert sorted(t.filters.languages for t in tasks) == sorted(searched)
