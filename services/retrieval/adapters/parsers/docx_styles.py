"""Styles of a DOCX: which are headings, which are numbered, which hide their text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from services.retrieval.adapters.parsers.docx_xml import W, is_on, make, value_of

HEADING_LEVELS = 6
# Word writes the names of built-in styles in English, WPS in the language of its user.
_HEADING = re.compile(r"(?:heading|标题|標題)\s*([1-9])", re.IGNORECASE)
_TITLE = re.compile(r"title|标题|標題", re.IGNORECASE)
_CONTENTS = re.compile(r"(?:toc|contents|目录|目錄)\s*[1-9]", re.IGNORECASE)
# Styles made here, for paragraphs that have a level of outline of their own.
_OUTLINE = "Outline"


class Styles:
    """Styles by their ids, with what they inherit."""

    def __init__(self, root: Any) -> None:
        self._by_id: dict[str | None, Any] = {}
        self._hiding: set[str | None] = set()
        for style in () if root is None else root.iter(f"{W}style"):
            if style.get(f"{W}type") == "paragraph":
                self._by_id[style.get(f"{W}styleId")] = style
            elif is_on(style, "rPr/vanish"):
                self._hiding.add(style.get(f"{W}styleId"))
        self._found: dict[tuple[str | None, str], Any] = {}

    def hides(self, style: str | None) -> bool:
        """True for a style of characters that nobody sees."""
        return style in self._hiding

    def level(self, style: str | None) -> int | None:
        """Level of heading, from 1, that paragraphs of a style have; None for other text."""
        name = self.name(style)
        outline = self.property(style, "outlineLvl")
        number = outline_level(None if outline is None else outline.get(f"{W}val"))
        if number is not None:
            return number
        named = _HEADING.fullmatch(name)
        if named:
            return min(int(named[1]), HEADING_LEVELS)
        return 1 if _TITLE.fullmatch(name) else None

    def is_contents(self, style: str | None) -> bool:
        """True for entries of a table of contents."""
        return bool(_CONTENTS.fullmatch(self.name(style)))

    def name(self, style: str | None) -> str:
        """The name that users see; empty for unknown styles."""
        return (value_of(self._by_id.get(style), "name") or "").strip()

    def property(self, key: str | None, name: str) -> Any:
        """A property of a style's paragraphs; None if neither it nor what it is based on has it."""
        chain: list[str | None] = []
        result = None
        while (key, name) not in self._found and (style := self._by_id.get(key)) is not None:
            # Until it is known: styles that are based on each other in a circle end here.
            self._found[(key, name)] = None
            chain.append(key)
            result = style.find(f"{W}pPr/{W}{name}")
            if result is not None:
                break
            key = value_of(style, "basedOn")
        else:
            result = self._found.get((key, name))
        self._found |= dict.fromkeys(((passed, name) for passed in chain), result)
        return result

    def plain(self) -> Any:
        """A styles part that holds names of paragraphs' styles only, those of headings by their levels."""
        return make("styles", *self._plain())

    def _plain(self) -> Iterator[Any]:
        for number in range(1, HEADING_LEVELS + 1):
            yield _style(outline_style(number), f"heading {number}")
        for key in self._by_id:
            if key:
                level = self.level(key)
                yield _style(key, self.name(key) if level is None else f"heading {level}")


def outline_style(level: int) -> str:
    """The id of a style of headings of a level."""
    return f"{_OUTLINE}{level}"


def outline_level(value: str | None) -> int | None:
    """A level of heading from a ``w:outlineLvl``, which counts from 0; 9 is that of other text."""
    number = int(value) + 1 if value and value.isdecimal() and len(value) < 3 else 10
    return None if number > 9 else min(number, HEADING_LEVELS)


def _style(key: str, name: str) -> Any:
    return make("style", make("name", val=name), type="paragraph", styleId=key)
