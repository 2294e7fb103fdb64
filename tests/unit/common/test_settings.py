"""Settings by environment: own names before shared ones, and one line for everything that is wrong."""

from __future__ import annotations

import pytest

from services.common.settings import SettingsError, load_settings
from services.orchestrator.settings import OrchestratorSettings


def load(monkeypatch: pytest.MonkeyPatch, **environment: str) -> OrchestratorSettings:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return load_settings(OrchestratorSettings)


def test_a_services_own_name_comes_before_the_shared_one(monkeypatch):
    settings = load(
        monkeypatch, TRIRAG_LOG_LEVEL="error", TRIRAG_ORCHESTRATOR_LOG_LEVEL="debug", TRIRAG_HOST="127.0.0.2"
    )
    assert (settings.log_level, settings.host, settings.port) == ("debug", "127.0.0.2", 50050)


def test_every_wrong_setting_is_named_with_its_value_in_one_line(monkeypatch):
    with pytest.raises(SettingsError) as caught:
        load(monkeypatch, TRIRAG_ORCHESTRATOR_PORT="many", TRIRAG_WORKERS="0")
    assert "\n" not in str(caught.value)
    assert "TRIRAG_ORCHESTRATOR_PORT=many" in str(caught.value)
    assert "TRIRAG_WORKERS=0" in str(caught.value)


def test_a_misspelt_setting_is_no_silent_default(monkeypatch):
    with pytest.raises(SettingsError, match="did you mean TRIRAG_ORCHESTRATOR_WORKERS"):
        load(monkeypatch, TRIRAG_ORCHESTRATOR_WORKRES="2")


def test_a_misspelt_shared_setting_is_none_either_and_those_of_others_pass(monkeypatch):
    others = {"TRIRAG_PERCEPTION_LOG_LEVEL": "debug", "TRIRAG_MESH_PORT": "9", "TRIRAG_START_SECONDS": "9"}
    assert load(monkeypatch, **others).log_level == "info"
    with pytest.raises(SettingsError, match="TRIRAG_LOG_LEVL is not a setting; did you mean TRIRAG_LOG_LEVEL"):
        load(monkeypatch, TRIRAG_LOG_LEVL="debug")


def test_a_secret_is_not_shown(monkeypatch):
    with pytest.raises(SettingsError) as caught:
        load(monkeypatch, TRIRAG_ORCHESTRATOR_LLM_API_KEYS="s3cret")
    assert "s3cret" not in str(caught.value)


def test_a_store_without_a_driver_stops_the_start_and_its_password_is_not_shown(monkeypatch):
    with pytest.raises(SettingsError) as caught:
        load(monkeypatch, TRIRAG_ORCHESTRATOR_DATABASE_URL="mysql://trirag:s3cret@db/traces")
    assert "TRIRAG_ORCHESTRATOR_DATABASE_URL=mysql://…@db/traces" in str(caught.value)
    assert "postgresql" in str(caught.value)
    assert "s3cret" not in str(caught.value)


def test_workers_listen_on_ports_of_their_own(monkeypatch):
    settings = load(monkeypatch, TRIRAG_ORCHESTRATOR_WORKERS="3")
    assert [settings.worker_port(i) for i in range(3)] == [50050, 50060, 50070]
    assert [settings.worker_metrics_port(i) for i in range(3)] == [60050, 60060, 60070]
