"""Short forms that a Chinese text defines in brackets: 中国民用航空局（以下简称“民航局”）, 辅助动力装置（APU）."""

from __future__ import annotations

import re

_BRACKETED = re.compile(
    r"（(?P<said>(?:以下|下|简|统|合)(?:统|合|简)?称(?:为)?[：:]?\s*)?"
    r"[“\"「]?(?P<form>[A-Za-z0-9\u4e00-\u9fff .·-]{1,16})[”\"」]?）"
)
_ACRONYM = re.compile(r"[A-Z][A-Za-z0-9.-]{1,11}")
_REACH = 24


def alias_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Offsets of the brackets that only give a short form of the name before them, and so end no clause."""
    if "（" not in text:
        return ()
    return tuple(
        match.span()
        for match in _BRACKETED.finditer(text)
        if match["said"]
        or _ACRONYM.fullmatch(match["form"].strip())
        or _shortens(match["form"], text[max(0, match.start() - _REACH) : match.start()])
    )


def _shortens(form: str, name: str) -> bool:
    """All characters of the form stand in the name in this order."""
    rest = iter(name)
    return len(form) > 1 and all(character in rest for character in form)
