"""The files of k8s/ that are made from envoy/ and config/, and the checks of what kustomize renders from them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import yaml

from cli.local.envoy_config import render, tracing_from_environment
from cli.local.topology import ROOT, Address, Place, external_llm
from cli.local.traffic import Traffic, load_traffic

GENERATED = ROOT / "k8s" / "base" / "generated"
RENDERED_BY_KUSTOMIZE = ("k8s/base", "k8s/overlays/production", "k8s/overlays/second-opinion")
NOTE = "# Made by `make k8s` from envoy/ and config/; `make lint` tells when it is out of date.\n"

#: gRPC port and workers of each service on Kubernetes; more pods instead of more workers.
SERVICE_PORTS = {"orchestrator": 50050, "perception": 50051, "retrieval": 50052, "validation": 50053}
VLLM_PORT = 8000
ADMIN_PORT, METRICS_PORT = 9901, 9902
CA_BUNDLE = "/etc/ssl/certs/ca-certificates.crt"


def edge_place() -> Place:
    """The edge Deployment: every service by its headless Service, so that Envoy sees every pod."""
    return _place("trirag-edge", "edge", [*SERVICE_PORTS])


def mesh_place(traffic: Traffic) -> Place:
    """The sidecar of the orchestrator, reached on loopback only."""
    place = _place("trirag-mesh", "mesh", ["perception", "retrieval", "validation", "llm"])
    url = traffic.kubernetes.llm_url
    if not url:
        return place
    addresses = {**place.addresses, "llm": external_llm("config/envoy.yaml: kubernetes.llm_url", url)}
    return replace(place, addresses=addresses)


def generated_files() -> dict[Path, str]:
    """Content by path. Raises TrafficError, TopologyError or EnvoyConfigError."""
    traffic = load_traffic(ROOT / "config" / "envoy.yaml")
    image = ROOT / "gen" / "image.binpb"
    tracing = tracing_from_environment({"OTEL_EXPORTER_OTLP_ENDPOINT": traffic.kubernetes.otlp_endpoint or ""})
    files = {
        GENERATED / f"envoy-{place.listeners[0]}.yaml": render(place, traffic, image, tracing, CA_BUNDLE)
        for place in (edge_place(), mesh_place(traffic))
    }
    names = _config_files()
    files[ROOT / "config" / "kustomization.yaml"] = _config_map(names)
    files[GENERATED / "config-volume.yaml"] = _config_volume(names)
    return {path: NOTE + text for path, text in files.items()}


def write() -> int:
    """Writes the generated files. Returns 0."""
    for path, text in generated_files().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        print(f"k8s: {path.relative_to(ROOT)}")
    return 0


def check() -> int:
    """Whether the generated files are current and everything renders and validates. Returns the exit status."""
    stale = [path for path, text in generated_files().items() if not path.is_file() or path.read_text() != text]
    for path in stale:
        print(f"k8s: {path.relative_to(ROOT)} is out of date; run `make k8s`", file=sys.stderr)
    if stale:
        return 1
    if shutil.which("kubectl") is None:
        print("k8s: skipped, kubectl is not installed")
        return 0
    return max(_validate(folder) for folder in RENDERED_BY_KUSTOMIZE)


def _validate(folder: str) -> int:
    rendered = subprocess.run(["kubectl", "kustomize", folder], cwd=ROOT, capture_output=True, text=True)
    if rendered.returncode != 0:
        print(f"k8s: {folder}: {rendered.stderr.strip()}", file=sys.stderr)
        return 1
    tool = Path(sys.executable).parent / "kubernetes-validate"
    done = subprocess.run(
        [str(tool), "--strict", "--quiet", "/dev/stdin"], input=rendered.stdout, capture_output=True, text=True
    )
    if done.returncode != 0:
        print(f"k8s: {folder}: {(done.stdout + done.stderr).strip()}", file=sys.stderr)
        return 1
    kinds = [document["kind"] for document in yaml.safe_load_all(rendered.stdout)]
    print(f"k8s: {folder} renders {len(kinds)} valid resources")
    return 0


def _place(name: str, listener: str, upstreams: list[str]) -> Place:
    hosts = {service: (service, port) for service, port in SERVICE_PORTS.items()}
    hosts["llm"] = ("vllm", VLLM_PORT)
    return Place(
        name=name,
        listeners=(listener,),
        edge_host="0.0.0.0",  # noqa: S104 - a pod's own address is not known beforehand
        edge_port=8080,
        mesh_host="127.0.0.1",
        mesh_port=9090,
        admin_port=ADMIN_PORT,
        addresses={upstream: Address((hosts[upstream],), resolve=True) for upstream in upstreams},
        jwks_file="/etc/envoy/jwks/jwks.json",
        descriptor_file="/etc/envoy/descriptor/image.binpb",
        metrics_port=METRICS_PORT,
    )


def _config_files() -> list[str]:
    """Files of config/ that the services read, relative to it; Envoy's own is rendered instead."""
    folder = ROOT / "config"
    left_out = {"envoy.yaml", "kustomization.yaml"}
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return sorted(str(path) for path in found if str(path) not in left_out and path.suffix in (".yaml", ".txt", ".tsv"))


def _key(name: str) -> str:
    """A ConfigMap key may not have slashes."""
    return name.replace("/", "__")


def _config_map(names: list[str]) -> str:
    generator = {"name": "trirag-config", "files": [f"{_key(name)}={name}" for name in names]}
    kustomization = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "configMapGenerator": [generator],
    }
    return yaml.safe_dump(kustomization, sort_keys=False)


def _config_volume(names: list[str]) -> str:
    """A patch that puts the ConfigMap's keys back into folders."""
    items = [{"key": _key(name), "path": name} for name in names]
    volume = {"name": "config", "configMap": {"name": "trirag-config", "items": items}}
    patch = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "any"},
        "spec": {"template": {"spec": {"volumes": [volume]}}},
    }
    return yaml.safe_dump(patch, sort_keys=False)
