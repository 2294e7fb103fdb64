"""Knobs of ingestion that a knowledge owner turns (config/ingest.yaml)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from services.retrieval.domain.passages.chunks import ChunkingRules


@dataclass(frozen=True, slots=True)
class Limits:
    """Largest accepted inputs: bytes of a file, characters of a text, pages; unpacked/packed ratio, unpacked bytes,
    files and nesting of archives; seconds and bytes granted to the reading of one file."""

    file_bytes: int = 32 * 1024 * 1024
    text_characters: int = 10_000_000
    pages: int = 5_000
    archive_ratio: int = 200
    archive_bytes: int = 512 * 1024 * 1024
    archive_files: int = 10_000
    archive_depth: int = 3
    parse_seconds: float = 600.0
    parse_bytes: int = 1024 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class HealthThresholds:
    """Shares in [0, 1] above which a document is blocked or reported."""

    block_dirt_share: float = 0.005
    block_mojibake_share: float = 0.02
    warn_mojibake_share: float = 0.001
    warn_empty_pages_share: float = 0.2
    warn_table_cells_lost_share: float = 0.02
    warn_repeated_lines_share: float = 0.05
    near_duplicate_similarity: float = 0.85


@dataclass(frozen=True, slots=True)
class IngestConfig:
    """All of config/ingest.yaml."""

    chunking: ChunkingRules = field(default_factory=ChunkingRules)
    limits: Limits = field(default_factory=Limits)
    health: HealthThresholds = field(default_factory=HealthThresholds)

    def for_model(self, model_tokens: int) -> IngestConfig:
        """The same with passages that a model can read which reads so many tokens."""
        return replace(self, chunking=self.chunking.within(model_tokens))

    @property
    def chunking_label(self) -> str:
        """The sizes as one word: part of a document's fingerprint."""
        rules = self.chunking
        return f"{rules.target}/{rules.maximum}/{rules.anchor_pack}/{rules.overlap}"
