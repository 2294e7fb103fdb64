"""From candidates to hits: reranked, chosen to differ where asked, with the text and the reasons to show."""

from __future__ import annotations

from collections.abc import Sequence

from services.common.domain.document import Chunk
from services.common.domain.question import Span
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.domain.documents import chunk_id
from services.retrieval.domain.ports import ChunkRow
from services.retrieval.domain.ranking.diversity import Choice, Option, choose
from services.retrieval.domain.search import Component, Diversity, Hit, SearchTask
from services.retrieval.service.candidates import Found, Scored, best_first
from services.retrieval.service.reranking import Candidate, Reranker
from services.retrieval.service.snapshot import Snapshot


class HitMaker:
    """Makes a task's hits of its candidates. Blocking, thread-safe."""

    def __init__(self, catalogue: Catalogue, reranker: Reranker) -> None:
        self._catalogue = catalogue
        self._reranker = reranker

    def make(self, task: SearchTask, found: Found) -> tuple[Hit, ...]:
        """At most ``task.top_k`` hits, best first. Raises Unavailable if a remote reranker is."""
        candidates = found.candidates
        if task.rerank and candidates:
            candidates = self._reranked(task.query, candidates, found.snapshot)
        choices = _choices(task, candidates)
        rows = [candidates[choice.index].row for choice in choices]
        texts = self._parent_texts(task.knowledge_base, rows) if task.expand_parent else [row.text for row in rows]
        return tuple(
            Hit(
                chunk=make_chunk(candidates[choice.index].row, found.snapshot, text),
                score=candidates[choice.index].score,
                rank=rank,
                components=tuple(candidates[choice.index].components.values()),
                version_choice=_version_choice(task, found.snapshot, candidates[choice.index].row),
                also_in=tuple(_chunk_id(candidates[index].row) for index in choice.stands_for),
            )
            for rank, (choice, text) in enumerate(zip(choices, texts, strict=True), start=1)
        )

    def _reranked(self, query: str, ranked: Sequence[Scored], snapshot: Snapshot) -> list[Scored]:
        views = rerank_views(ranked, snapshot)
        for candidate, result in zip(ranked, self._reranker.rerank(query, views), strict=True):
            candidate.score = result.score
            candidate.components["rerank"] = Component("rerank", result.score)
            for name, value in result.parts.items():
                candidate.components[f"rerank.{name}"] = Component(f"rerank.{name}", value)
        return sorted(ranked, key=best_first)

    def _parent_texts(self, knowledge_base: str, rows: Sequence[ChunkRow]) -> list[str]:
        stored = {
            document_id: self._catalogue.text(knowledge_base, document_id)
            for document_id in {row.document_id for row in rows}
        }
        texts = []
        for row in rows:
            found = stored[row.document_id]
            # A document replaced since the search has another text: its chunk stands alone then.
            fits = found is not None and found.text[row.start : row.end] == row.text
            texts.append(found.text[row.parent_start : row.parent_end] if found is not None and fits else row.text)
        return texts


def rerank_views(ranked: Sequence[Scored], snapshot: Snapshot) -> list[Candidate]:
    """The candidates as a reranker takes them."""
    return [
        Candidate(
            row=candidate.row,
            title=snapshot.documents[candidate.row.document_id].metadata.title,
            dense=candidate.component("dense").score,
            dense_rank=candidate.component("dense").rank,
            keyword=candidate.component("keyword").score,
            keyword_rank=candidate.component("keyword").rank,
            document=snapshot.documents[candidate.row.document_id].metadata,
        )
        for candidate in ranked
    ]


def make_chunk(row: ChunkRow, snapshot: Snapshot, text: str) -> Chunk:
    """The chunk of a row with ``text``, its own or its parent's."""
    expanded = text != row.text
    return Chunk(
        chunk_id=_chunk_id(row),
        document=snapshot.documents[row.document_id].metadata,
        text=text,
        ordinal=row.ordinal,
        heading_path=row.heading_path,
        span=Span(row.parent_start, row.parent_end) if expanded else Span(row.start, row.end),
        page=row.page,
        entities=row.entities,
        number_density=row.number_density,
        token_count=row.token_count,
        parent_id=_parent_id(row),
    )


def _choices(task: SearchTask, candidates: Sequence[Scored]) -> list[Choice]:
    if task.diversity == Diversity() and not task.expand_parent:
        return [Choice(index) for index in range(min(task.top_k, len(candidates)))]
    options = [
        Option(
            key=_chunk_id(candidate.row),
            document_id=candidate.row.document_id,
            passage=_parent_id(candidate.row),
            text=candidate.row.text,
            tokens=frozenset(candidate.row.lexical.split(" ")),
            score=candidate.score,
            since=candidate.row.window.start,
        )
        for candidate in candidates
    ]
    return choose(options, task.diversity, task.top_k, one_a_passage=task.expand_parent)


def _chunk_id(row: ChunkRow) -> str:
    return chunk_id(row.document_id, row.ordinal)


def _parent_id(row: ChunkRow) -> str:
    return f"{row.document_id}@{row.parent_start}-{row.parent_end}"


def _version_choice(task: SearchTask, snapshot: Snapshot, row: ChunkRow) -> str:
    if task.every_version or task.condition.in_force_on is not None:
        return "requested"
    return "in_force" if snapshot.has_versions(snapshot.documents[row.document_id]) else "only_version"
