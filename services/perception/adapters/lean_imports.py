"""Imports NumPy and spaCy the way a small service wants them. Runs before any other module of this package."""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import Any

# A question's matrices are so small that handing half of one to another thread costs more than multiplying it.
_BLAS_THREADS = "OPENBLAS_NUM_THREADS"
_COMMAND_LINE = "spacy.cli"


def import_lean() -> None:
    """Imports both; where somebody has imported one before, that one stays as it is."""
    if "numpy" not in sys.modules:
        os.environ.setdefault(_BLAS_THREADS, "1")
    if "spacy" not in sys.modules:
        _import_spacy()


def _import_spacy() -> None:
    """spaCy without its command line, which brings an HTTP client, project templates and coloured tables.

    The package imports it for one function, ``spacy.info``. They take 14 MB and a sixth of a second, and nothing here
    calls them. Afterwards ``import spacy.cli`` gives the real one.
    """
    command_line, info = ModuleType(_COMMAND_LINE), ModuleType(f"{_COMMAND_LINE}.info")
    vars(info)["info"] = _info
    stand_ins = {_COMMAND_LINE: command_line, info.__name__: info}
    sys.modules.update(stand_ins)
    try:
        import spacy
    finally:
        for name, module in stand_ins.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]
    vars(spacy).pop("cli", None)  # else `from spacy import cli` would give the stand-in


def _info(*args: Any, **kwargs: Any) -> object:
    from spacy.cli.info import info

    return info(*args, **kwargs)
