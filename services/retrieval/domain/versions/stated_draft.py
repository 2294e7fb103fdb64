"""What a text says of itself at its beginning: that it is a draft."""

from __future__ import annotations

import re

# Where a text introduces itself; further on it speaks of other drafts.
_BEGINNING = 1_500
_ZH_DRAFT = r"(?:草案|草稿|初稿|征求意见稿|讨论稿|送审稿)"
_FIELD = re.compile(
    r"^\W*(?:(?:document )?(?:version|revision|status|state)|(?:文件)?(?:版本号?|状态))\W{0,3}[:：|][^\S\n]*[*_]{0,2}"
    r"[^\S\n]*(?P<value>(?:v?\d[\d.]*[^\w\n]{0,3})?(?:(?:first|working|final|consultation) )?"
    rf"(?:draft\b|{_ZH_DRAFT})[^\n|]{{0,24}})[^\w)）\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
# A line of its own that is no heading: one may speak of drafts of beer, players or horses.
_LINE = re.compile(
    r"^[^\w#\n]*(?P<value>(?:DRAFT|Draft)(?: version)?(?:\W{1,4}(?:not (?:yet )?(?:approved|adopted|in force|final)"
    r"|for (?:internal )?(?:review|comments?|discussion|consultation)(?: only)?|v?\d[\d.]*))?"
    rf"|{_ZH_DRAFT}(?:[，,（(][^\n]{{0,20}})?)[^\w\n]*$",
    re.MULTILINE,
)


def stated_draft(text: str) -> str:
    """How the beginning of ``text`` calls it a draft (``3.0 (draft)``, ``征求意见稿``); empty if it does not."""
    beginning = text[:_BEGINNING]
    found = _FIELD.search(beginning) or _LINE.search(beginning)
    return " ".join(found["value"].split()) if found else ""
