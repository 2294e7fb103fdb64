"""Loads the policy and the messages, and reloads them when their files change; a bad file is refused."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Generic, TypeVar

import structlog
from pydantic import ValidationError

from services.common.errors import FailedPrecondition
from services.common.file_watch import REFUSED, changes_of
from services.common.yaml_source import YamlError, dotted, line_of, parse_yaml
from services.orchestrator.adapters.cel import ConditionError, evaluate_condition
from services.orchestrator.adapters.policy_schema import PolicyModel
from services.orchestrator.domain.messages import MessageError, Messages, checked
from services.orchestrator.domain.policy import Policy
from services.orchestrator.domain.question_text import unparsed
from services.orchestrator.domain.variables import question_variables

log = structlog.get_logger("policy")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of a file: path in it, line from 1 (0 if unknown), and what to mend."""

    field: str
    line: int
    message: str

    def __str__(self) -> str:
        place = f"line {self.line}: " if self.line else ""
        return f"{place}{self.field}: {self.message}" if self.field else f"{place}{self.message}"


class InvalidFileError(ValueError):
    """A file is refused."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("; ".join(str(p) for p in problems))
        self.problems = problems


def parse_policy(text: str) -> Policy:
    """A policy from YAML; its version is the first 12 hexadecimal digits of the text's SHA-256.

    Raises:
        InvalidFileError: names every problem with field and line.
    """
    data, lines = _yaml(text)
    try:
        model = PolicyModel.model_validate(data)
    except ValidationError as error:
        raise InvalidFileError([_problem(e, lines) for e in _root_causes(error)]) from None
    policy = model.to_domain(hashlib.sha256(text.encode()).hexdigest()[:12])
    problems = _dry_run(policy, lines)
    if problems:
        raise InvalidFileError(problems)
    return policy


def parse_messages(text: str) -> Messages:
    """Messages from YAML. Raises InvalidFileError."""
    data, lines = _yaml(text)
    if not isinstance(data, dict) or not isinstance(data.get("texts"), dict):
        raise InvalidFileError([Problem("texts", 0, "is required: texts by language, then by name")])
    if unknown := sorted(str(key) for key in data.keys() - {"texts", "default_language"}):
        raise InvalidFileError([Problem(unknown[0], lines.get((unknown[0],), 0), "is not known here")])
    try:
        return checked(data["texts"], str(data.get("default_language", "en")))
    except MessageError as error:
        raise InvalidFileError([Problem("", 0, str(error))]) from None


class WatchedFile(Generic[T]):
    """A file whose parsed value is replaced as a whole when the file changes to something valid."""

    def __init__(self, path: Path, parse: Callable[[str], T]) -> None:
        self._path = path
        self._parse = parse
        self.pending_error = ""
        try:
            self.text = path.read_text(encoding="utf-8")
            self.value = parse(self.text)
        except (OSError, UnicodeDecodeError, InvalidFileError) as error:
            raise FailedPrecondition("INVALID_CONFIGURATION", f"{path.name}: {error}") from None

    def reload(self) -> bool:
        """Reads the file again; False (and the reason in ``pending_error``) if the old value stays."""
        try:
            text = self._path.read_text(encoding="utf-8")
            value = self.value if text == self.text else self._parse(text)
        except (OSError, UnicodeDecodeError, InvalidFileError) as error:
            self.pending_error = f"{self._path.name}: {error}"
            REFUSED.labels(self._path.name).set(1)
            log.error("configuration_refused", file=self._path.name, problem=str(error))
            return False
        if text != self.text:
            log.info("configuration_reloaded", file=self._path.name)
        self.text, self.value, self.pending_error = text, value, ""
        REFUSED.labels(self._path.name).set(0)
        return True

    async def watch(self) -> None:
        """Reloads on every change until cancelled."""
        async for _ in changes_of(self._path):
            self.reload()


def _yaml(text: str) -> tuple[Any, dict[tuple[str | int, ...], int]]:
    try:
        return parse_yaml(text)
    except YamlError as error:
        raise InvalidFileError([Problem("", error.line, f"not YAML: {error}")]) from None


def _root_causes(error: ValidationError) -> list[Any]:
    """Without pydantic's follow-up that a list whose item is faulty is too short."""
    errors = error.errors()
    return [
        e
        for e in errors
        if e["type"] != "too_short"
        or not any(o["loc"][: len(e["loc"])] == e["loc"] and len(o["loc"]) > len(e["loc"]) for o in errors)
    ]


def _problem(error: Any, lines: dict[tuple[str | int, ...], int]) -> Problem:
    path = tuple(error["loc"])
    given = "" if error["type"] in ("missing", "value_error") else f" (is {str(error.get('input'))[:60]!r})"
    message = error["msg"].removeprefix("Value error, ")
    return Problem(dotted(path), line_of(lines, path), f"{message[:1].lower()}{message[1:]}{given}")


def _dry_run(policy: Policy, lines: dict[tuple[str | int, ...], int]) -> list[Problem]:
    """Runs every condition once on a neutral question: a misspelt field such as ``time.yaer`` shows here."""
    variables = question_variables(unparsed("?", date(2000, 1, 1)), (), degraded=False, llm_model="")
    conditions: list[tuple[tuple[str | int, ...], str]] = []
    for i, route in enumerate(policy.routes):
        conditions.append((("routes", i, "when"), route.when))
        conditions.append((("routes", i, "include_superseded"), route.include_superseded))
        conditions += [(("routes", i, "boosts", j, "when"), b.when) for j, b in enumerate(route.boosts)]
    conditions += [(("overrides", i, "when"), o.when) for i, o in enumerate(policy.overrides)]
    conditions += [(("sufficiency", i, "when"), s.when) for i, s in enumerate(policy.sufficiency)]
    conditions += [
        (("generation", "strategies", i, "when"), s.when) for i, s in enumerate(policy.generation.strategies)
    ]
    problems = []
    for path, condition in conditions:
        try:
            evaluate_condition(condition, variables)
        except ConditionError as error:
            problems.append(Problem(dotted(path), line_of(lines, path), str(error)))
    return problems
