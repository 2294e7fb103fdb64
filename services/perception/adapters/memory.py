"""Gives back what loading has left over."""

from __future__ import annotations

import ctypes
import gc


def return_free_memory() -> None:
    """Hand free heap back to the system: reading packs and dictionaries leaves about 12 MB of it.

    glibc keeps it otherwise for the life of the process. Elsewhere this does nothing.
    """
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
