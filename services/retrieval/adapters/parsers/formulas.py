"""Formulas in a line: a fraction as (a)/(b), powers with ^, indices with _. For OMML of Office and MathML."""

from __future__ import annotations

from typing import Any

_SKIPPED = frozenset({"annotation", "annotation-xml", "rPr", "ctrlPr", "fPr", "sSupPr", "sSubPr", "radPr", "dPr",
                      "naryPr", "mphantom"})  # fmt: skip
_DEEPEST = 100


def linear(element: Any, depth: int = 0) -> str:
    """The text of a formula."""
    name = _name(element)
    if name in _SKIPPED:
        return ""
    if depth > _DEEPEST:
        return "".join(element.itertext()).strip()
    parts = [linear(child, depth + 1) for child in element if isinstance(child.tag, str)]
    parts = [part for part in parts if part]
    if name in ("f", "mfrac") and len(parts) == 2:
        return f"{_whole(parts[0])}/{_whole(parts[1])}"
    if name in ("sSup", "msup") and len(parts) == 2:
        return f"{parts[0]}^{_whole(parts[1])}"
    if name in ("sSub", "msub") and len(parts) == 2:
        return f"{parts[0]}_{_whole(parts[1])}"
    if name in ("sSubSup", "msubsup") and len(parts) == 3:
        return f"{parts[0]}_{_whole(parts[1])}^{_whole(parts[2])}"
    if name in ("rad", "msqrt") and parts:
        return f"√{_whole(parts[-1])}"
    if name == "mroot" and len(parts) == 2:
        return f"{_whole(parts[0])}^(1/{parts[1]})"
    if name == "d" and parts:
        return f"({', '.join(parts)})"
    if name == "nary" and parts:
        sign = next((c.get(k, "∫") for c in element.iter() if _name(c) == "chr" for k in c), "∫")
        bounds = "".join(mark + _whole(part) for mark, part in zip("_^", parts[:-1], strict=False))
        return f"{sign}{bounds} {parts[-1]}"
    own = (element.text or "").strip() if not parts else ""
    return own + "".join(parts)


def _name(element: Any) -> str:
    tag = element.tag if isinstance(element.tag, str) else ""
    return tag.rsplit("}", 1)[-1]


def _whole(part: str) -> str:
    """``part`` in brackets unless it is one word or number."""
    return part if part.isalnum() or (part.startswith("(") and part.endswith(")")) else f"({part})"
