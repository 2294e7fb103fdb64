"""The work of a parse is bounded by counts that no text can get around; no clock is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from services.common.domain.question import ParsedQuestion
from services.perception.adapters.analyser import TAGGED_CHARACTERS, TextAnalyser
from services.perception.adapters.rule_packs import RulePackError, load_layers
from services.perception.domain import token_safety
from services.perception.domain.pipeline import Interpreter

ONE_RULE = """
pack: mine
language: en
rules:
- id: mine.entity.run
  about: Names in a row.
  sets: entity
  value: name
  tokens:
    - [{TAG: NNP, OP: 'HOW'}]
"""
HOSTILE = ["Q1 " * 1333, "compare A and B, " * 235, "a " * 2000, "(" * 4000, "A1-" * 1333, "北京大学" * 1000]


def test_every_token_pattern_in_force_has_a_bound(interpreter: Interpreter) -> None:
    patterns = [tokens for rule in interpreter.rules.rules for tokens in rule.tokens]
    assert len(patterns) > 4
    assert all(token_safety.check(tokens) is None for tokens in patterns)


@pytest.mark.parametrize("how", ["+", "*", "{2,}", "{1,400}"])
def test_a_pack_with_an_unbounded_token_repeat_is_refused(tmp_path: Path, how: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(ONE_RULE.replace("HOW", how), encoding="utf-8")
    with pytest.raises(RulePackError, match=r"a\.yaml:10: rule mine\.entity\.run: tokens: "):
        load_layers([path])


@pytest.mark.parametrize(
    ("ops", "count"), [(("1", "!"), 1), (("?", "{0,6}"), 14), (("{3}",), 1), (("{1,8}", "{1,8}"), 64)]
)
def test_stretches_multiply(ops: tuple[str, ...], count: int) -> None:
    assert token_safety.stretches([{"OP": op} for op in ops]) == count


class _Counting:
    """Stands before the English tagger and adds up the characters it is given."""

    def __init__(self, tagger: object) -> None:
        self._tagger = tagger
        self.characters = 0

    def tag(self, text: str, offset: int = 0) -> object:
        self.characters += len(text)
        return self._tagger.tag(text, offset)  # type: ignore[attr-defined]


@pytest.mark.parametrize("text", [*HOSTILE, "word " * 790 + "what is the fee?"])
def test_the_model_reads_no_more_than_two_stretches(interpreter: Interpreter, text: str) -> None:
    analyser = interpreter.analyser
    assert isinstance(analyser, TextAnalyser)
    counting = _Counting(analyser._english)
    real = analyser._english
    analyser._english = counting  # type: ignore[assignment]
    try:
        interpreter.prepare(text[:4000])
    finally:
        analyser._english = real
    assert counting.characters <= 3 * TAGGED_CHARACTERS


def test_a_question_after_a_long_paste_is_still_read(parse: Callable[..., ParsedQuestion]) -> None:
    parsed = parse("The unit reported nothing of note. " * 100 + "How many Airbus A350-900 are in Hamburg?")
    assert "Hamburg" in [mention.text for mention in parsed.entities]
    assert [mention.text for mention in parsed.codes] == ["A350-900"]
