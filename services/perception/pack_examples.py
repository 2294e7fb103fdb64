"""Runs the examples that rules carry. Used by ``trirag rules test`` and by the test suite."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from services.common.domain.question import TimeConstraint
from services.perception.adapters.rule_packs import DOMAINS, TENANTS
from services.perception.bootstrap import build_interpreter
from services.perception.domain import respects
from services.perception.domain.comparison import find_sides, phrased_sides
from services.perception.domain.entities import find_codes, find_entities
from services.perception.domain.matching import Match, Question, overlaps, run_rule
from services.perception.domain.pipeline import Interpreter
from services.perception.domain.rules import Example, Rule, Sets
from services.perception.domain.sources import taken_source
from services.perception.domain.time_expressions import TimeSettings, value_of
from services.perception.domain.vagueness import holds

# Relative expressions in examples count against this day.
EXAMPLE_DAY = date(2025, 3, 14)
MIN_MATCHING, MIN_AVOIDED = 2, 1


@dataclass(frozen=True, slots=True)
class ExampleFailure:
    """An example that does not hold, or a rule with too few; ``line`` is in the pack ``file``."""

    file: str
    line: int
    rule_id: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: rule {self.rule_id}: {self.message}"


@dataclass(frozen=True, slots=True)
class ExampleReport:
    """How a test of packs went; ``version`` is that of the rules tested."""

    examples: int
    failures: tuple[ExampleFailure, ...]
    version: str


def test_packs(root: Path, files: tuple[Path, ...] = ()) -> ExampleReport:
    """Load the packs of ``root``, ``files`` from elsewhere as layers over them, and run their examples.

    With ``files`` only the examples of those run.

    Raises:
        RulePackError: if a pack is bad.
        FailedPrecondition: if the spaCy model is not installed.
    """
    base = root.resolve()
    outside = [file.resolve() for file in files if not _is_base_pack(file.resolve(), base)]
    interpreter = build_interpreter((base, *outside))
    wanted = {
        file.name if file in outside else file.relative_to(base.parent).as_posix()
        for file in (given.resolve() for given in files)
    }
    count, failures = run_examples(interpreter, frozenset(wanted))
    return ExampleReport(count, tuple(failures), interpreter.version)


def _is_base_pack(file: Path, base: Path) -> bool:
    return file.is_relative_to(base) and file.relative_to(base).parts[0] not in (DOMAINS, TENANTS)


def run_examples(interpreter: Interpreter, files: frozenset[str] = frozenset()) -> tuple[int, list[ExampleFailure]]:
    """(examples run, failures) of the interpreter's rules; only those of ``files`` if any are named."""
    count = 0
    failures: list[ExampleFailure] = []
    for rule in interpreter.rules.rules:
        if files and rule.file not in files:
            continue
        failures.extend(_too_few(rule))
        for example in rule.examples:
            count += 1
            problem = _check(interpreter, rule, example)
            if problem:
                failures.append(ExampleFailure(rule.file, example.line, rule.id, problem))
    return count, failures


def _too_few(rule: Rule) -> Iterator[ExampleFailure]:
    matching = sum(1 for e in rule.examples if e.fires)
    avoided = len(rule.examples) - matching
    if matching < MIN_MATCHING or avoided < MIN_AVOIDED:
        message = (
            f"has {matching} examples to match and {avoided} to avoid; "
            f"it needs at least {MIN_MATCHING} and {MIN_AVOIDED}"
        )
        yield ExampleFailure(rule.file, rule.line, rule.id, message)


def _check(interpreter: Interpreter, rule: Rule, example: Example) -> str | None:
    question, _, _ = interpreter.prepare(example.text)
    if rule.sets in (Sets.TIME, Sets.TIME_RELATION) and example.gives is not None:
        found = _time_text(interpreter.parse(example.text, EXAMPLE_DAY).time)
        return None if found == example.gives else f"{example.text!r} gives {found!r}, not {example.gives!r}"
    matches = FIRES.get(rule.sets, _pattern_matches)(rule, question, interpreter)
    if bool(matches) != example.fires:
        seen = f" on {question.text.surface(matches[0].start, matches[0].end)!r}" if matches else ""
        return f"{'does not fire' if example.fires else 'fires'}{seen} in {example.text!r}"
    if example.gives is not None:
        given = [_given(question, match) for match in matches]
        if example.gives not in given:
            return f"{example.text!r} gives {given}, not {example.gives!r}"
    return None


