"""The only code of the service that knows protobuf."""

from __future__ import annotations

from datetime import date

from google.protobuf import timestamp_pb2

from services.common.converters.basics import from_proto_interval
from services.common.converters.document import to_proto_chunk, to_proto_metadata
from services.common.dates import from_proto_date, to_proto_date
from services.common.printable import printable
from services.retrieval.domain.documents import StoredDocument
from services.retrieval.domain.filters import ChunkFilter
from services.retrieval.domain.ports import IngestJob, KnowledgeBaseRecord
from services.retrieval.domain.search import (
    DEFAULT_TOP_K,
    Diversity,
    Hit,
    SearchTask,
    SearchType,
    TaskResult,
    TaskStatus,
)
from services.retrieval.domain.versions.families import FIRST_DAY
from services.retrieval.service.items import DocumentOutcome, IngestTally, Outcome
from trirag.retrieval.v1 import knowledge_base_pb2 as kb_pb2
from trirag.retrieval.v1 import retrieval_pb2

_TYPES = {
    retrieval_pb2.SEARCH_TYPE_UNSPECIFIED: SearchType.HYBRID,
    retrieval_pb2.SEARCH_TYPE_DENSE: SearchType.DENSE,
    retrieval_pb2.SEARCH_TYPE_KEYWORD: SearchType.KEYWORD,
    retrieval_pb2.SEARCH_TYPE_HYBRID: SearchType.HYBRID,
    retrieval_pb2.SEARCH_TYPE_TWO_STAGE: SearchType.TWO_STAGE,
}
_STATUSES = {
    TaskStatus.OK: retrieval_pb2.TASK_STATUS_OK,
    TaskStatus.NOT_FOUND: retrieval_pb2.TASK_STATUS_NOT_FOUND,
    TaskStatus.UNAVAILABLE: retrieval_pb2.TASK_STATUS_UNAVAILABLE,
    TaskStatus.TIMEOUT: retrieval_pb2.TASK_STATUS_TIMEOUT,
    TaskStatus.FAILED_PRECONDITION: retrieval_pb2.TASK_STATUS_FAILED_PRECONDITION,
    TaskStatus.INVALID: retrieval_pb2.TASK_STATUS_INVALID,
}
_OUTCOMES = {
    Outcome.CREATED: kb_pb2.DOCUMENT_OUTCOME_CREATED,
    Outcome.REPLACED: kb_pb2.DOCUMENT_OUTCOME_REPLACED,
    Outcome.UNCHANGED: kb_pb2.DOCUMENT_OUTCOME_UNCHANGED,
    Outcome.REJECTED: kb_pb2.DOCUMENT_OUTCOME_REJECTED,
}


def from_proto_task(message: retrieval_pb2.SearchTask, field: str) -> SearchTask:
    """Raises InvalidInput for a date that does not exist or an interval that ends before it starts."""
    return SearchTask(
        task_id=message.task_id,
        query=message.query,
        knowledge_base=message.knowledge_base,
        condition=from_proto_filter(message.filter, f"{field}.filter"),
        type=_TYPES.get(message.type, SearchType.HYBRID),
        top_k=message.top_k or DEFAULT_TOP_K,
        every_version=message.filter.include_superseded,
        # Unset means the best there is: hybrid, reranked.
        rerank=message.rerank or message.type == retrieval_pb2.SEARCH_TYPE_UNSPECIFIED,
        expand_parent=message.expand_parent,
        diversity=Diversity(
            message.diversity.max_per_document, message.diversity.novelty, message.diversity.merge_same_text
        ),
    )


def from_proto_filter(message: retrieval_pb2.SearchFilter, field: str) -> ChunkFilter:
    """Without access keys: those are never a caller's to give."""
    has_day = message.HasField("in_force_on")
    return ChunkFilter(
        access_keys=(),
        in_force_on=from_proto_date(message.in_force_on, f"{field}.in_force_on") if has_day else None,
        doc_types=tuple(message.doc_types),
        languages=tuple(message.languages),
        document_ids=tuple(message.document_ids),
        min_authority=message.min_authority,
        published=(
            from_proto_interval(message.published, f"{field}.published") if message.HasField("published") else None
        ),
        heading=message.heading,
        versions=tuple(message.versions),
    )


