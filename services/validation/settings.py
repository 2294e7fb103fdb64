"""Settings of Validation; every name begins with TRIRAG_VALIDATION_ (shared ones with TRIRAG_)."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from services.common.settings import ServiceSettings


class ValidationSettings(ServiceSettings):
    """What Validation can be told. Words, units, policy and weights are in ``config_dir``/validation."""

    model_config = SettingsConfigDict(env_prefix="TRIRAG_VALIDATION_", extra="ignore", frozen=True)

    port: int = Field(50053, ge=0, le=65535)
    dictionary: bool = Field(True, description="Load the Chinese-English dictionary for matching across languages.")
    judge_api_key: str = Field("", repr=False, description="Key for the optional second opinion; empty: none is sent.")
