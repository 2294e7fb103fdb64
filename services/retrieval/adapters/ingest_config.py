"""Reads config/ingest.yaml; what it says wrongly stops start-up in words."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, model_validator

from services.common.config_file import read_config
from services.retrieval.domain.ingest_config import HealthThresholds, IngestConfig, Limits
from services.retrieval.domain.passages.chunks import ChunkingRules


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Chunking(_Section):
    target_tokens: int = Field(280, ge=32, le=8000)
    maximum_tokens: int = Field(440, ge=32, le=8000)
    anchor_pack_tokens: int = Field(40, ge=0, le=2000)
    overlap_tokens: int = Field(48, ge=0, le=500)

    @model_validator(mode="after")
    def _ordered(self) -> _Chunking:
        if self.target_tokens > self.maximum_tokens:
            raise ValueError("target_tokens must not exceed maximum_tokens")
        return self


class _Limits(_Section):
    file_mib: int = Field(32, ge=1, le=1024)
    text_characters: int = Field(10_000_000, ge=1000)
    pages: int = Field(5_000, ge=1)
    archive_ratio: int = Field(200, ge=2)
    archive_mib: int = Field(512, ge=1)
    archive_files: int = Field(10_000, ge=1)
    archive_depth: int = Field(3, ge=1, le=16)
    parse_seconds: float = Field(600.0, ge=1, le=86_400)
    parse_memory_mib: int = Field(1024, ge=128)


class _Health(_Section):
    block_dirt_share: float = Field(0.005, ge=0, le=1)
    block_mojibake_share: float = Field(0.02, ge=0, le=1)
    warn_mojibake_share: float = Field(0.001, ge=0, le=1)
    warn_empty_pages_share: float = Field(0.2, ge=0, le=1)
    warn_table_cells_lost_share: float = Field(0.02, ge=0, le=1)
    warn_repeated_lines_share: float = Field(0.05, ge=0, le=1)
    near_duplicate_similarity: float = Field(0.85, gt=0, le=1)


class _File(_Section):
    chunking: _Chunking = _Chunking()
    limits: _Limits = _Limits()
    health: _Health = _Health()


def load_ingest_config(path: Path) -> IngestConfig:
    """The configuration in ``path``. A field that is absent has its default; the file itself must be there.

    Raises:
        ConfigError: naming the file, the line, the field, the reason and the remedy.
    """
    parsed = read_config(path, _File, reason="BAD_INGEST_CONFIG")
    mib = 1024 * 1024
    return IngestConfig(
        chunking=ChunkingRules(
            target=parsed.chunking.target_tokens,
            maximum=parsed.chunking.maximum_tokens,
            anchor_pack=parsed.chunking.anchor_pack_tokens,
            overlap=parsed.chunking.overlap_tokens,
        ),
        limits=Limits(
            file_bytes=parsed.limits.file_mib * mib,
            text_characters=parsed.limits.text_characters,
            pages=parsed.limits.pages,
            archive_ratio=parsed.limits.archive_ratio,
            archive_bytes=parsed.limits.archive_mib * mib,
            archive_files=parsed.limits.archive_files,
            archive_depth=parsed.limits.archive_depth,
            parse_seconds=parsed.limits.parse_seconds,
            parse_bytes=parsed.limits.parse_memory_mib * mib,
        ),
        health=HealthThresholds(**parsed.health.model_dump()),
    )
