"""The text that stands for a picture, where it tells more than that there is one."""

from __future__ import annotations

import re

# Names of files and what programs write by themselves.
_NOTHING = re.compile(
    r"\S*\.(?:png|jpe?g|gif|svg|bmp|tiff?|webp|emf|wmf)|(?:https?|file|data):.*"
    r"|(?:a )?(?:picture|image|img|photo|icon|logo|figure|graphic|shape|chart|diagram|table|screenshot"
    r"|图片|图像|图|照片|图标)"
    r"[\s_\d#:.-]*",
    re.IGNORECASE | re.DOTALL,
)
_MADE = re.compile(
    r"[\s.,-]*(?:(?:description )?automatically generated|(?:AI|machine)[- ]generated content may be incorrect\.?"
    r"|描述已自动生成|AI 生成的内容可能不正确。?)[\s.]*$",
    re.IGNORECASE,
)


def told(text: str) -> str:
    """What an alternative text says, in one line; empty if it says nothing."""
    line = " ".join(text.split())
    return "" if _NOTHING.fullmatch(line) or _MADE.search(line) else line
