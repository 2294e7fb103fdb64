"""A start that reads what an earlier one has kept gives what the earlier one gave."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from services.common.kept import KeptResults
from services.perception.adapters import chinese_dictionary
from services.perception.adapters.checked_patterns import PatternChecks
from services.perception.adapters.chinese_dictionary import ChineseDictionary, load_dictionary
from services.perception.adapters.rule_packs import load_layers
from services.perception.domain import pattern_safety


@pytest.fixture(scope="module")
def kept_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept")


@pytest.fixture(scope="module")
def first(kept_in: Path) -> ChineseDictionary:
    return load_dictionary(KeptResults(kept_in))


@pytest.fixture
def unread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever reads the packages' dictionaries fails."""

    def refuse(*_: object) -> None:
        raise AssertionError("computed anew")

    monkeypatch.setattr(chinese_dictionary, "_words", refuse)


def test_the_dictionary_as_kept_is_the_dictionary(first: ChineseDictionary, kept_in: Path, unread: None) -> None:
    again = load_dictionary(KeptResults(kept_in))
    assert vars(again.shapes) == vars(first.shapes)
    assert again.words.total == first.words.total
    characters = "董明珠霍尼韦尔中华人民共和国发动机合肥维修手册上海市第一医院的在是和了"
    choose = random.Random(7)
    for _ in range(5_000):
        word = "".join(choose.choices(characters, k=choose.randint(1, 6)))
        assert again.words.find(word) == first.words.find(word)
        assert again.shapes.foreign(word) == first.shapes.foreign(word)
    for name in ("董明珠", "欧阳修", "霍尼韦尔"):
        assert again.shapes.person(name) == first.shapes.person(name)


def test_a_changed_source_is_read_anew(
    first: ChineseDictionary, kept_in: Path, unread: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chinese_dictionary.cedict, "text", lambda: None)
    with pytest.raises(AssertionError, match="computed anew"):
        load_dictionary(KeptResults(kept_in))


def test_patterns_as_kept_need_what_they_needed(packs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checks = PatternChecks(KeptResults(tmp_path))
    rules = load_layers([packs / "any"], checks).rules
    checks.keep()
    monkeypatch.setattr(pattern_safety, "paths", lambda *_: pytest.fail("computed anew"))
    again = load_layers([packs / "any"], PatternChecks(KeptResults(tmp_path))).rules
    assert [(rule.id, rule.needs, rule.requires_needs) for rule in again] == [
        (rule.id, rule.needs, rule.requires_needs) for rule in rules
    ]
    assert any(rule.needs for rule in rules)


def test_a_pattern_that_is_not_kept_is_checked(tmp_path: Path) -> None:
    checks = PatternChecks(KeptResults(tmp_path))
    checks.check("first", {}, case=False)
    checks.keep()
    later = PatternChecks(KeptResults(tmp_path))
    with pytest.raises(ValueError, match="repeat"):
        later.check("(a+)+", {}, case=False)
