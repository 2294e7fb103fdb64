"""Second halves of a sentence that leave out the verb: a name and a value, no name with a number in it."""

from __future__ import annotations

import re

# "Clinic Ostra treated 1,140 outpatients and Clinic Verde 860": name, verb, number and noun, of which the second
# half repeats name and number only.
_FULL_HALF = re.compile(r"\b[A-Z][\w'-]*\s+[a-z]+\s+(?:about |some |only |just )?\d[\d,.]*\s+[a-z]{3,}[^.;:]*$")
_JOINED = re.compile(r"(?:\band|,|\bwhile|\bagainst)\s+(?:the\s+)?(?:[A-Z][\w'-]*\s+)?$")
_GAP_ENDS = re.compile(r"\s*(?:$|[.;](?:\s|$)|,\s)")


def gapped(text: str, match: re.Match[str]) -> bool:
    """The number is the value of a second half that leaves out the verb, no part of the name before it."""
    before = text[max(0, match.start() - _NEAR_HALF) : match.start()]
    return bool(
        len(match["n"]) > 1
        and _GAP_ENDS.match(text, match.end())
        and _JOINED.search(before)
        and _FULL_HALF.search(before)
    )


_NEAR_HALF = 120
