from __future__ import annotations

from pathlib import Path

import pytest

from services.perception.adapters.rule_packs import RulePackError, layer_folders, load_layers

RULE = """
pack: mine
language: en
lexicon:
  verb: [frobnicate, tweak]
rules:
- id: mine.action.frobnicate
  about: Told to frobnicate.
  sets: action
  value: how_to
  pattern: '\\b{verb}\\b'
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def refused(*layers: Path) -> tuple[str, ...]:
    with pytest.raises(RulePackError) as error:
        load_layers(layers)
    return error.value.problems


def test_a_pack_is_compiled_with_its_word_lists(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml", RULE)
    (rule,) = load_layers([tmp_path]).rules
    assert rule.patterns[0].search("please Tweak it")
    assert rule.line == 7
    assert rule.file == f"{tmp_path.name}/a.yaml"


@pytest.mark.parametrize(
    ("change", "line", "said"),
    [
        (("value: how_to", "value: dance"), 10, "one of compare"),
        (("{verb}", "{noun}"), 11, "no word list 'noun'"),
        (("{verb}", "(a+)+"), 11, "inside another repeat"),
        (("{verb}", "("), 11, "not a regular expression"),
        (("{verb}", "(?<=a|bc)d"), 11, "look-behind requires fixed-width"),
        (("  sets: action", "  sets: weather"), 9, "sets"),
        (("  about: Told", "  abuot: Told"), 8, "abuot"),
        (("pack: mine", "pack: mine\npack: again"), 3, "twice"),
        (("language: en", "language: [en"), 4, "not valid YAML"),
        (("  about: Told", "  note: &a [x, x]\n  more: [*a, *a]\n  about: Told"), 8, "aliases (*name) are not read"),
    ],
)
def test_errors_name_file_and_line(tmp_path: Path, change: tuple[str, str], line: int, said: str) -> None:
    write(tmp_path, "a.yaml", RULE.replace(*change))
    problems = refused(tmp_path)
    assert any(p.startswith(f"{tmp_path.name}/a.yaml:{line}: ") and said in p for p in problems), problems


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml", RULE.replace("how_to", "dance").replace("{verb}", "("))
    assert len(refused(tmp_path)) == 2


def test_a_rule_id_may_stand_once_in_a_layer(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml", RULE)
    write(tmp_path, "b.yaml", RULE)
    (problem,) = refused(tmp_path)
    assert "b.yaml:7" in problem
    assert "a.yaml:7" in problem


def test_yes_no_on_and_off_are_words(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml", RULE.replace("tweak", "on, off, yes, no"))
    (rule,) = load_layers([tmp_path]).rules
    assert rule.patterns[0].search("turn off")


def test_later_layers_replace_rules_add_words_and_disable(tmp_path: Path) -> None:
    root = tmp_path / "perception"
    write(root, "en/a.yaml", RULE + RULE.partition("rules:")[2].replace("mine.action", "mine.other"))
    write(root, "domains/aviation/a.yaml", RULE.replace("how_to", "list").replace("tweak", "trim"))
    write(root, "tenants/acme/a.yaml", "pack: acme\nlanguage: en\ndisable: [mine.other.frobnicate]\n")
    base = load_layers(layer_folders(root))
    assert [(r.id, r.value) for r in base.rules] == [
        ("mine.action.frobnicate", "how_to"),
        ("mine.other.frobnicate", "how_to"),
    ]
    top = load_layers(layer_folders(root, ("aviation",), "acme"))
    assert [(r.id, r.value) for r in top.rules] == [("mine.action.frobnicate", "list")]
    assert top.rules[0].patterns[0].search("trim and tweak")
    assert top.version != base.version


def test_equal_content_has_equal_version(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(tmp_path / name / "perception", "a.yaml", RULE)
    versions = {load_layers([tmp_path / name / "perception"]).version for name in ("one", "two")}
    assert len(versions) == 1


def test_an_unknown_rule_cannot_be_disabled(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml", RULE + "disable: [no.such.rule]\n")
    assert "no.such.rule" in refused(tmp_path)[0]


def test_an_empty_folder_is_told(tmp_path: Path) -> None:
    assert "no rule packs" in refused(tmp_path)[0]


def test_a_pattern_is_compiled_when_it_is_needed(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml", RULE)
    (rule,) = load_layers([tmp_path]).rules
    first = rule.patterns[0].compiled()
    assert rule.patterns[0].compiled() is first
    assert (first.pattern, first.flags & 2) == (rule.patterns[0].source, 2)


def test_what_only_the_compiler_sees_is_refused_when_the_pack_is_loaded(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml", RULE.replace("\\b{verb}", "(?<=an? )(?:(?<!x)){verb}"))
    (problem,) = refused(tmp_path)
    assert problem.endswith("pattern: not a regular expression: look-behind requires fixed-width pattern")
    assert ":11:" in problem
