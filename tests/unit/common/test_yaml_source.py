"""The one reader of YAML: lines, words, and texts that are no YAML or stand for more than they should."""

from __future__ import annotations

import pytest

from services.common.yaml_source import YamlError, line_of, parse_yaml


def bomb(levels: int) -> str:
    """Ten times as many values with every line."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, levels)]
    return "\n".join(lines)


def test_values_come_with_the_lines_of_their_paths() -> None:
    values, lines = parse_yaml("routes:\n  - name: a\n    when: x\n  - name: b\n")
    assert values == {"routes": [{"name": "a", "when": "x"}, {"name": "b"}]}
    assert [line_of(lines, path) for path in [("routes", 0, "when"), ("routes", 1), ("routes", 1, "when")]] == [3, 4, 4]


def test_only_true_and_false_are_no_words() -> None:
    text = "on: off\nlanguage: no\nyes: [true, false, True]\nn: 3\nday: 2024-05-01"
    values, _ = parse_yaml(text)
    assert values["on"] == "off"
    assert values["language"] == "no"
    assert values["yes"] == [True, False, "True"]
    assert (values["n"], str(values["day"])) == (3, "2024-05-01")


def test_an_empty_text_has_no_value() -> None:
    assert parse_yaml("# nothing\n") == (None, {})


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("a: 1\nb: [", 2, "while parsing a flow node, did not find expected node content"),
        ("a: 1\nb: 2\na: 3", 3, "the key 'a' stands twice"),
        ("s:\n  1: a\n  '1': b", 3, "the key '1' stands twice"),
        ("a: 1\nday: 2024-13-45", 2, "'2024-13-45' cannot be read (month must be in 1..12); if it is text, put it in"),
        ("a:\n  - [x, {n: !!int x}]", 2, "'x' cannot be read"),
        ("a: !!timestamp x", 1, "'x' cannot be read"),
        ("a: " + "1" * 6000, 1, "cannot be read"),
        ("? [a]\n: b", 1, "unhashable"),
        ("a: !!python/object:os.system x", 1, "could not determine a constructor"),
        ("a: 1\n---\nb: 1", 2, "found another document"),
        ("[" * 5000, 1, "maximum nesting depth"),
        ("a: 1\nb: " + "[" * 500 + "]" * 500, 2, "more than 64 lists and mappings stand in one another"),
        ("a: 1\nb: &b [*b]", 2, "more than 64 lists and mappings stand in one another"),
        ("a: \x00", 0, "control characters are not allowed"),
        ("a: \ud800", 0, "half a character"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(text: str, line: int, said: str) -> None:
    with pytest.raises(YamlError) as refused:
        parse_yaml(text)
    assert said in str(refused.value)
    assert refused.value.line == line


def test_a_value_may_be_named_again() -> None:
    values, _ = parse_yaml("- {match: a, set: {groups: &g [hr, law]}}\n- {match: b, set: {groups: *g}}\n- <<: {x: 1}")
    assert values[1]["set"]["groups"] == ["hr", "law"]
    assert values[2] == {"x": 1}


@pytest.mark.parametrize(
    "text",
    [
        bomb(40),
        f"a: &a [{'x, ' * 500}x]\n" + "".join(f"a{i}: *a\n" for i in range(1000)),
        f"a: &a {'x' * 2000}\nb: [{', '.join(['*a'] * 500)}]",
    ],
    ids=["of aliases", "many", "of a long text"],
)
def test_aliases_that_stand_for_too_much_are_refused(text: str) -> None:
    with pytest.raises(YamlError, match=r"aliases \(\*name\) repeat more than \d+,\d+ characters: write it out"):
        parse_yaml(text)


def test_a_reader_may_refuse_every_alias() -> None:
    with pytest.raises(YamlError, match=r"aliases \(\*name\) are not read"):
        parse_yaml("a: &a x\nb: *a", aliases=False)
