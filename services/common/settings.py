"""Settings by environment, one style for all services.

A service's settings subclass :class:`ServiceSettings` with its own ``env_prefix`` such as
``TRIRAG_PERCEPTION_``. A field is read from the service's own name first (``TRIRAG_PERCEPTION_LOG_LEVEL``),
then from the shared one (``TRIRAG_LOG_LEVEL``). A wrong or misspelt setting stops start-up with one line.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

SHARED_PREFIX = "TRIRAG_"
# The stores that TriRAG has drivers for; what follows the scheme is SQLAlchemy's.
DATABASE_URL = r"(sqlite|postgresql|postgresql\+psycopg)://"
# Share of letters in common from which a name is taken for a slip of another.
NEARLY = 0.9
_CREDENTIALS = re.compile(r"//[^@/]*@")


class SettingsError(ValueError):
    """A setting is wrong; the message is the one line to print."""


class ServiceSettings(BaseSettings):
    """What every service can be told."""

    model_config = SettingsConfigDict(env_prefix=SHARED_PREFIX, extra="ignore", frozen=True)

    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(0, ge=0, le=65535, description="gRPC port of worker 0; worker i listens on port + 10*i.")
    metrics_port: int = Field(
        0,
        ge=0,
        le=65535,
        description="Prometheus port of worker 0; 0: gRPC port + 10000 if that is a port, else off.",
    )
    workers: int = Field(1, ge=1, le=64, description="Processes, one event loop each.")
    max_in_flight: int = Field(64, ge=1, description="Calls admitted at once by a worker; more get RESOURCE_EXHAUSTED.")
    max_message_mib: int = Field(16, ge=1, le=512, description="Largest message, MiB.")
    blocking_threads: int = Field(4, ge=1, le=64, description="Threads for work that would hold the event loop.")
    drain_delay_seconds: float = Field(0.5, ge=0, le=60, description="From NOT_SERVING to refusing new calls.")
    drain_seconds: float = Field(10.0, ge=0, le=300, description="Longest wait for calls in flight at shutdown.")
    dependency_check_seconds: float = Field(2.0, gt=0, le=60, description="Between looks at hard dependencies.")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="Least that is logged.")
    log_format: Literal["json", "console"] = Field("json", description="For programs, or for a person to read.")
    config_dir: Path = Field(Path("config"), description="Folder of rule packs, policy and defaults.")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The service's own names before the shared ones."""
        shared = EnvSettingsSource(settings_cls, env_prefix=SHARED_PREFIX)
        return init_settings, env_settings, shared

    def worker_port(self, index: int) -> int:
        """gRPC port of worker ``index``; 0 (any free port) stays 0."""
        return self.port + 10 * index if self.port else 0

    def worker_metrics_port(self, index: int) -> int:
        """Prometheus port of worker ``index``; 0 means none."""
        if self.metrics_port:
            return self.metrics_port + 10 * index
        derived = self.worker_port(index) + 10000
        return derived if self.port and derived <= 65535 else 0


S = TypeVar("S", bound=ServiceSettings)


def load_settings(settings_class: type[S]) -> S:
    """Reads the settings from the environment.

    Raises:
        SettingsError: one line naming every wrong or unknown setting, the reason and the remedy.
    """
    problems = _unknown_names(settings_class, os.environ)
    try:
        settings = settings_class()
    except ValidationError as error:
        problems += [_describe(settings_class, e["loc"], e["msg"], os.environ) for e in error.errors()]
        raise SettingsError("; ".join(problems)) from None
    if problems:
        raise SettingsError("; ".join(problems))
    return settings


def _unknown_names(settings_class: type[ServiceSettings], environment: Mapping[str, str]) -> list[str]:
    """Misspelt names: silence here would be a silent default.

    Under the service's own prefix every name must be known; under the shared one, which has the names of other
    services and of the command line, too, what is nearly that of a shared setting is a slip.
    """
    prefix = str(settings_class.model_config.get("env_prefix", ""))
    own = {(prefix + name).upper() for name in settings_class.model_fields}
    shared = {(SHARED_PREFIX + name).upper() for name in ServiceSettings.model_fields}
    problems = []
    for name in sorted(environment):
        written = name.upper()
        if written in own | shared:
            continue
        if prefix != SHARED_PREFIX and written.startswith(prefix):
            near = difflib.get_close_matches(written, own, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            problems.append(f"{name} is not a setting of this service{hint}")
        elif near := difflib.get_close_matches(written, shared, n=1, cutoff=NEARLY):
            problems.append(f"{name} is not a setting; did you mean {near[0]}?")
    return problems


def _describe(
    settings_class: type[ServiceSettings],
    location: tuple[int | str, ...],
    message: str,
    environment: Mapping[str, str],
) -> str:
    prefix = str(settings_class.model_config.get("env_prefix", ""))
    own = (prefix + str(location[0])).upper() if location else prefix
    shared = (SHARED_PREFIX + str(location[0])).upper() if location else SHARED_PREFIX
    name = next((n for n in (own, shared) if n in environment), own)
    value = _CREDENTIALS.sub("//…@", environment.get(name, "(unset)"))
    shown = "" if "KEY" in name or "TOKEN" in name else f"={value}"
    return f"{name}{shown}: {message[:1].lower()}{message[1:]}"
