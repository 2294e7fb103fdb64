"""Reads rule packs: YAML files in layers (base, domain, tenant), checked, compiled, one immutable result."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from services.common.domain.question import Action, Origin, OriginKind
from services.common.domain.time import TimeRelation
from services.common.yaml_source import YamlError, YamlPath, line_of, parse_yaml
from services.perception.adapters.checked_patterns import CheckedPattern, PatternChecks
from services.perception.adapters.pack_schema import ExampleModel, PackModel, RuleModel
from services.perception.domain import token_safety
from services.perception.domain.rules import Example, KnownName, Rule, RuleIndex, RuleSet, Sets, group_by_kind
from services.perception.domain.time_reading import MARK as TIME_MARK

DOMAINS, TENANTS = "domains", "tenants"
_VALUES: dict[Sets, frozenset[str]] = {
    Sets.ACTION: frozenset(Action),
    Sets.TIME_RELATION: frozenset(TimeRelation),
}


# Of loads that bring none: what one has checked the others need not.
_CHECKS = PatternChecks()


class RulePackError(ValueError):
    """Packs that cannot be used. ``problems`` are lines of the form ``file:line: reason``."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


@dataclass(slots=True)
class _File:
    name: str
    model: PackModel
    lines: dict[YamlPath, int]

    def line(self, *path: str | int) -> int:
        return line_of(self.lines, path)


@dataclass(slots=True)
class _Collected:
    checks: PatternChecks
    rules: dict[str, Rule] = field(default_factory=dict)
    names: list[KnownName] = field(default_factory=list)
    traditional: dict[str, str] = field(default_factory=dict)
    function_words: dict[str, set[str]] = field(default_factory=dict)
    words: list[tuple[str, str]] = field(default_factory=list)
    lexicon: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def layer_folders(root: Path, domains: Sequence[str] = (), tenant: str = "") -> list[Path]:
    """The layers below ``root``: the base packs, then ``domains/NAME`` for each domain, then ``tenants/NAME``.

    A tenant without a folder has no layer of its own.
    """
    own = root / TENANTS / tenant
    return [root, *(root / DOMAINS / name for name in domains), *([own] if tenant and own.is_dir() else [])]


def load_layers(layers: Sequence[Path], checks: PatternChecks = _CHECKS) -> RuleSet:
    """The rules of ``layers``, each a folder (all ``*.yaml`` below it) or one file.

    A rule of a later layer replaces the rule of the same id; words of a lexicon add up. The folders
    ``domains`` and ``tenants`` of a layer are layers of their own and are not read with it. ``checks`` remembers
    patterns that were checked before.

    Raises:
        RulePackError: naming every problem with its file and line.
    """
    digest = hashlib.sha256()
    out = _Collected(checks)
    out.lexicon["any"] = {"time": [TIME_MARK]}
    parsed: list[list[_File]] = []
    for layer in layers:
        parsed.append(_read_layer(layer, digest, out.problems))
    if out.problems:
        raise RulePackError(out.problems)
    for files in parsed:
        for file in files:
            for name, words in file.model.lexicon.items():
                out.lexicon.setdefault(file.model.language, {}).setdefault(name, []).extend(words)
    for files in parsed:
        _collect_layer(files, out)
    if out.problems:
        raise RulePackError(out.problems)
    rules = tuple(out.rules.values())
    return RuleSet(
        version=digest.hexdigest()[:12],
        rules=rules,
        names=tuple(out.names),
        traditional=out.traditional,
        function_words={language: frozenset(words) for language, words in out.function_words.items()},
        words=tuple(out.words),
        by_kind=group_by_kind(rules),
        index=RuleIndex(rules),
    )


def _read_layer(layer: Path, digest: Any, problems: list[str]) -> list[_File]:
    paths = [layer] if layer.is_file() else sorted(p for p in layer.rglob("*.yaml") if _is_own(p, layer))
    if not paths:
        problems.append(f"{layer}:0: no rule packs (*.yaml) here; check the path")
    files = []
    for path in paths:
        name = path.name if layer.is_file() else path.relative_to(_above(layer)).as_posix()
        try:
            raw = path.read_bytes()
            text = raw.decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            problems.append(f"{name}:0: cannot be read as UTF-8: {error}")
            continue
        digest.update(name.encode() + b"\0" + raw + b"\0")
        file = _parse(name, text, problems)
        if file is not None:
            files.append(file)
    return files


def _above(layer: Path) -> Path:
    """What the files of a layer are named from: ``perception/en/time.yaml``, but ``domains/rail/time.yaml``."""
    return layer.parent.parent if layer.parent.name in (DOMAINS, TENANTS) else layer.parent


def _is_own(path: Path, layer: Path) -> bool:
    return path.relative_to(layer).parts[0] not in (DOMAINS, TENANTS)


