"""The checks. Each is one module of this package that registers one function; adding a module adds a check."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from services.common.domain.verdict import Lock
from services.validation.domain.case import Case, Finding

CheckFunction = Callable[[Case], Iterable[Finding]]


@dataclass(frozen=True, slots=True)
class Check:
    """A registered check: its id in the policy, the lock it belongs to, what it sees and what it cannot see."""

    check_id: str
    lock: Lock
    run: CheckFunction
    sees: str
    blind: str


_REGISTRY: dict[str, Check] = {}


def register(check_id: str, lock: Lock, *, sees: str, blind: str) -> Callable[[CheckFunction], CheckFunction]:
    """Register a check function.

    Raises:
        ValueError: if the id is taken.
    """

    def add(function: CheckFunction) -> CheckFunction:
        if check_id in _REGISTRY:
            raise ValueError(f"two checks are called {check_id!r}")
        _REGISTRY[check_id] = Check(check_id, lock, function, sees, blind)
        return function

    return add


@lru_cache(maxsize=1)
def all_checks() -> tuple[Check, ...]:
    """Every check of this package, by id."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return tuple(_REGISTRY[check_id] for check_id in sorted(_REGISTRY))
