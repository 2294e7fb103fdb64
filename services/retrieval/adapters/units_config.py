"""Reads from config/validation/units.yaml what each unit measures."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from services.common.config_file import read_config
from services.retrieval.domain.values.measures import Units


class _Unit(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    dim: str
    symbols: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    han: tuple[str, ...] = ()
    prefix: tuple[str, ...] = ()


class _File(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    units: tuple[_Unit, ...]


def load_units(path: Path) -> Units:
    """The units in ``path``; what it says of their factors is not needed to find a value.

    Raises:
        ConfigError: naming the file, the line, the field, the reason and the remedy.
    """
    units = read_config(path, _File, reason="BAD_UNITS_CONFIG").units
    return Units(
        latin={name.lower(): _measure(unit) for unit in units for name in unit.names},
        symbols={name: _measure(unit) for unit in units for name in unit.symbols},
        han={name: _measure(unit) for unit in units for name in unit.han},
        longest_han=max((len(name) for unit in units for name in unit.han), default=0),
        prefixes={name: _measure(unit) for unit in units for name in unit.prefix},
    )


def _measure(unit: _Unit) -> str:
    return unit.dim.partition(".")[0]
