"""Reads config/wording.yaml, the words that rules use for one another."""

from __future__ import annotations

from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from services.common.errors import FailedPrecondition
from services.retrieval.domain.wording import Wording


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
        FailedPrecondition: naming the file, the field, the reason and the remedy.
    """
    try:
        parsed = _File.model_validate(yaml.safe_load(path.read_text("utf-8")) or {})
    except FileNotFoundError:
        raise _refusal(f"{path} is missing; restore it or set TRIRAG_CONFIG_DIR to the folder that has it") from None
    except (OSError, UnicodeDecodeError) as error:
        raise _refusal(f"{path}: cannot be read: {error}") from None
    except yaml.YAMLError as error:
        raise _refusal(f"{path}: not YAML: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise _refusal(f"{path}: {place}: {first['msg']}") from None
    return Wording({name: (*group.en, *group.zh) for name, group in parsed.groups.items()})


def _refusal(message: str) -> FailedPrecondition:
    return FailedPrecondition("BAD_WORDING_CONFIG", message)
