"""The policy file: what is refused, how it is told, and what stays in force."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from prometheus_client import REGISTRY

from services.common.errors import FailedPrecondition
from services.orchestrator.adapters.cel import ConditionError, check_condition, evaluate_condition
from services.orchestrator.adapters.policy_file import InvalidFileError, WatchedFile, parse_messages, parse_policy
from tests.unit.orchestrator.builders import CONFIG

TEXT = (CONFIG / "policy.yaml").read_text(encoding="utf-8")
SEED = (Path(__file__).parent / "seed_policy.yaml").read_text(encoding="utf-8")


def problems(text):
    with pytest.raises(InvalidFileError) as caught:
        parse_policy(text)
    return [(p.field, p.line, p.message) for p in caught.value.problems]


def test_the_shipped_policy_is_valid_and_versioned_by_content():
    assert parse_policy(TEXT).version == parse_policy(TEXT).version != parse_policy(TEXT + "\n# x").version


@pytest.mark.parametrize(
    ("old", "new", "field", "says"),
    [
        ("search: keyword", "search: fuzzy", "routes[0].search", "dense"),
        ("weight: 0.30", "weight: 3", "routes[0].weight", "less than or equal to 1"),
        ("when: time.names_year", "when: time.names_", "routes[0].boosts[0].when", "names_"),
        ("when: time.names_year", "when: tme.names_year", "routes[0].boosts[0].when", "unknown name tme"),
        ("when: time.names_year", "when: time.names_year &&", "routes[0].boosts[0].when", "does not compile"),
        ("when: time.names_year", "when: question", "routes[0].boosts[0].when", "not true or false"),
        ("limit: 3", "limitt: 3", "routes[2].limitt", "not permitted"),
        ("then: answer", "then: maybe", "sufficiency[0].then", "answer"),
        ("use: extractive", "use: poetry", "generation.strategies[0].use", "extractive"),
        ("limit: 3", "template: '{item:>300000000}'", "routes[2].template", "may use {item}"),
        ("limit: 3", "template: '{item.real}'", "routes[2].template", "may use {item}"),
        ("limit: 3", "template: '{item[a]}'", "routes[2].template", "may use {item}"),
        ("limit: 3", "template: '{item!r}'", "routes[2].template", "may use {item}"),
        ("limit: 3", "template: '{item'", "routes[2].template", "may use {item}"),
    ],
)
def test_a_fault_names_field_line_and_remedy(old, new, field, says):
    assert old in SEED
    text = SEED.replace(old, new, 1)
    (found,) = problems(text)
    assert found[0] == field
    assert new.split(":")[0] in text.splitlines()[found[1] - 1] or new in text.splitlines()[found[1] - 1]
    assert says in found[2]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("  - id: faq\n", "  - id: manuals\n", "route 'manuals' stands twice"),
        (
            "sufficiency:\n",
            "sufficiency:\n  - {id: always, when: 'false', then: refuse}\n",
            "rule 'always' stands twice",
        ),
    ],
)
def test_a_name_that_stands_twice_is_refused(old, new, says):
    assert old in SEED
    ((_, _, told),) = problems(SEED.replace(old, new, 1))
    assert says in told


def test_every_fault_is_named_at_once():
    assert len(problems(SEED.replace("weight: 0.30", "weight: 3").replace("weight: 0.60", "weight: x"))) == 2


def test_what_is_no_yaml_or_twice_is_told_with_its_line():
    assert problems("routes: [\n")[0][2].startswith("not YAML")
    assert problems(SEED + "routes: []\n")[0][2] == "not YAML: the key 'routes' stands twice"
    assert problems(SEED + "day: 2024-13-45\n")[0][1:] == (
        len(SEED.splitlines()) + 1,
        "not YAML: '2024-13-45' cannot be read (month must be in 1..12); if it is text, put it in quotes",
    )


def test_aliases_of_aliases_do_not_hold_the_service_that_checks_a_draft():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 40)]
    ((field, line, says),) = problems("\n".join(lines))
    assert (field, line) == ("", 1)
    assert re.search("repeat more than 1..,... characters", says)


def test_a_dependency_on_a_later_route_is_refused():
    text = SEED.replace("query: each_entity", "query: best_passage\n    depends_on: faq")
    assert "no earlier route" in problems(text)[0][2]


def test_a_good_edit_takes_effect_and_a_bad_one_keeps_the_old(tmp_path):
    path = tmp_path / "policy.yaml"
    path.write_text(SEED, encoding="utf-8")
    watched = WatchedFile(path, parse_policy)
    first = watched.value.version
    path.write_text(SEED.replace("weight: 0.60", "weight: 6"), encoding="utf-8")
    assert not watched.reload()
    assert (watched.value.version, watched.text) == (first, SEED)
    assert "routes[1].weight" in watched.pending_error
    path.write_text(SEED + "day: 2024-13-45\n", encoding="utf-8")
    assert not watched.reload()
    assert "2024-13-45" in watched.pending_error
    path.write_text(SEED.replace("weight: 0.60", "weight: 0.50"), encoding="utf-8")
    assert watched.reload()
    assert watched.value.routes[1].weight == 0.5
    assert watched.pending_error == ""


async def test_a_change_before_the_watch_begins_is_not_missed(tmp_path):
    path = tmp_path / "policy.yaml"
    path.write_text(SEED, encoding="utf-8")
    watched = WatchedFile(path, parse_policy)
    path.write_text(SEED.replace("weight: 0.60", "weight: 0.50"), encoding="utf-8")
    watching = asyncio.create_task(watched.watch())
    await asyncio.sleep(0)
    watching.cancel()
    assert watched.value.routes[1].weight == 0.5


def test_a_bad_file_at_start_up_refuses_to_serve(tmp_path):
    path = tmp_path / "policy.yaml"
    path.write_text("routes: 1", encoding="utf-8")
    with pytest.raises(FailedPrecondition, match=r"policy\.yaml"):
        WatchedFile(path, parse_policy)


def test_macros_bind_their_own_names():
    check_condition("entities.exists(e, e == 'A320')")
    assert evaluate_condition("entities.exists(e, e == 'A320')", {"entities": ["A320"]})


def test_a_condition_must_be_true_or_false():
    with pytest.raises(ConditionError, match="not true or false"):
        evaluate_condition("1 + 1", {})


def test_messages_are_held_against_their_placeholders():
    text = (CONFIG / "messages.yaml").read_text(encoding="utf-8")
    assert parse_messages(text).languages == {"en", "zh"}
    with pytest.raises(InvalidFileError, match="unknown placeholder titel"):
        parse_messages(text.replace("{titles}", "{titel}", 1))
    with pytest.raises(InvalidFileError, match=r"en\.refusal: is missing"):
        parse_messages(text.replace("    refusal: ", "    refusall: ", 1))


def test_chinese_messages_are_punctuated_as_chinese_is():
    chinese = (CONFIG / "messages.yaml").read_text(encoding="utf-8").partition("\n  zh:\n")[2]
    texts = [line.partition(": ")[2] for line in chinese.splitlines()]
    assert len(texts) > 20
    assert [text for text in texts if re.search(r"[,:;?()]", text)] == []


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("{titles}.", "{titles.", r"en\.refusal_found: .*brace"),
        ("{titles}", "{titles:d}", r"en\.refusal_found: "),
        ('"The documents do not answer this question."', "5", r"en\.refusal: must be a text"),
        ("  en:\n", "  fr: none\n  en:\n", "fr: must hold texts"),
        ("default_language: en", "default_langage: zh", "default_langage: is not known"),
    ],
)
def test_whatever_is_wrong_with_a_message_refuses_the_file_and_keeps_the_old_one(tmp_path, old, new, says):
    text = (CONFIG / "messages.yaml").read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "messages.yaml"
    path.write_text(text, encoding="utf-8")
    watched = WatchedFile(path, parse_messages)
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert not watched.reload()
    assert REGISTRY.get_sample_value("trirag_config_refused", {"name": "messages.yaml"}) == 1
    assert re.search(says, watched.pending_error)
    assert watched.text == text