def _given(question: Question, match: Match) -> str:
    for name in ("code", "entity", "source", "attribute", "excluded"):
        place = match.group(name)
        if place is not None:
            return question.text.surface(*place).strip()
    return question.text.surface(match.start, match.end)


def _pattern_matches(rule: Rule, question: Question, interpreter: Interpreter) -> list[Match]:
    return run_rule(rule, question.text.text, 0, len(question.text.text), question.analysis)


def _relation_matches(rule: Rule, question: Question, interpreter: Interpreter) -> list[Match]:
    """A relation rule fires if it decided how one of the expressions is read."""
    parsed = interpreter.parse(question.text.original, EXAMPLE_DAY)
    fired = any(mention.origin.rule_id == rule.id for mention in parsed.time_mentions)
    return [Match(rule, 0, len(question.text.text))] if fired else []


def _time_matches(rule: Rule, question: Question, interpreter: Interpreter) -> list[Match]:
    """A time rule fires if what it found is a date that exists and no veto covers it."""
    settings = TimeSettings(EXAMPLE_DAY, interpreter.fiscal_start_month)
    vetoed = [(m.start, m.end) for m in question.matches(Sets.NOT_TIME)]
    return [
        match
        for match in _pattern_matches(rule, question, interpreter)
        if value_of(match, question.text.text, settings) is not None and not overlaps(match.start, match.end, vetoed)
    ]


def _trim_matches(rule: Rule, question: Question, interpreter: Interpreter) -> list[Match]:
    """Rules that take names away look at a candidate, not at a question: at its start, its end, or all of it."""
    text = question.text.text
    if rule.value in ("zone", "side_verb_inside"):  # found inside a text, not fitted to all of it
        return _pattern_matches(rule, question, interpreter)
    for pattern in (own.compiled() for own in rule.patterns):
        if rule.value == "drop":
            hit = pattern.fullmatch(text)
        elif rule.value in ("trim_start", "side_start", "source_start"):
            hit = pattern.match(text)
        else:
            hit = next((h for h in pattern.finditer(text) if h.end() == len(text)), None)
        if hit is not None and hit.end() > hit.start():
            return [Match(rule, hit.start(), hit.end())]
    return []


def _vague_matches(rule: Rule, question: Question, interpreter: Interpreter) -> list[Match]:
    return [match for match in _pattern_matches(rule, question, interpreter) if holds(question, match)]


def _sides_matches(rule: Rule, question: Question, interpreter: Interpreter) -> list[Match]:
    """A rule that takes phrases fires if it finds two of them."""
    matches = _pattern_matches(rule, question, interpreter)
    if not rule.options.get("take"):
        return matches
    return [match for match in matches if len(phrased_sides(question, match)) > 1]


def _source_matches(rule: Rule, question: Question, interpreter: Interpreter) -> list[Match]:
    """A rule that takes a phrase fires if that phrase is a source."""
    matches = _pattern_matches(rule, question, interpreter)
    if not rule.options.get("take"):
        return matches
    codes = find_codes(question)
    names = sorted((*codes, *find_entities(question, interpreter.names, codes)), key=lambda c: c.start)
    return [match for match in matches if taken_source(question, match, names) is not None]


def _attribute_matches(rule: Rule, question: Question, interpreter: Interpreter) -> list[Match]:
    """A rule for the respect of a comparison fires if it gives that of the question."""
    if rule.value != respects.VALUE:
        return _pattern_matches(rule, question, interpreter)
    sides, _ = find_sides(question)
    found = respects.find_respects(question, sides)
    return [Match(rule, c.start, c.end) for c in found if c.origin.rule_id == rule.id]


FIRES: dict[Sets, Callable[[Rule, Question, Interpreter], list[Match]]] = {
    Sets.TIME: _time_matches,
    Sets.TIME_RELATION: _relation_matches,
    Sets.NOT_ENTITY: _trim_matches,
    Sets.VAGUE: _vague_matches,
    Sets.SIDES: _sides_matches,
    Sets.ATTRIBUTE: _attribute_matches,
    Sets.SOURCE: _source_matches,
}


def _time_text(time: TimeConstraint | None) -> str:
    """``in 2024-10-01 2024-12-31``, with ``-`` for an open end; empty for no constraint."""
    if time is None:
        return ""
    ends = (day.isoformat() if day else "-" for day in (time.interval.start, time.interval.end))
    return " ".join((time.relation.value, *ends))
