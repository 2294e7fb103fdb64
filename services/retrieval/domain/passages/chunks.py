"""Passages of a document before they are stored, and the sizes that they are cut to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

TokenCounter = Callable[[str], int]
_CONTEXT_TOKENS = 70


@dataclass(frozen=True, slots=True)
class ChunkingRules:
    """Sizes in tokens of the embedder.

    ``target``: prose is packed up to this; ``maximum``: what fits is never cut; ``anchor_pack``: articles and
    requirements shorter than this share a chunk with their neighbours, up to ``target``; ``overlap``: how much of the
    sentence before is repeated where prose had to be cut without an anchor.
    """

    target: int = 280
    maximum: int = 440
    anchor_pack: int = 40
    overlap: int = 48

    def __post_init__(self) -> None:
        if not 0 < self.target <= self.maximum:
            raise ValueError(f"target {self.target} must be between 1 and maximum {self.maximum}")

    def within(self, model_tokens: int) -> ChunkingRules:
        """The same for a model that reads ``model_tokens``: what is beyond them would be stored and never found.

        Title and headings are embedded with a passage and take up to 70 of them, of a small model at most half.
        """
        maximum = min(self.maximum, max(model_tokens - _CONTEXT_TOKENS, model_tokens // 2, 1))
        return replace(self, target=min(self.target, maximum), maximum=maximum)


@dataclass(frozen=True, slots=True)
class PageStart:
    """The page that begins at code point ``start`` of the text; pages count from 1."""

    start: int
    page: int


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """A passage before it is stored: ``text[start:end]`` of the document.

    ``parent_start`` and ``parent_end`` span the section around it (or its neighbourhood in a long one).
    """

    ordinal: int
    start: int
    end: int
    heading_path: tuple[str, ...]
    token_count: int
    context: str
    page: int = 0
    parent_start: int = 0
    parent_end: int = 0
