"""What a migration tells while it runs and when it ends."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from services.retrieval.domain.ports import KnowledgeBaseRecord, SideCollection
from services.retrieval.domain.ranking.replay import Comparison, Report, SwitchRules


class Phase(enum.StrEnum):
    """What it is doing."""

    COPYING = "copying"
    COMPARING = "comparing"
    SWITCHING = "switching"


class MigrationOutcome(enum.StrEnum):
    """How it ended."""

    SWITCHED = "switched"
    UNCHANGED = "unchanged"
    COMPARED = "compared"


@dataclass(frozen=True, slots=True)
class Progress:
    """``done`` of ``total`` documents, or queries while comparing."""

    phase: Phase
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The end. ``former`` and ``model`` are labels; ``objection`` says why a dry run would not have switched."""

    outcome: MigrationOutcome
    former: str
    model: str
    document_count: int
    objection: str = ""


@dataclass(frozen=True, slots=True)
class SideStatus:
    """A collection beside the one in use: documents it holds and lacks, and whether a process is at work on it."""

    side: SideCollection
    held: int
    missing: int
    running: bool


@dataclass(frozen=True, slots=True)
class MigrationStatus:
    """How a knowledge base stands. ``report`` is the last comparison, ``embedders`` the keys to migrate to."""

    record: KnowledgeBaseRecord
    sides: Mapping[str, SideStatus]
    report: Report | None
    embedders: tuple[str, ...]
    recorded_queries: int


def report_to_json(report: Report) -> dict[str, Any]:
    """A report as JSON values."""
    return asdict(report)


def report_from_json(values: Mapping[str, Any]) -> Report:
    """The reverse."""
    rules, worst = SwitchRules(**values["rules"]), tuple(Comparison(**each) for each in values["worst"])
    return Report(**{**values, "rules": rules, "worst": worst})
