"""Settings of the Orchestrator; every name begins with TRIRAG_ORCHESTRATOR_ (shared ones with TRIRAG_)."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from services.common.settings import DATABASE_URL, ServiceSettings


class OrchestratorSettings(ServiceSettings):
    """What the Orchestrator can be told."""

    model_config = SettingsConfigDict(env_prefix="TRIRAG_ORCHESTRATOR_", extra="ignore", frozen=True)

    port: int = Field(50050, ge=0, le=65535)
    max_in_flight: int = Field(
        16,
        ge=1,
        description="Asks admitted at once by a worker. Each makes a dozen searches: more would only make all of "
        "them late. Raise it with the cores of Retrieval and Milvus.",
    )
    mesh_address: str = Field(
        "127.0.0.1:9090", pattern=r"^[^/:]+:\d+$", description="host:port of Envoy's mesh listener."
    )
    llm_model: str = Field("", description="Name of the served model; empty: quotations only.")
    llm_api_key: str = Field("", description="Key of the OpenAI-compatible endpoint, if it wants one.")
    database_url: str = Field(
        "sqlite:///.run/traces.db",
        pattern=f"^{DATABASE_URL}",
        description="SQLAlchemy URL of the trace store; postgresql+psycopg://… in production.",
    )
    trace_queue: int = Field(1000, ge=1, description="Traces that may wait to be written; more are lost and counted.")
    policy_group: str = Field(
        "",
        description="Only members of this group may change the policy; empty: everyone, as on a developer's machine.",
    )
