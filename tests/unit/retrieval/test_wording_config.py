"""config/wording.yaml: what is wrong with it is told in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.common.errors import FailedPrecondition
from services.retrieval.adapters.wording_config import load_wording


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("groups: {pay: {en: [pay]}, settle: {en: [Pay]}}", "'Pay' is in the groups 'pay' and 'settle'"),
        ("groups: {pay: {en: ['']}}", "group 'pay' has an empty phrase"),
        ("groups: {pay-now: {en: [pay]}}", "a name has Latin letters only"),
        ("groups: {pay: {fr: [payer]}}", "groups.pay.fr"),
        (
            "groups:\n  pay: {en: [pay]}\n  pay: {zh: [付款]}",
            "yaml:3: not valid YAML: the key 'pay' stands twice",
        ),
        ("groups: [", "wording.yaml:1: not valid YAML"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "wording.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(FailedPrecondition) as refused:
        load_wording(path)
    assert told in refused.value.message
    assert refused.value.reason == "BAD_WORDING_CONFIG"


def test_a_missing_file_names_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(FailedPrecondition, match="TRIRAG_CONFIG_DIR"):
        load_wording(tmp_path / "wording.yaml")


def test_a_group_of_ones_own_joins_its_words(tmp_path: Path) -> None:
    path = tmp_path / "wording.yaml"
    path.write_text("groups: {berth: {en: [berth, mooring place], zh: [泊位]}}", "utf-8")
    wording = load_wording(path)
    assert wording.one("mooring places").split() == wording.one("泊位").split() == ["berth"]
