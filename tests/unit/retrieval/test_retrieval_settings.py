"""Settings of the service: what cannot work is refused at the start, and each one is documented."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from services.common.settings import ServiceSettings, SettingsError, load_settings
from services.retrieval.adapters.rerankers.dialects import DIALECTS
from services.retrieval.settings import RetrievalSettings


@pytest.mark.parametrize("name", ["RERANKER_URL", "EMBEDDER_URL"])
@pytest.mark.parametrize("url", ["localhost:8000/v1", "http://[::1", "http://", "http://h:99999/v1", "foo bar"])
def test_what_is_no_url_of_an_endpoint_is_refused_at_the_start(
    name: str, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIRAG_RETRIEVAL_RERANKER", "http")
    monkeypatch.setenv("TRIRAG_RETRIEVAL_RERANKER_URL", "https://h/v1")
    monkeypatch.setenv(f"TRIRAG_RETRIEVAL_{name}", url)
    with pytest.raises(SettingsError, match=f"TRIRAG_RETRIEVAL_{name}.*such as http://host:8000/v1"):
        load_settings(RetrievalSettings)


def test_a_remote_reranker_needs_its_url_and_may_be_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIRAG_RETRIEVAL_RERANKER", "http")
    with pytest.raises(SettingsError, match="needs TRIRAG_RETRIEVAL_RERANKER_URL"):
        load_settings(RetrievalSettings)
    for url in ("http://h", "https://rerank.example.org/v1", "http://[::1]:8000/v1"):
        monkeypatch.setenv("TRIRAG_RETRIEVAL_RERANKER_URL", url)
        assert load_settings(RetrievalSettings).reranker_url == url


def test_every_api_of_a_reranker_can_be_set() -> None:
    assert set(get_args(RetrievalSettings.model_fields["reranker_api"].annotation)) == set(DIALECTS)


def test_every_setting_is_documented(repository: Path) -> None:
    settings = (repository / "docs" / "ingestion.md").read_text("utf-8").split("\n## Settings\n")[1].split("\n## ")[0]
    named = set(re.findall(r"`([A-Z_]+)`", settings))
    own = {name.upper() for name in RetrievalSettings.model_fields.keys() - ServiceSettings.model_fields.keys()}
    assert own - named == set()
