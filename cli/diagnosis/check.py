"""A finding of the doctor."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class State(enum.StrEnum):
    """``down`` fails the doctor, ``warning`` does not: the system answers without that part."""

    OK = "ok"
    WARNING = "warning"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class Check:
    """One line: the part, its state, what was seen and what to do."""

    name: str
    state: State
    detail: str
    remedy: str = ""
