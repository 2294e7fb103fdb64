"""Memory of a service's process: how glibc keeps it, and what loading leaves behind."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
from collections.abc import Iterator

_M_ARENA_MAX = -8  # of <malloc.h>
# Python's threads take turns; heaps of their own would mostly keep what each has freed.
_ARENAS = 2


def bound_heaps() -> None:
    """Call before threads are started: glibc else gives them up to 8 heaps a core. Elsewhere this does nothing.

    MALLOC_ARENA_MAX, which glibc itself reads, is the operator's word and stands.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None and "MALLOC_ARENA_MAX" not in os.environ:
        mallopt(_M_ARENA_MAX, _ARENAS)


@contextlib.contextmanager
def collector_at_rest() -> Iterator[None]:
    """For loading: what is made there stays, and looking through it again and again takes a sixth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def settle_memory() -> None:
    """Call after loading or reloading: takes what is there out of the garbage collector's rounds, returns free heap.

    What is loaded (dictionaries, patterns, weights) stays for good; looking through it holds up a call for a tenth
    of a second now and then. Reading files leaves some 12 MB of free heap, which glibc would keep for the life of the
    process; where there is no glibc nothing is returned.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    # A request makes tens of thousands of small objects and no cycles to speak of. Many short rounds over the young
    # ones hold up no call (under 1 ms each); a round over 50,000 took as long as a judgement, in one of fifty. The
    # older ones are mostly what is remembered of texts: looking through them is rare.
    gc.set_threshold(2_000, 2_000, 100)
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
