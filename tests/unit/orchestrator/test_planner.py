"""Plans come from the policy file alone."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from services.common.domain.question import Action, Label, Part, Rewrite, Span
from services.common.domain.time import DayInterval, TimeRelation
from services.common.request_rules import violations
from services.orchestrator.adapters.cel import evaluate_condition
from services.orchestrator.adapters.policy_file import parse_policy
from services.orchestrator.adapters.retrieval_client import to_proto_task
from services.orchestrator.domain.plan import SearchFilters, SearchKind
from services.orchestrator.domain.planner import PlanInputs, Planner, PointOfView, point_of_view
from services.orchestrator.domain.variables import question_variables
from tests.unit.orchestrator.builders import POLICY, RULE, TODAY, in_year, mention, parse
from trirag.retrieval.v1.retrieval_pb2 import SearchRequest

SEED_TEXT = (Path(__file__).parent / "seed_policy.yaml").read_text(encoding="utf-8")
SEED = parse_policy(SEED_TEXT)
BASES = ("manuals", "regulations", "faq")
NO_FILTERS = SearchFilters()
PLANNER = Planner(evaluate_condition)


def plan(policy, parsed, bases=BASES, as_of=None, filters=NO_FILTERS, model=""):
    variables = question_variables(parsed, bases, degraded=False, llm_model=model)
    inputs = PlanInputs(parsed, variables, tuple(bases), point_of_view(parsed, as_of, TODAY), filters)
    return PLANNER.first_round(policy, inputs)


def seed_question(text="Compare A320 and B737 engine reliability", **fields):
    entities = tuple(mention(e) for e in ("A320", "B737", "CFM56", "LEAP-1A"))
    return parse(text, Action.COMPARE, entities=entities, time=in_year(2023, "from 2023 reports"), **fields)


def test_the_seed_plan():
    tasks = plan(SEED, seed_question()).tasks
    assert [(t.knowledge_base, t.search, t.query, t.priority, t.weight) for t in tasks] == [
        ("regulations", SearchKind.KEYWORD, "Compare A320 and B737 engine reliability", 1, 0.45),
        ("manuals", SearchKind.DENSE, "Compare A320 and B737 engine reliability", 2, 0.60),
        ("manuals", SearchKind.DENSE, "A320", 3, 0.40),
        ("manuals", SearchKind.DENSE, "B737", 3, 0.40),
        ("manuals", SearchKind.DENSE, "CFM56", 3, 0.40),
    ]


def test_without_a_year_the_weight_is_not_raised():
    tasks = plan(SEED, parse("engine reliability")).tasks
    assert [(t.knowledge_base, t.weight) for t in tasks] == [("regulations", 0.30), ("manuals", 0.60)]


def test_every_decision_is_told_with_its_condition():
    decisions = {d.rule_id: d.matched for d in plan(SEED, seed_question()).decisions}
    assert decisions["route:regulations.boosts[0]"] is True
    assert decisions["route:faq"] is False
    assert decisions["override:interactions"] is False


@pytest.mark.parametrize("text", ["drug interaction with food", "药物与食物的相互作用"])
def test_an_override_forces_keyword_search(text):
    assert {t.search for t in plan(SEED, parse(text)).tasks} == {SearchKind.KEYWORD}


def test_a_policy_edit_changes_the_plan_without_code():
    edited = parse_policy(SEED_TEXT.replace("'interaction'", "'reliability'"))
    assert {t.search for t in plan(edited, seed_question()).tasks} == {SearchKind.KEYWORD}


def test_a_route_for_a_knowledge_base_that_is_not_asked_is_left_out():
    assert {t.knowledge_base for t in plan(SEED, seed_question(), bases=("manuals",)).tasks} == {"manuals"}


def test_the_same_search_is_made_once():
    parsed = parse("A320", entities=(mention("A320"), mention("A320")))
    queries = [(t.knowledge_base, t.query) for t in plan(SEED, parsed).tasks]
    assert len(queries) == len(set(queries))


def test_the_most_important_tasks_survive_the_limit():
    parsed = parse(
        "q",
        Action.COMPARE,
        sides=(mention("A320"), mention("B737")),
        parts=(Part("one?", Span(0, 0), Action.LOOKUP, RULE), Part("two?", Span(0, 0), Action.LOOKUP, RULE)),
        rewrites=(Rewrite("formal", "colloquial", RULE),),
    )
    tasks = plan(POLICY, parsed, bases=[f"kb{i}" for i in range(9)]).tasks
    assert len(tasks) == POLICY.limits.max_tasks // 9 * 9
    assert [t.route_id for t in tasks[:9]] == ["question"] * 9


def test_a_dependent_task_runs_in_a_stage_of_its_own():
    parsed = parse("Which requirement replaces 2.1.1?", codes=(mention("2.1.1", "clause"),))
    stages = plan(POLICY, parsed, bases=("asvs",)).stages()
    assert [{t.route_id for t in stage} for stage in stages] == [
        {"question", "chinese_evidence", "each_code"},
        {"successor"},
    ]
    assert stages[0][0].filters.include_superseded
    assert not stages[1][0].filters.include_superseded


@pytest.mark.parametrize(
    ("time", "as_of", "expected"),
    [
        (None, None, PointOfView(None, True)),
        (None, date(2014, 6, 1), PointOfView(date(2014, 6, 1), True)),
        (in_year(2014), None, PointOfView(date(2014, 12, 31), False)),
        (in_year(2014), date(2018, 6, 1), PointOfView(date(2018, 6, 1), True)),
        (in_year(2026), None, PointOfView(None, True)),
    ],
)
def test_the_point_of_view(time, as_of, expected):
    assert point_of_view(parse("q", time=time), as_of, TODAY) == expected


def test_an_as_of_phrase_in_the_question_filters_strictly():
    time = in_year(2014)
    as_of = type(time)(TimeRelation.AS_OF, DayInterval(None, date(2014, 3, 31)), "as of March 2014", Span(0, 0), RULE)
    task = plan(SEED, parse("q", time=as_of)).tasks[0]
    assert (task.filters.in_force_on, task.filters.include_superseded) == (date(2014, 3, 31), False)


def test_a_past_period_searches_every_edition():
    task = plan(SEED, parse("q", time=in_year(2014))).tasks[0]
    assert (task.filters.in_force_on, task.filters.include_superseded) == (None, True)


def test_the_callers_filters_reach_every_task():
    tasks = plan(SEED, seed_question(), filters=SearchFilters(min_authority=4)).tasks
    assert {t.filters.min_authority for t in tasks} == {4}


@pytest.mark.parametrize(
    ("model", "strategy"), [("", "extractive"), ("smollm2-135m", "per_evidence"), ("qwen3-32b", "whole")]
)
def test_the_strategy_follows_the_model(model, strategy):
    assert plan(POLICY, parse("q"), model=model).generation_strategy == strategy


def test_labels_of_rule_packs_can_be_used_in_conditions():
    policy = parse_policy(SEED_TEXT.replace("action == 'how_to'", "has(labels.urgency) && labels.urgency == 'high'"))
    urgent = parse("q", labels=(Label("urgency", "high", RULE),))
    assert "faq" in {t.knowledge_base for t in plan(policy, urgent).tasks}
    assert "faq" not in {t.knowledge_base for t in plan(policy, parse("q")).tasks}


def test_a_question_also_searches_the_other_languages_passages():
    chinese = parse("年假有几天?")
    chinese = type(chinese)(chinese.question, "zh", chinese.actions, TODAY, "r1")
    found = {(t.route_id, t.filters.languages) for t in plan(POLICY, chinese, bases=("kb",)).tasks}
    assert found == {("question", ()), ("english_evidence", ("en",))}
    inputs = PlanInputs(
        chinese,
        question_variables(chinese, ("kb",), degraded=False, llm_model=""),
        ("kb",),
        PointOfView(None, True),
        translation="annual leave",
    )
    tasks = PLANNER.first_round(POLICY, inputs).tasks
    assert [(t.query, t.search) for t in tasks if t.route_id == "english_keywords"] == [
        ("annual leave", SearchKind.KEYWORD)
    ]


def test_what_a_plan_asks_keeps_the_contract_of_retrieval():
    parsed = parse("设备" * 2000, language="zh", codes=(mention("E4027"),))
    variables = question_variables(parsed, (), degraded=False, llm_model="")
    bases = ("k" * 64, "l" * 64)
    words = " ".join(f"word{n}" for n in range(1000))
    shipped = parse_policy((Path(__file__).parents[3] / "config" / "policy.yaml").read_text(encoding="utf-8"))
    inputs = PlanInputs(parsed, variables, bases, point_of_view(parsed, None, TODAY), translation=words)
    first = PLANNER.first_round(shipped, inputs)
    again = PLANNER.next_round(shipped, inputs, [words], 2, first)
    assert {t.route_id for t in first.tasks} >= {"english_keywords", "english_evidence"}
    for made in (first, again):
        assert not violations(SearchRequest(tasks=[to_proto_task(t) for t in made.tasks]))
    assert words.startswith(again.tasks[0].query + " ")


def test_a_search_is_made_in_all_knowledge_bases_or_in_none():
    parsed = parse(
        "q", parts=(Part("one?", Span(0, 0), Action.LOOKUP, RULE), Part("two?", Span(0, 0), Action.LOOKUP, RULE))
    )
    bases = [f"kb{i}" for i in range(7)]
    made: dict[str, set[str]] = {}
    for task in plan(POLICY, parsed, bases=bases).tasks:
        made.setdefault(task.group, set()).add(task.knowledge_base)
    assert all(searched == set(bases) for searched in made.values())
    assert any("two?" in group for group in made)
