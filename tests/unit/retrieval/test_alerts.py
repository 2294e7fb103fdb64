"""The alert rules speak of metrics that there are, with labels that they have, and fire when they should."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

_METRIC = re.compile(r"\btrirag_\w+")
_SUFFIX = re.compile(r"_(bucket|count|sum)$")
# Name, and the list of its labels where it has any, as prometheus_client is told.
_DEFINED = re.compile(r'"(trirag_\w+)",\s*"[^"]*",(?:\s*(?:labelnames=)?[\[(]([^\])]*)[\])])?', re.DOTALL)


@pytest.fixture(scope="module")
def folder(repository: Path) -> Path:
    return repository / "k8s" / "monitoring"


def rules(folder: Path) -> list[dict[str, object]]:
    parsed = yaml.safe_load((folder / "alerts.yaml").read_text("utf-8"))
    return [rule for group in parsed["groups"] for rule in group["rules"]]


def test_every_metric_of_a_rule_is_one_that_a_service_has(folder: Path, repository: Path) -> None:
    defined: dict[str, set[str]] = {}
    for path in (repository / "services").rglob("*.py"):
        for name, labels in _DEFINED.findall(path.read_text("utf-8")):
            defined[name] = set(re.findall(r'"(\w+)"', labels))
    for rule in rules(folder):
        expression = str(rule["expr"])
        names = {_SUFFIX.sub("", name) if name not in defined else name for name in _METRIC.findall(expression)}
        assert names and names <= set(defined), rule["alert"]
        known = {"le"}.union(*(defined[name] for name in names))
        grouped = re.findall(r"\b(?:by|on) \(([^)]*)\)", expression)
        used = {label.strip() for group in grouped for label in group.split(",")}
        used |= set(re.findall(r'(\w+)(?:=~|=)"', expression))
        assert used <= known, rule["alert"]


def test_no_metric_has_a_label_that_prometheus_gives_to_what_it_scrapes(repository: Path) -> None:
    """Prometheus renames such a label (``exported_job``), and a rule by its name would speak of the scraper's own."""
    for path in (repository / "services").rglob("*.py"):
        for name, labels in _DEFINED.findall(path.read_text("utf-8")):
            assert not {"job", "instance"} & set(re.findall(r'"(\w+)"', labels)), name


def test_every_rule_says_what_to_do(folder: Path) -> None:
    for rule in rules(folder):
        assert {"summary", "remedy"} <= set(rule["annotations"]), rule["alert"]  # type: ignore[call-overload]
        assert rule["labels"]["severity"] in ("warning", "critical")  # type: ignore[index]


def test_rules_fire_when_they_should(folder: Path) -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("promtool is not installed; Debian's package `prometheus` has it")
    done = subprocess.run([promtool, "test", "rules", "alerts-test.yaml"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
