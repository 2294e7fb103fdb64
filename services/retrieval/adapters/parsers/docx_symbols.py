"""Signs that a DOCX takes from fonts of symbols, by the characters that they look like."""

from __future__ import annotations

import re
from typing import Any

from services.retrieval.adapters.parsers.docx_xml import W, put, remove, text_element

_PRIVATE = range(0xF000, 0xF100)
_LARGEST = 0x10FFFF
_HEX = re.compile(r"[0-9A-Fa-f]{1,6}")
_CONTROLS = range(0x20)


def spell_out_symbols(root: Any) -> None:
    """Changes the tree in place: symbols become text, and so do characters of runs that are set in such a font."""
    for symbol in list(root.iter(f"{W}sym")):
        code = symbol.get(f"{W}char", "")
        sign = _sign(symbol.get(f"{W}font", ""), int(code, 16)) if _HEX.fullmatch(code) else ""
        put(symbol, [text_element(sign)]) if sign else remove(symbol)
    for fonts in list(root.iter(f"{W}rFonts")):
        font = fonts.get(f"{W}ascii") or fonts.get(f"{W}hAnsi") or ""
        properties = fonts.getparent()
        owner = properties.getparent() if properties is not None else None
        for text in owner.iterfind(f"{W}t") if owner is not None else ():
            text.text = "".join(
                _sign(font, ord(char)) or char if ord(char) in _PRIVATE else char for char in text.text or ""
            )


def _sign(font: str, code: int) -> str:
    """The character that a symbol looks like; empty if that is not known."""
    from mammoth.docx.dingbats import dingbats

    for known in (code, code - _PRIVATE.start if code in _PRIVATE else code):
        if (font, known) in dingbats:
            return chr(dingbats[(font, known)])
    # In a font of letters a character is what it is.
    return "" if code in _PRIVATE or code in _CONTROLS or code > _LARGEST else chr(code)
