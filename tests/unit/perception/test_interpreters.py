from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path

import pytest
from prometheus_client import REGISTRY

from services.perception.adapters.gazetteer import GazetteerError, names_of_titles, read_gazetteer
from services.perception.bootstrap import Models
from services.perception.interpreters import Interpreters, PackSources

DAY = date(2025, 3, 14)
VERB = """
pack: mine
language: en
rules:
- id: mine.action.degrease
  about: Asks how parts are degreased, in the shop's own words.
  sets: action
  value: how_to
  score: 0.99
  pattern: '\\bdegreasing drill\\b'
"""


@pytest.fixture
def root(packs: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(packs, tmp_path / "perception"))


@pytest.fixture
def interpreters(root: Path, models: Models) -> Interpreters:
    loaded = Interpreters(PackSources(root), models)
    loaded.load()
    return loaded


def action(interpreters: Interpreters, tenant: str = "") -> str:
    return interpreters.of(tenant).parse("Is the degreasing drill in force?", DAY).action.value


def refused() -> float | None:
    """What an alert sees."""
    return REGISTRY.get_sample_value("trirag_config_refused", {"name": "perception rules"})


def test_a_new_rule_is_live_after_a_reload_and_gone_after_a_rollback(interpreters: Interpreters, root: Path) -> None:
    before = interpreters.of().version
    assert action(interpreters) == "verify"
    (root / "mine.yaml").write_text(VERB, encoding="utf-8")
    assert interpreters.reload()
    assert action(interpreters) == "how_to"
    assert interpreters.of().version != before
    (root / "mine.yaml").unlink()
    assert interpreters.reload()
    assert interpreters.of().version == before


def test_a_bad_pack_is_refused_and_the_old_rules_stay(interpreters: Interpreters, root: Path) -> None:
    before = interpreters.of()
    (root / "mine.yaml").write_text(VERB.replace("how_to", "dance"), encoding="utf-8")
    assert not interpreters.reload()
    assert interpreters.of() is before
    assert "mine.yaml:8" in interpreters.problem
    assert refused() == 1
    (root / "mine.yaml").write_text(VERB, encoding="utf-8")
    assert interpreters.reload()
    assert interpreters.problem == ""
    assert refused() == 0


def test_a_token_pattern_that_spacy_refuses_is_refused(interpreters: Interpreters, root: Path) -> None:
    bad = VERB.replace("  pattern: '\\bdegreasing drill\\b'", "  tokens: [[{TAG: {WITHIN: [NN]}}]]")
    (root / "mine.yaml").write_text(bad, encoding="utf-8")
    assert not interpreters.reload()
    assert "mine.action.degrease" in interpreters.problem


def test_a_reload_without_change_swaps_nothing(interpreters: Interpreters) -> None:
    before = interpreters.of()
    assert not interpreters.reload()
    assert interpreters.of() is before


def test_a_tenant_sees_its_own_rules_and_others_do_not(interpreters: Interpreters, root: Path) -> None:
    (root / "tenants" / "acme").mkdir(parents=True)
    (root / "tenants" / "acme" / "mine.yaml").write_text(VERB, encoding="utf-8")
    assert interpreters.reload() or interpreters.of("acme") is not interpreters.of("")
    assert action(interpreters, "acme") == "how_to"
    assert action(interpreters, "other") == "verify"
    assert action(interpreters) == "verify"


def test_names_from_a_gazetteer_file(root: Path, models: Models, tmp_path: Path) -> None:
    file = tmp_path / "names.txt"
    file.write_text(
        '# ours\nblue falcon\n{"name": "蓝鹰计划", "type": "project", "aliases": ["BF-计划"]}\n', encoding="utf-8"
    )
    loaded = Interpreters(PackSources(root, gazetteer=file), models)
    loaded.load()
    parsed = loaded.of().parse("who owns blue falcon", DAY)
    assert [(m.text, m.origin.file, m.origin.line) for m in parsed.entities] == [("blue falcon", "names.txt", 2)]
    parsed = loaded.of().parse("蓝鹰计划由谁负责？", DAY)
    assert [(m.text, m.type) for m in parsed.entities] == [("蓝鹰计划", "project")]
    file.write_text("{broken\n", encoding="utf-8")
    assert not loaded.reload()
    assert "names.txt:1" in loaded.problem


def test_titles_of_documents_become_names(interpreters: Interpreters) -> None:
    before = interpreters.of().version
    titles = names_of_titles([("hr", "travel and expense rules.md"), ("hr", "Notes"), ("hr", "差旅费管理办法")])
    assert [n.name for n in titles] == ["travel and expense rules", "差旅费管理办法"]
    assert interpreters.set_titles(titles)
    parsed = interpreters.of().parse("what do the travel and expense rules say about taxis", DAY)
    assert [m.text for m in parsed.entities] == ["travel and expense rules"]
    assert parsed.rules_version != before
    assert not interpreters.set_titles(titles)


def test_a_gazetteer_line_must_be_a_name(tmp_path: Path) -> None:
    file = tmp_path / "names.txt"
    file.write_text('{"alias": "x"}', encoding="utf-8")
    with pytest.raises(GazetteerError, match=r"names\.txt:1"):
        read_gazetteer(file)


@pytest.mark.parametrize(
    ("title", "short"),
    [
        ("Travel and Expense Rules (2024)", {"Travel and Expense Rules"}),
        ("Spindle manual, Rev. C", {"Spindle manual"}),
        ("General Data Protection Regulation (GDPR)", {"GDPR", "General Data Protection Regulation"}),
        ("员工手册（2024年修订）", {"员工手册"}),
        ("中华人民共和国数据安全法", {"数据安全法"}),
        ("差旅费管理办法_修订", {"差旅费管理办法"}),
        ("Handbook 2024", set()),
        ("Notes (draft)", set()),
    ],
)
def test_a_title_brings_its_short_names(title: str, short: set[str]) -> None:
    names = names_of_titles([("hr", title)])
    assert {n.name for n in names} - {title} == short
    assert {n.canonical for n in names} == {title}
