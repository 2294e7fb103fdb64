"""Cutting a document into passages along its structure.

Sections are cut at headings; within a section, articles, requirements, questions with their answers and
procedures stay whole if they fit; prose is packed up to a target size and cut between sentences only.
Every chunk is an exact stretch of the stored text. What would help to find it but is not part of the
stretch (title, headings, a table's header row) goes into its ``context``, which is embedded with it.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from dataclasses import replace

from services.retrieval.domain.passages.chunks import ChunkDraft, ChunkingRules, PageStart, TokenCounter
from services.retrieval.domain.passages.pieces import Piece, Section, pieces_of, sections
from services.retrieval.domain.passages.structure import parse_blocks

CHUNKER_VERSION = "4"
"""Part of a document's fingerprint: raise it when the same text would be cut differently."""

_CONTEXT_CHARACTERS = 300
_CHARACTERS_A_TOKEN = 24
_PARENT_CHARACTERS = 6_000


def chunk_document(
    text: str,
    *,
    title: str,
    count_tokens: TokenCounter,
    rules: ChunkingRules | None = None,
    pages: Sequence[PageStart] = (),
) -> list[ChunkDraft]:
    """The passages of ``text`` in order; none is empty and each holds at most ``rules.maximum`` tokens.

    (A single word longer than that is cut hard.)
    """
    rules = rules or ChunkingRules()
    count_tokens = _bounded(count_tokens, rules.maximum)
    drafts: list[ChunkDraft] = []
    for section in sections(parse_blocks(text)):
        pieces = list(pieces_of(text, section, count_tokens, rules))
        groups = list(_pack(pieces, rules))
        section_drafts = [_draft(text, section, group, title, count_tokens) for group in groups]
        drafts.extend(_with_parents(section_drafts))
    starts = [page.start for page in pages]
    return [
        replace(draft, ordinal=ordinal, page=_page(draft.start, starts, pages)) for ordinal, draft in enumerate(drafts)
    ]


def _bounded(count: TokenCounter, maximum: int) -> TokenCounter:
    """``count``, but never fewer than one token for so many characters.

    Runs of white space or of one unknown character may be a single token, yet a chunk must fit the store. What is
    over ``maximum`` by its characters alone is not counted: a table of 100,000 rows is only cut, never measured.
    """

    def bounded(text: str) -> int:
        least = len(text) // _CHARACTERS_A_TOKEN
        return least if least > maximum else max(count(text), least)

    return bounded


def _pack(pieces: Sequence[Piece], rules: ChunkingRules) -> Iterator[list[Piece]]:
    group: list[Piece] = []
    size = 0
    for piece in pieces:
        small = min(size, piece.tokens) < rules.anchor_pack and size + piece.tokens <= rules.target
        both_prose = not piece.anchored and not any(item.anchored for item in group)
        limit = rules.target if both_prose else 0
        if group and not small and (piece.opens or size + piece.tokens > limit):
            yield group
            overlap = None if piece.opens else _overlap(group[-1], piece, rules)
            group, size = ([overlap], overlap.tokens) if overlap else ([], 0)
        group.append(piece)
        size += piece.tokens
    if group:
        yield group


def _overlap(last: Piece, following: Piece, rules: ChunkingRules) -> Piece | None:
    """The sentence to repeat, if both sides are prose cut without an anchor and it is short."""
    if last.loose and following.loose and 0 < last.tokens <= rules.overlap:
        return last if last.tokens + following.tokens <= rules.maximum else None
    return None


def _draft(text: str, section: Section, group: Sequence[Piece], title: str, count: TokenCounter) -> ChunkDraft:
    start, end = group[0].start, group[-1].end
    body = text[start:end]
    return ChunkDraft(
        ordinal=0,
        start=start,
        end=end,
        heading_path=section.heading_path,
        token_count=sum(piece.tokens for piece in group) if len(group) == 1 else count(body),
        context=_context(title, section.heading_path, body, group[0].extra),
    )


def _context(title: str, heading_path: Sequence[str], body: str, extra: str) -> str:
    """Title and the headings that the passage itself does not show, then a table's header row."""
    parts = [title] if title else []
    for heading in heading_path:
        if heading != title and heading not in body[: 2 * _CONTEXT_CHARACTERS]:
            parts.append(heading)
    context = " > ".join(parts)
    if len(context) > _CONTEXT_CHARACTERS:
        # The innermost headings tell most about the passage; the title stays.
        context = f"{title[:120]} > ... {context[-(_CONTEXT_CHARACTERS - 130) :]}"
    return f"{context}\n{extra[:_CONTEXT_CHARACTERS]}" if extra else context


def _with_parents(drafts: Sequence[ChunkDraft]) -> Iterator[ChunkDraft]:
    if not drafts:
        return
    section_start, section_end = drafts[0].start, max(draft.end for draft in drafts)
    whole = section_end - section_start <= _PARENT_CHARACTERS
    for index, draft in enumerate(drafts):
        before = drafts[max(0, index - 1)]
        after = drafts[min(len(drafts) - 1, index + 1)]
        yield replace(
            draft,
            parent_start=section_start if whole else before.start,
            parent_end=section_end if whole else max(after.end, draft.end),
        )


def _page(position: int, starts: Sequence[int], pages: Sequence[PageStart]) -> int:
    index = bisect.bisect_right(starts, position) - 1
    return pages[index].page if index >= 0 else 0
