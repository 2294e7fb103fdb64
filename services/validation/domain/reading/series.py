"""Numbered names told together: pupils in years 7 to 11, zones 2, 3 and 5, 1至3号楼."""

from __future__ import annotations

import re

_NUMBER = r"\d{1,6}(?![\d.%])"
_JOINT = r"\s*(?:,\s*(?:and|or)?|and|or|to|through|-|–|&)\s*"
_HAN_JOINT = r"\s*[、,，至到~-]\s*|[和及与]"
_RANGED = re.compile(r"^(?:to|through|-|–|至|到|~)$")
_LONGEST_RANGE = 200


def in_series(key: str, low: str) -> bool:
    """Whether a lower-case text names, in a list or a range, what a numbered name's key stands for."""
    number = re.search(r"\d+", key)
    if number is None:
        return False
    before, after = key[: number.start()].strip(), key[number.end() :]
    if before and not after:
        pattern = rf"\b{re.escape(before)}[a-z]{{0,3}}\s+(?P<s>{_NUMBER}(?:{_JOINT}{_NUMBER})+)"
    elif after and not before:
        pattern = rf"(?P<s>\d{{1,6}}(?:(?:{_HAN_JOINT})\d{{1,6}})+)\s*{re.escape(after)}"
    else:
        return False
    return any(_holds(m["s"], int(number.group())) for m in re.finditer(pattern, low))


def _holds(series: str, number: int) -> bool:
    pieces = re.split(r"(\d+)", series)
    numbers = [int(n) for n in pieces[1::2]]
    if number in numbers:
        return True
    joints = [j.strip() for j in pieces[2:-1:2]]
    return any(
        _RANGED.match(joint) and a < number < b and b - a <= _LONGEST_RANGE
        for a, joint, b in zip(numbers, joints, numbers[1:], strict=False)
    )
