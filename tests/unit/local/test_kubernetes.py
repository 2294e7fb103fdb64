"""What the Kubernetes files say agrees with the services, the contracts and Envoy."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from google.protobuf import descriptor_pb2

from cli.local import kubernetes
from cli.local.processes import HEALTH_SERVICE
from cli.local.topology import METRICS_PORT_OFFSET
from services.common.settings import ServiceSettings
from services.orchestrator.adapters.trace_store import CLOSE_SECONDS


@pytest.fixture(scope="module")
def documents(repository: Path) -> list[dict[str, Any]]:
    base = repository / "k8s" / "base"
    names = yaml.safe_load((base / "kustomization.yaml").read_text())["resources"]
    files = [base / name for name in names if name.endswith(".yaml")]
    return [doc for file in files for doc in yaml.safe_load_all(file.read_text())]


@pytest.fixture(scope="module")
def deployments(documents: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {d["metadata"]["name"]: d for d in documents if d["kind"] == "Deployment"}


def pod(deployment: dict[str, Any]) -> dict[str, Any]:
    spec: dict[str, Any] = deployment["spec"]["template"]["spec"]
    return spec


def containers(deployment: dict[str, Any]) -> list[dict[str, Any]]:
    return [*pod(deployment).get("initContainers", []), *pod(deployment)["containers"]]


def test_every_container_is_confined(deployments: dict[str, dict[str, Any]]) -> None:
    assert set(deployments) == {"edge", "orchestrator", "perception", "retrieval", "validation", "vllm"}
    for name, deployment in deployments.items():
        context = pod(deployment)["securityContext"]
        assert context["runAsNonRoot"] is True and context["seccompProfile"] == {"type": "RuntimeDefault"}, name
        assert pod(deployment)["automountServiceAccountToken"] is False, name
        for container in containers(deployment):
            rights = container["securityContext"]
            assert rights["readOnlyRootFilesystem"] is True, (name, container["name"])
            assert rights["allowPrivilegeEscalation"] is False, (name, container["name"])
            assert rights["capabilities"] == {"drop": ["ALL"]}, (name, container["name"])
            assert container["resources"]["requests"] and container["resources"]["limits"]["memory"]


@pytest.mark.parametrize("service", ["orchestrator", "perception", "retrieval", "validation"])
def test_probes_and_ports_are_those_of_the_service(
    service: str, deployments: dict[str, dict[str, Any]], documents: list[dict[str, Any]]
) -> None:
    port = kubernetes.SERVICE_PORTS[service]
    container = next(c for c in pod(deployments[service])["containers"] if c["name"] == service)
    for probe in ("startupProbe", "readinessProbe"):
        assert container[probe]["grpc"] == {"port": port, "service": HEALTH_SERVICE[service]}
    ports = {p["name"]: p["containerPort"] for p in container["ports"]}
    assert ports == {"grpc": port, "metrics": port + METRICS_PORT_OFFSET}
    env = {e["name"]: e.get("value") for e in container["env"]}
    assert env[f"TRIRAG_{service.upper()}_PORT"] == str(port)
    (headless,) = [d for d in documents if d["kind"] == "Service" and d["metadata"]["name"] == service]
    assert headless["spec"]["clusterIP"] == "None" or headless["spec"]["clusterIP"] is None
    assert headless["spec"]["ports"][0]["port"] == port


@pytest.mark.parametrize("service", ["orchestrator", "perception", "retrieval", "validation"])
def test_a_pod_that_ends_has_time_for_the_calls_under_way(
    service: str, deployments: dict[str, dict[str, Any]], repository: Path
) -> None:
    container = next(c for c in pod(deployments[service])["containers"] if c["name"] == service)
    env = {e["name"]: e.get("value") for e in container["env"]}
    defaults = ServiceSettings.model_fields
    drain = float(env.get(f"TRIRAG_{service.upper()}_DRAIN_SECONDS", defaults["drain_seconds"].default))
    left = pod(deployments[service])["terminationGracePeriodSeconds"] - defaults["drain_delay_seconds"].default - drain
    assert left >= CLOSE_SECONDS
    if service == "orchestrator":
        policy = yaml.safe_load((repository / "config" / "policy.yaml").read_text())
        assert drain > policy["limits"]["max_seconds"]


def test_health_names_are_in_the_contracts(repository: Path) -> None:
    image = descriptor_pb2.FileDescriptorSet.FromString((repository / "gen" / "image.binpb").read_bytes())
    known = {f"{file.package}.{service.name}" for file in image.file for service in file.service}
    assert set(HEALTH_SERVICE.values()) <= known


def test_upstreams_of_both_envoys_have_a_service(documents: list[dict[str, Any]]) -> None:
    services = {d["metadata"]["name"]: d["spec"]["ports"][0]["port"] for d in documents if d["kind"] == "Service"}
    generated = kubernetes.generated_files()
    for path, text in generated.items():
        if not path.name.startswith("envoy-"):
            continue
        for cluster in yaml.safe_load(text)["static_resources"]["clusters"]:
            for endpoint in cluster["load_assignment"]["endpoints"][0]["lb_endpoints"]:
                address = endpoint["endpoint"]["address"]["socket_address"]
                if address["address"] != "127.0.0.1":
                    assert services[address["address"]] == address["port_value"], cluster["name"]


def test_nothing_may_talk_unless_it_is_allowed(documents: list[dict[str, Any]]) -> None:
    policies = {d["metadata"]["name"]: d["spec"] for d in documents if d["kind"] == "NetworkPolicy"}
    assert policies["deny-all"] == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    entrances = [name for name, spec in policies.items() for rule in spec.get("ingress", []) if "from" not in rule]
    assert entrances == ["edge"]


def test_validation_may_call_a_judge_only_with_the_second_opinion(
    repository: Path, documents: list[dict[str, Any]]
) -> None:
    component = repository / "k8s" / "components" / "second-opinion"
    added = list(yaml.safe_load_all((component / "network-policies.yaml").read_text()))

    def ways_out(policies: list[dict[str, Any]]) -> list[str]:
        chosen = [d for d in policies if d["kind"] == "NetworkPolicy" and "Egress" in d["spec"]["policyTypes"]]
        return [
            d["metadata"]["name"]
            for d in chosen
            if d["spec"]["podSelector"].get("matchLabels") == {"app.kubernetes.io/name": "validation"}
        ]

    assert ways_out(documents) == []
    assert ways_out(added) == ["validation-judge"]
    into_vllm = next(d["spec"] for d in added if d["metadata"]["name"] == "vllm-judge")
    assert into_vllm["ingress"][0]["from"] == [
        {"podSelector": {"matchLabels": {"app.kubernetes.io/name": "validation"}}}
    ]
    env = yaml.safe_load((component / "api-key.yaml").read_text())["spec"]["template"]["spec"]["containers"][0]["env"]
    assert [e["name"] for e in env] == ["TRIRAG_VALIDATION_JUDGE_API_KEY"]


def test_every_file_of_config_reaches_the_pods_in_its_folder(repository: Path) -> None:
    files = kubernetes.generated_files()
    generator = yaml.safe_load(files[repository / "config" / "kustomization.yaml"])["configMapGenerator"][0]
    keys = dict(entry.split("=") for entry in generator["files"])
    there = {str(p.relative_to(repository / "config")) for p in (repository / "config").rglob("*") if p.is_file()}
    # Envoy's values are rendered beforehand; the other one is the list itself.
    assert set(keys.values()) == there - {"envoy.yaml", "kustomization.yaml"}
    patch = yaml.safe_load(files[kubernetes.GENERATED / "config-volume.yaml"])
    items = patch["spec"]["template"]["spec"]["volumes"][0]["configMap"]["items"]
    assert {item["key"]: item["path"] for item in items} == keys


def test_the_dockerfile_builds_what_the_deployments_run(
    repository: Path, deployments: dict[str, dict[str, Any]]
) -> None:
    images = {c["image"] for d in deployments.values() for c in containers(d) if c["image"].startswith("trirag-")}
    assert images == {f"trirag-{service}" for service in kubernetes.SERVICE_PORTS}
    dockerfile = (repository / "Dockerfile").read_text()
    for service in kubernetes.SERVICE_PORTS:
        assert service in dockerfile
        assert (repository / "services" / service / "__main__.py").is_file()
    (prepared,) = re.findall(r"python -m (\S+prepare);", dockerfile)
    assert importlib.util.find_spec(prepared) is not None
