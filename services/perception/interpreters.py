"""The interpreters in force: one for the base packs, one for each tenant that has packs of its own.

A reload builds all of them from the files, off to the side, and then swaps them in by one assignment: a parse sees
the old rules or the new ones, never a mixture. If a file is bad, nothing is swapped and the reason is kept.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from services.common.file_watch import REFUSED
from services.common.memory import collector_at_rest, settle_memory
from services.perception.adapters.gazetteer import GazetteerError, read_gazetteer
from services.perception.adapters.rule_packs import TENANTS, RulePackError, layer_folders, load_layers
from services.perception.bootstrap import Models, assemble, load_models
from services.perception.domain.pipeline import Interpreter
from services.perception.domain.rules import KnownName
from services.perception.settings import PerceptionSettings

log = structlog.get_logger("rules")
#: What the metric of refused configuration calls the packs and the gazetteer.
REFUSED_NAME = "perception rules"


@dataclass(frozen=True, slots=True)
class PackSources:
    """Where rules and names come from. ``gazetteer`` is None where no file is configured."""

    root: Path
    domains: tuple[str, ...] = ()
    gazetteer: Path | None = None
    fiscal_start_month: int = 1

    def tenants(self) -> list[str]:
        """Tenants that have a folder."""
        folder = self.root / TENANTS
        return sorted(p.name for p in folder.iterdir() if p.is_dir()) if folder.is_dir() else []


@dataclass(slots=True)
class Interpreters:
    """Call :meth:`load` once before use. ``problem`` is why the last reload was refused, empty if it was not."""

    sources: PackSources
    models: Models
    problem: str = ""
    _by_tenant: Mapping[str, Interpreter] = field(default_factory=dict)
    _titles: tuple[KnownName, ...] = ()
    _building: threading.Lock = field(default_factory=threading.Lock)

    def of(self, tenant: str = "") -> Interpreter:
        """The interpreter of a tenant; tenants without packs share the base one."""
        current = self._by_tenant
        return current.get(tenant) or current[""]

    def load(self) -> None:
        """Build everything from the files and swap it in. Files that say the same leave what is in force as it is.

        Raises:
            RulePackError, GazetteerError: if a file is bad; what was in force stays.
        """
        with self._building:
            file = self.sources.gazetteer
            names = (*(read_gazetteer(file) if file is not None else ()), *self._titles)
            built = {"": self._build("", names)}
            for tenant in self.sources.tenants():
                built[tenant] = self._build(tenant, names)
            self.models.checks.keep()
            if _versions(built) != _versions(self._by_tenant):
                self._by_tenant = built

    def compile_all(self) -> None:
        """Compiles what no question has needed yet. For the time after a start; a reload does it by itself."""
        for interpreter in self._by_tenant.values():
            interpreter.rules.compile_all()
        settle_memory()

    def reload(self) -> bool:
        """:meth:`load`, with a refusal logged instead of raised; True if new rules are in force."""
        before = _versions(self._by_tenant)
        try:
            self.load()
        except (RulePackError, GazetteerError) as error:
            self.problem = str(error)
            REFUSED.labels(REFUSED_NAME).set(1)
            problems: Sequence[str] = getattr(error, "problems", (str(error),))
            log.error("rules_refused", problems=list(problems), in_force=before.get("", ""))
            return False
        self.problem = ""
        REFUSED.labels(REFUSED_NAME).set(0)
        if _versions(self._by_tenant) == before:
            return False
        self.compile_all()
        log.info("rules_in_force", version=self.of().version, rules=len(self.of().rules.rules))
        return True

    def set_titles(self, titles: tuple[KnownName, ...]) -> bool:
        """Use these names of documents; True if they changed anything."""
        if titles == self._titles:
            return False
        self._titles = titles
        return self.reload()

    def _build(self, tenant: str, names: tuple[KnownName, ...]) -> Interpreter:
        layers = layer_folders(self.sources.root, self.sources.domains, tenant)
        return assemble(load_layers(layers, self.models.checks), self.models, names, self.sources.fiscal_start_month)


def load_interpreters(settings: PerceptionSettings, packs: Path, kept_in: Path | None) -> Interpreters:
    """Models and the packs of a folder, as the settings have them. ``kept_in``: see ``load_models``.

    Raises:
        RulePackError, GazetteerError: if a file is bad.
        FailedPrecondition: if the spaCy model is not installed.
    """
    domains = tuple(name for name in settings.domains.split(",") if name)
    sources = PackSources(packs, domains, settings.gazetteer, settings.fiscal_start_month)
    with collector_at_rest():
        interpreters = Interpreters(sources, load_models(settings.spacy_model, kept_in))
        interpreters.load()
    return interpreters


def _versions(interpreters: Mapping[str, Interpreter]) -> dict[str, str]:
    return {tenant: interpreter.version for tenant, interpreter in interpreters.items()}
