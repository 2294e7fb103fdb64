"""A configuration file that is read once, at start: YAML checked against a model; what is wrong is told in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from services.common.errors import FailedPrecondition
from services.common.yaml_source import YamlError, YamlPath, dotted, line_of, parse_yaml

Model = TypeVar("Model", bound=BaseModel)

_AGAIN = "mend the file and start again"


class ConfigError(FailedPrecondition):
    """A configuration file cannot be used; the message names the file, the place, the reason and the remedy."""

    def __init__(self, message: str, reason: str = "BAD_CONFIG") -> None:
        super().__init__(reason, message)


def read_config(path: Path, model: type[Model], *, reason: str = "BAD_CONFIG") -> Model:
    """The file as a model. An empty file is an empty mapping; an absent one is an error, never a default.

    Raises:
        ConfigError: naming the file, the line, the field, the reason and the remedy.
    """
    try:
        data, lines = parse_yaml(_text(path, reason))
    except YamlError as error:
        raise ConfigError(f"{_place(path, error.line)}: not valid YAML: {error}; {_AGAIN}", reason) from None
    try:
        return model.model_validate({} if data is None else data)
    except ValidationError as error:
        raise ConfigError(_told(path, error.errors()[0], lines), reason) from None


def _text(path: Path, reason: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        problem = "is missing; restore it or set TRIRAG_CONFIG_DIR to the folder that has it"
    except UnicodeDecodeError as error:
        problem = f"is not UTF-8 ({error.reason} at byte {error.start}); save it as UTF-8"
    except OSError as error:
        problem = f"cannot be read ({error.strerror}); make it readable"
    raise ConfigError(f"{path}: {problem}", reason)


def _told(path: Path, error: Any, lines: dict[YamlPath, int]) -> str:
    place = tuple(error["loc"])
    message = error["msg"].removeprefix("Value error, ")
    # What was found says nothing where a field is missing or several together are wrong.
    plain = isinstance(error.get("input"), str | int | float) and error["type"] != "missing"
    found = f" (found {str(error['input'])[:60]!r})" if plain else ""
    return f"{_place(path, line_of(lines, place))}: {dotted(place) or 'the file'}: {message}{found}; {_AGAIN}"


def _place(path: Path, line: int) -> str:
    return f"{path}:{line}" if line else str(path)
