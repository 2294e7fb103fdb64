from __future__ import annotations

import pytest

from services.perception.domain import pattern_safety
from services.perception.domain.pipeline import Interpreter


def test_every_pattern_of_every_rule_has_a_bound(interpreter: Interpreter) -> None:
    """The guard against catastrophic backtracking, on what is in force."""
    checked = 0
    for rule in interpreter.rules.rules:
        for pattern in (*rule.patterns, *filter(None, (rule.unless, rule.requires))):
            assert pattern_safety.check(pattern.source, pattern.flags) is None, rule.id
            checked += 1
    assert checked > 500


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a+)+b",
        r"(a|a)*b",
        r"(?:\w+ ?)+x",
        r"a.*b.*c.*d",
        r"(.{0,90}){3}",
        r"(?:a?){40}a{40}",
        r"(x+x+)+y",
        r"\t*\t*\t*\t*\t*x",
    ],
)
def test_patterns_that_can_explode_are_refused(pattern: str) -> None:
    assert pattern_safety.check(pattern)


@pytest.mark.parametrize(
    "pattern",
    [r"\bhow (?:many|much)\b", r"[a-z]+ [a-z]+ [a-z]+", r"compare .{1,60} with .{1,60}", r"(?:[A-Z]\w++ ?+){1,6}x"],
)
def test_harmless_patterns_pass(pattern: str) -> None:
    assert pattern_safety.check(pattern) is None


def test_disjoint_neighbours_leave_one_way() -> None:
    assert pattern_safety.paths(r"\d+-\d+-\d+x") < 10
    assert pattern_safety.paths(r"\d+\d+\d+x") > 10_000
