"""Reads config/wording.yaml, the words that rules use for one another."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, model_validator

from services.common.config_file import read_config
from services.retrieval.domain.conflict.wording import Wording


class _Group(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    en: tuple[str, ...] = ()
    zh: tuple[str, ...] = ()


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    groups: dict[str, _Group] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _apart(self) -> _File:
        owner: dict[str, str] = {}
        for name, group in self.groups.items():
            if not name.isascii() or not name.isalpha():
                raise ValueError(f"group {name!r}: a name has Latin letters only")
            for phrase in (*group.en, *group.zh):
                if not phrase.strip():
                    raise ValueError(f"group {name!r} has an empty phrase")
                other = owner.setdefault(phrase.strip().lower(), name)
                if other != name:
                    raise ValueError(f"{phrase!r} is in the groups {other!r} and {name!r}; a phrase is in one")
        return self


def load_wording(path: Path) -> Wording:
    """The groups in ``path``.

    Raises:
        ConfigError: naming the file, the line, the field, the reason and the remedy.
    """
    parsed = read_config(path, _File, reason="BAD_WORDING_CONFIG")
    return Wording({name: (*group.en, *group.zh) for name, group in parsed.groups.items()})