def _parse(name: str, text: str, problems: list[str]) -> _File | None:
    try:
        data, lines = parse_yaml(text, aliases=False)
    except YamlError as error:
        problems.append(f"{name}:{error.line}: not valid YAML: {error}")
        return None
    try:
        return _File(name, PackModel.model_validate(data), lines)
    except ValidationError as error:
        for item in error.errors():
            loc = tuple(part for part in item["loc"] if not (isinstance(part, str) and part.endswith("Model")))
            where = ".".join(str(part) for part in loc) or "document"
            problems.append(f"{name}:{line_of(lines, loc)}: {where}: {item['msg']}")
        return None


def _collect_layer(files: list[_File], out: _Collected) -> None:
    own: dict[str, str] = {}
    for file in files:
        for index, model in enumerate(file.model.rules):
            place = f"{file.name}:{file.line('rules', index)}"
            if model.id in own:
                out.problems.append(f"{place}: rule {model.id} is defined already at {own[model.id]}")
                continue
            own[model.id] = place
            rule = _compile(file, index, model, out)
            if rule is not None:
                out.rules[model.id] = rule
        _collect_lists(file, out)
    for file in files:
        for index, rule_id in enumerate(file.model.disable):
            if out.rules.pop(rule_id, None) is None:
                out.problems.append(f"{file.name}:{file.line('disable', index)}: no rule {rule_id} to disable")


def _collect_lists(file: _File, out: _Collected) -> None:
    for index, group in enumerate(file.model.names):
        for position, entry in enumerate(group.names):
            name, _, canonical = (part.strip() for part in entry.partition("="))
            line = file.line("names", index, "names", position)
            origin = Origin(OriginKind.GAZETTEER, f"{file.model.pack}.names.{group.type}", file.name, line, name)
            out.names.append(KnownName(name, group.type, canonical or name, origin, group.case))
    for index, entry in enumerate(file.model.traditional):
        for pair in entry.split():
            if len(pair) != 2:
                place = f"{file.name}:{file.line('traditional', index)}"
                out.problems.append(f"{place}: {pair!r} is not one traditional and one simplified character")
                continue
            out.traditional[pair[0]] = pair[1]
    for language, words in file.model.function_words.items():
        out.function_words.setdefault(language, set()).update(words)
    for tag, words in file.model.words.items():
        out.words.extend((word, tag) for word in words)


def _compile(file: _File, index: int, model: RuleModel, out: _Collected) -> Rule | None:
    before = len(out.problems)
    allowed = _VALUES.get(model.sets)
    if allowed is not None and model.value not in allowed:
        line = file.line("rules", index, "value")
        out.problems.append(f"{file.name}:{line}: value {model.value!r}; one of {', '.join(sorted(allowed))}")

    lexicon = lexicon_for(file.model.language, out.lexicon)

    def build(field_name: str, sources: str | list[str]) -> list[CheckedPattern]:
        compiled = []
        for position, source in enumerate([sources] if isinstance(sources, str) else sources):
            line = file.line("rules", index, field_name, position)
            try:
                compiled.append(out.checks.check(source, lexicon, model.case))
            except ValueError as error:
                out.problems.append(f"{file.name}:{line}: rule {model.id}: {field_name}: {error}")
        return compiled

    patterns = build("pattern", model.pattern)
    unless = build("unless", _joined(model.unless))
    requires = build("requires", _joined(model.requires))
    for position, alternative in enumerate(model.tokens):
        problem = token_safety.check(alternative)
        if problem:
            line = file.line("rules", index, "tokens", position)
            out.problems.append(f"{file.name}:{line}: rule {model.id}: tokens: {problem}")
    if len(out.problems) > before:
        return None
    return Rule(
        id=model.id,
        sets=model.sets,
        value=model.value,
        about=model.about,
        language=file.model.language,
        score=model.score,
        patterns=tuple(compiled.pattern for compiled in patterns),
        tokens=tuple(tuple(alternative) for alternative in model.tokens),
        unless=unless[0].pattern if unless else None,
        requires=requires[0].pattern if requires else None,
        options=model.options,
        file=file.name,
        line=file.line("rules", index),
        examples=_examples(file, index, model),
        needs=tuple(compiled.needs for compiled in patterns),
        requires_needs=requires[0].needs if requires else (),
    )


def _joined(sources: str | list[str]) -> list[str]:
    if isinstance(sources, str):
        return [sources] if sources else []
    if not sources:
        return []
    return ["|".join(f"(?:{source})" for source in sources)]


def _examples(file: _File, index: int, model: RuleModel) -> tuple[Example, ...]:
    found = []
    for key, fires, entries in (("match", True, model.examples.match), ("avoid", False, model.examples.avoid)):
        for position, entry in enumerate(entries):
            line = file.line("rules", index, "examples", key, position)
            if isinstance(entry, ExampleModel):
                found.append(Example(entry.text, fires, entry.gives, line))
            else:
                found.append(Example(entry, fires, None, line))
    return tuple(found)


def lexicon_for(language: str, lexicons: dict[str, dict[str, list[str]]]) -> dict[str, list[str]]:
    """The word lists a pack of ``language`` may use: its own and the common ones."""
    merged = {name: list(words) for name, words in lexicons.get("any", {}).items()}
    if language != "any":
        for name, words in lexicons.get(language, {}).items():
            merged.setdefault(name, []).extend(words)
    return merged
