"""Normalised text that still knows where every character came from.

Rules match on a canonical spelling: compatibility forms folded (full-width digits, ligatures), marks composed,
invisible characters dropped, traditional characters folded to simplified ones, blanks squeezed. Every position
of that spelling maps back to the original text, so that spans always index what the user typed.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from services.common.domain.question import Span

# Compatibility decompositions that keep the meaning. Others (<super>, <sub>, <fraction>, <circle>) do not:
# folding 10² to 102 would silently change a number.
_SAFE_FOLDS = ("<wide>", "<narrow>", "<compat>", "<noBreak>", "<font>", "<vertical>", "<small>")

_PUNCTUATION = {
    "‘": "'", "’": "'", "‛": "'", "′": "'", "“": '"', "”": '"', "„": '"', "″": '"',
    "‐": "-", "‑": "-", "‒": "-", "–": "-", "−": "-", "﹣": "-", "〜": "~", "～": "~", "∼": "~",
    "「": '"', "」": '"', "『": '"', "』": '"', "〈": "《", "〉": "》", "«": '"', "»": '"', "｡": "。",
    "•": "·", "・": "·", "‧": "·", "∙": "·",
}  # fmt: skip

# Kept apart from NFKC, which would spell "…" as three dots and change a sentence's shape.
_KEEP = frozenset("…⋯")


@dataclass(frozen=True, slots=True)
class NormalisedText:
    """``text`` is what rules see; ``starts[i]`` and ``ends[i]`` delimit the origin of its character ``i``."""

    original: str
    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def span(self, start: int, end: int) -> Span:
        """The span of the original text that characters ``start`` to ``end`` (exclusive) came from."""
        if start >= end or not self.text:
            at = self.starts[start] if start < len(self.starts) else len(self.original)
            return Span(at, at)
        return Span(self.starts[start], self.ends[end - 1])

    def surface(self, start: int, end: int) -> str:
        """The user's own spelling of characters ``start`` to ``end``."""
        span = self.span(start, end)
        return self.original[span.start : span.end]


def is_cjk(char: str) -> bool:
    """True for a Han character or a mark that only Chinese writing uses."""
    return (
        "\u4e00" <= char <= "\u9fff"
        or "\u3400" <= char <= "\u4dbf"
        or "\U00020000" <= char <= "\U0003ffff"
        or char in "〇。、《》【】"
        or "\uf900" <= char <= "\ufaff"
    )


def normalise(original: str, traditional: Mapping[str, str] | None = None) -> NormalisedText:
    """Fold ``original`` to the spelling that rules match on.

    Args:
        original: any text.
        traditional: one traditional character to one simplified character.
    """
    folds = traditional or {}
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end in _clusters(original):
        for char in _fold(original[start:end], folds):
            if char == " " and out and out[-1] == " ":
                ends[-1] = end
                continue
            out.append(char)
            starts.append(start)
            ends.append(end)
    keep = [i for i, char in enumerate(out) if char != " " or not _redundant_blank(out, i)]
    return NormalisedText(
        original,
        "".join(out[i] for i in keep),
        tuple(starts[i] for i in keep),
        tuple(ends[i] for i in keep),
    )


def _clusters(text: str) -> list[tuple[int, int]]:
    """Base characters with the combining marks that follow them, as [start, end) pairs."""
    clusters: list[tuple[int, int]] = []
    for index, char in enumerate(text):
        if char >= _FIRST_MARK and clusters and unicodedata.combining(char):
            clusters[-1] = (clusters[-1][0], index + 1)
        else:
            clusters.append((index, index + 1))
    return clusters


# No character before this one is a combining mark.
_FIRST_MARK = "\u0300"


def _fold(cluster: str, traditional: Mapping[str, str]) -> str:
    if len(cluster) == 1 and ("!" <= cluster <= "~" or "\u4e00" <= cluster <= "\u9fff"):
        return traditional.get(cluster, cluster)  # most of every text, and its own canonical form
    if cluster in _PUNCTUATION:
        return _PUNCTUATION[cluster]
    if len(cluster) == 1:
        category = unicodedata.category(cluster)
        if cluster.isspace() or category in ("Zs", "Zl", "Zp"):
            return " "
        if category in ("Cf", "Cc", "Cs", "Co"):
            return ""
        if cluster in _KEEP:
            return cluster
        kind = unicodedata.decomposition(cluster).partition(" ")[0]
        if kind.startswith("<") and kind not in _SAFE_FOLDS:
            return cluster
    folded = unicodedata.normalize("NFKC", cluster)
    return "".join(" " if c.isspace() else traditional.get(c, _PUNCTUATION.get(c, c)) for c in folded)


def _redundant_blank(chars: list[str], index: int) -> bool:
    """Blanks at the ends and beside a Han character carry nothing: both spacing styles must parse alike."""
    if index in (0, len(chars) - 1):
        return True
    return is_cjk(chars[index - 1]) or is_cjk(chars[index + 1])
