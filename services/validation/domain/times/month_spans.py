"""From May to July: the months between the two are meant too."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from services.validation.domain.times.moments import Moment

_TO = re.compile(r"\s*(?:to|through|until|till|-|–|至|到|~)\s*", re.I)


def with_between(text: str, times: Sequence[Moment]) -> list[Moment]:
    """The times of a text with the months or quarters inside of its ranges."""
    found = list(times)
    for a, b in itertools.pairwise(times):
        ends = a.kind == b.kind and a.kind in ("month", "quarter") and a.year == b.year and a.sub < b.sub
        if ends and _TO.fullmatch(text, a.end, b.start):
            found += [replace(a, sub=sub) for sub in range(a.sub + 1, b.sub)]
    return found
