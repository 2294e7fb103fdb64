"""Every place that Envoy runs in renders to something that the real Envoy accepts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from cli.local import kubernetes, tokens
from cli.local.envoy_config import EnvoyConfigError, check, default_ca_bundle, render, tracing_from_environment
from cli.local.topology import Address, LocalSettings, Place, TopologyError, external_llm, local_place
from cli.local.traffic import Jwt, Traffic, load_traffic


@pytest.fixture(scope="module")
def traffic(repository: Path) -> Traffic:
    return load_traffic(repository / "config" / "envoy.yaml")


@pytest.fixture(scope="module")
def image(repository: Path) -> Path:
    return repository / "gen" / "image.binpb"


@pytest.fixture
def local(tmp_path: Path, image: Path) -> Place:
    tokens.ensure_secret(tmp_path)
    here = local_place(LocalSettings(perception_workers=3))
    return replace(here, jwks_file=str(tmp_path / "jwks.json"), descriptor_file=str(image))


def accepted(text: str, folder: Path) -> dict[str, Any]:
    path = folder / "envoy.yaml"
    path.write_text(text)
    check(path)
    parsed: dict[str, Any] = yaml.safe_load(text)
    return parsed


def clusters(config: dict[str, Any]) -> dict[str, Any]:
    return {cluster["name"]: cluster for cluster in config["static_resources"]["clusters"]}


def test_one_machine_has_both_listeners_and_every_worker(
    local: Place, traffic: Traffic, image: Path, tmp_path: Path
) -> None:
    config = accepted(render(local, traffic, image), tmp_path)
    assert [listener["name"] for listener in config["static_resources"]["listeners"]] == ["edge", "mesh"]
    hosts = clusters(config)["perception"]["load_assignment"]["endpoints"][0]["lb_endpoints"]
    ports = [host["endpoint"]["address"]["socket_address"]["port_value"] for host in hosts]
    assert ports == [50051, 50061, 50071]


@pytest.mark.parametrize("listener", ["edge", "mesh"])
def test_kubernetes_places_are_accepted(listener: str, traffic: Traffic, image: Path, tmp_path: Path) -> None:
    tokens.ensure_secret(tmp_path)
    place = kubernetes.edge_place() if listener == "edge" else kubernetes.mesh_place(traffic)
    place = replace(place, jwks_file=str(tmp_path / "jwks.json"), descriptor_file=str(image))
    config = accepted(render(place, traffic, image), tmp_path)
    names = [it["name"] for it in config["static_resources"]["listeners"]]
    assert names == [listener, "metrics"]
    assert all(c["type"] == "STRICT_DNS" for n, c in clusters(config).items() if n != "own_admin")


@pytest.mark.parametrize(
    "environment",
    [
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4317"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"},
        {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://collector.example.org:4317"},
    ],
)
def test_tracing_is_accepted(
    environment: dict[str, str], local: Place, traffic: Traffic, image: Path, tmp_path: Path
) -> None:
    config = accepted(render(local, traffic, image, tracing_from_environment(environment)), tmp_path)
    assert "otlp_collector" in clusters(config)


def test_no_endpoint_no_tracing() -> None:
    assert tracing_from_environment({}) is None
    off = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4317", "OTEL_SDK_DISABLED": "true"}
    assert tracing_from_environment(off) is None
    with pytest.raises(EnvoyConfigError, match="OTEL_EXPORTER_OTLP_PROTOCOL=http/json"):
        tracing_from_environment({**off, "OTEL_SDK_DISABLED": "", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json"})


def test_strict_edge_is_accepted(local: Place, traffic: Traffic, image: Path, tmp_path: Path) -> None:
    jwt = Jwt(required=True, issuer="https://id.example.org", audiences=("trirag",))
    edge = traffic.edge.model_copy(
        update={"jwt": jwt, "cors_allow_origins": ("https://desk.example.org",), "client_rate_limit": None}
    )
    accepted(render(local, traffic.model_copy(update={"edge": edge}), image), tmp_path)


def test_a_model_server_elsewhere(local: Place, traffic: Traffic, image: Path, tmp_path: Path) -> None:
    elsewhere = external_llm("TRIRAG_LLM_URL", "https://models.example.org/openai/v1")
    place = replace(local, addresses={**local.addresses, "llm": elsewhere})
    config = accepted(render(place, traffic, image, ca_bundle=default_ca_bundle()), tmp_path)
    cluster = clusters(config)["llm"]
    assert cluster["transport_socket"]["typed_config"]["sni"] == "models.example.org"
    assert "health_checks" not in cluster
    text = yaml.safe_dump(config)
    assert "prefix_rewrite: /openai/v1/" in text


@pytest.mark.parametrize("url", ["models.example.org", "ftp://models.example.org/v1", "http://h:99999/v1"])
def test_a_wrong_model_url_is_named(url: str) -> None:
    with pytest.raises(TopologyError, match="TRIRAG_LLM_URL="):
        external_llm("TRIRAG_LLM_URL", url)


def test_every_upstream_is_guarded(local: Place, traffic: Traffic, image: Path) -> None:
    for name, cluster in clusters(yaml.safe_load(render(local, traffic, image))).items():
        threshold = cluster["circuit_breakers"]["thresholds"][0]
        assert threshold["track_remaining"] is True, name
        assert {"max_connections", "max_pending_requests", "max_requests", "max_retries"} <= set(threshold)
        assert cluster["outlier_detection"] and cluster["health_checks"], name
        assert cluster["lb_policy"] == "LEAST_REQUEST", name


def test_only_safe_calls_are_repeated_on_more_than_a_failed_connection(
    local: Place, traffic: Traffic, image: Path
) -> None:
    config = yaml.safe_load(render(local, traffic, image))
    repeated = set()
    for listener in config["static_resources"]["listeners"]:
        manager = listener["filter_chains"][0]["filters"][0]["typed_config"]
        for route in manager["route_config"]["virtual_hosts"][0]["routes"]:
            policy = route.get("route", {}).get("retry_policy", {})
            if policy.get("retry_on", "connect-failure") != "connect-failure":
                repeated.add(route["name"].rsplit("/", 1)[1])
    assert repeated == {"Parse", "Search", "GetChunks", "CheckSufficiency", "ValidateAnswer"}


def test_what_envoy_refuses_is_told(tmp_path: Path) -> None:
    wrong = tmp_path / "envoy.yaml"
    wrong.write_text("static_resources: {listeners: [{name: x, no_such_field: 1}]}")
    with pytest.raises(EnvoyConfigError, match="no_such_field"):
        check(wrong)


def test_without_the_image_the_remedy_is_named(local: Place, traffic: Traffic, tmp_path: Path) -> None:
    with pytest.raises(EnvoyConfigError, match="make protos"):
        render(local, traffic, tmp_path / "none.binpb")


def test_addresses_of_workers_are_a_decade_apart() -> None:
    assert LocalSettings(retrieval_port=6000, retrieval_workers=2).worker_ports("retrieval") == [6000, 6010]
    assert Address((("h", 1),)).path_prefix == "/v1"