def to_proto_result(result: TaskResult) -> retrieval_pb2.TaskResult:
    """Every field has its namesake."""
    return retrieval_pb2.TaskResult(
        task_id=result.task_id,
        status=_STATUSES[result.status],
        message=result.message,
        hits=[_to_proto_hit(hit) for hit in result.hits],
        latency_ms=result.latency_ms,
        filter_description=result.filter_description,
        cached=result.cached,
        embedding_model=result.embedding_model,
    )


def _to_proto_hit(hit: Hit) -> retrieval_pb2.Hit:
    return retrieval_pb2.Hit(
        chunk=to_proto_chunk(hit.chunk),
        score=hit.score,
        rank=hit.rank,
        components=[
            retrieval_pb2.ScoreComponent(name=part.name, score=part.score, rank=part.rank) for part in hit.components
        ],
        version_choice=hit.version_choice,
        also_in=hit.also_in,
    )


def to_proto_outcome(outcome: DocumentOutcome) -> kb_pb2.DocumentResult:
    """Every field has its namesake."""
    return kb_pb2.DocumentResult(
        origin=printable(outcome.origin),
        document_id=outcome.document_id,
        outcome=_OUTCOMES[outcome.outcome],
        chunk_count=outcome.chunk_count,
        reason=outcome.reason,
        message=outcome.message,
        warnings=outcome.warnings,
    )


def to_proto_summary(tally: IngestTally, latency_ms: float) -> kb_pb2.IngestSummary:
    """Counts and every rejection."""
    return kb_pb2.IngestSummary(
        created=tally.created,
        replaced=tally.replaced,
        unchanged=tally.unchanged,
        rejected=[to_proto_outcome(outcome) for outcome in tally.rejected],
        chunk_count=tally.chunk_count,
        latency_ms=latency_ms,
        job_id=tally.job_id,
    )


def to_proto_knowledge_base(record: KnowledgeBaseRecord) -> kb_pb2.KnowledgeBase:
    """Every field has its namesake."""
    return kb_pb2.KnowledgeBase(
        name=record.name,
        document_count=record.document_count,
        chunk_count=record.chunk_count,
        embedding_model=record.embedder.label,
        dimension=record.embedder.dimension,
        created_at=to_timestamp(record.created_at),
        updated_at=to_timestamp(record.updated_at),
    )


def to_proto_job(job: IngestJob) -> kb_pb2.IngestJob:
    """Every field has its namesake."""
    return kb_pb2.IngestJob(
        job_id=job.job_id,
        state=kb_pb2.IngestJobState.Value(f"INGEST_JOB_STATE_{job.state.upper()}"),
        started_at=to_timestamp(job.started_at),
        updated_at=to_timestamp(job.updated_at),
        counts=dict(job.counts),
        knowledge_base=job.knowledge_base,
    )


def to_proto_document(document: StoredDocument) -> kb_pb2.Document:
    """With the days on which it is the version in force, which its window is in day numbers."""
    window = document.window
    return kb_pb2.Document(
        metadata=to_proto_metadata(document.metadata),
        chunk_count=document.chunk_count,
        ingested_at=to_timestamp(document.ingested_at),
        in_force_from=to_proto_date(_day(window.start)),
        in_force_to=to_proto_date(_day(window.end)),
        never_in_force=window.start > window.end,
        retired_at=to_proto_date(document.metadata.retired_at),
    )


def _day(number: int) -> date | None:
    return date.fromordinal(number) if FIRST_DAY < number <= date.max.toordinal() else None


def to_timestamp(seconds: float) -> timestamp_pb2.Timestamp:
    """From seconds since the epoch."""
    stamp = timestamp_pb2.Timestamp()
    stamp.FromMicroseconds(round(seconds * 1_000_000))
    return stamp
