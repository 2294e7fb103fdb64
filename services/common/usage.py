"""``python -m services.NAME --help``: what a service is and what it can be told.

A service takes no arguments; an argument that is none would be one that silently did nothing.
"""

from __future__ import annotations

import argparse
import importlib
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any, Literal, get_args, get_origin

from pydantic import SecretStr
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from services.common.settings import SHARED_PREFIX, ServiceSettings

_WIDTH = 100
_BOUNDS = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}


def read_arguments(name: str, settings_class: type[ServiceSettings], arguments: Sequence[str]) -> None:
    """Returns if there are none. Exits with 0 after ``--help``, with 2 and two lines on stderr for anything else."""
    about = importlib.import_module(f"services.{name}").__doc__ or ""
    parser = argparse.ArgumentParser(
        prog=f"python -m services.{name}",
        description=f"{about}\n\nIt serves gRPC until it is told to stop, and is set up by environment variables.",
        epilog="\n".join(_settings_lines(settings_class)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.parse_args(arguments)


def _settings_lines(settings_class: type[ServiceSettings]) -> Iterator[str]:
    """Every setting with its name, default, meaning and bounds: the service's own first, then those of all services."""
    prefix = str(settings_class.model_config.get("env_prefix", ""))
    fields = settings_class.model_fields
    own = [name for name in fields if name not in ServiceSettings.model_fields]
    yield "settings of this service:"
    for name in own:
        yield from _setting(prefix + name, fields[name])
    yield f"\nsettings of every service ({SHARED_PREFIX}HOST and so on hold for all that have none of their own):"
    for name in ServiceSettings.model_fields:
        yield from _setting(prefix + name, fields[name], ServiceSettings.model_fields[name])


def _setting(variable: str, field: FieldInfo, shared: FieldInfo | None = None) -> Iterator[str]:
    meaning = field.description or (shared.description if shared else None) or ""
    yield f"  {variable.upper()}={_shown(field.default)}"
    text = " ".join(filter(None, (meaning, _allowed(field))))
    yield from textwrap.wrap(text, _WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 6)


def _shown(default: Any) -> str:
    """A default as one would write it; nothing for none."""
    if default is None or default is PydanticUndefined or isinstance(default, SecretStr):
        return ""
    return str(default).lower() if isinstance(default, bool) else str(default)


def _allowed(field: FieldInfo) -> str:
    """The values that are taken, where the type alone does not say it."""
    if get_origin(field.annotation) is Literal:
        return f"One of {', '.join(map(str, get_args(field.annotation)))}."
    limits = {
        attribute: str(limit)
        for constraint in field.metadata
        for attribute in (*_BOUNDS, "pattern")
        if (limit := getattr(constraint, attribute, None)) is not None
    }
    if {"ge", "le"} <= limits.keys():
        return f"{limits['ge']} to {limits['le']}."
    words = [f"{_BOUNDS[attribute]} {limit}" for attribute, limit in limits.items() if attribute in _BOUNDS]
    form = f"In the form {limits['pattern']}" if "pattern" in limits else ""
    return form or (f"{', '.join(words).capitalize()}." if words else "")
