"""Policy conditions: CEL, compiled once, over the variables of the parsed question."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import cel

from services.orchestrator.domain.variables import VARIABLES

# Macros such as exists(e, …) bind a name of their own.
BOUND_NAME = re.compile(r"\.(?:all|exists|exists_one|filter|map)\(\s*(\w+)\s*,")


class ConditionError(ValueError):
    """A condition does not compile, uses an unknown name, or does not give true or false."""


@lru_cache(maxsize=1024)
def _compiled(expression: str) -> cel.Program:
    return cel.compile(expression)


def check_condition(expression: str) -> None:
    """Raises ConditionError with the reason in one line."""
    try:
        program = _compiled(expression)
    except ValueError as error:
        lines = [line.strip("| .^") for line in str(error).splitlines()]
        raise ConditionError(f"does not compile: {lines[0].split('ERROR: ')[-1]}") from None
    unknown = sorted(set(program.variables()) - set(VARIABLES) - set(BOUND_NAME.findall(expression)))
    if unknown:
        raise ConditionError(f"unknown name {', '.join(unknown)}; known are {', '.join(sorted(VARIABLES))}")


def evaluate_condition(expression: str, variables: Mapping[str, Any]) -> bool:
    """True or false.

    Raises:
        ConditionError: the condition fails on these values or gives something else.
    """
    if expression == "true":
        return True
    try:
        result = _compiled(expression).execute(dict(variables))
    except (ValueError, RuntimeError, TypeError, KeyError) as error:
        raise ConditionError(f"condition {expression!r} failed: {error}") from None
    if not isinstance(result, bool):
        raise ConditionError(f"condition {expression!r} gives {result!r}, not true or false")
    return result
