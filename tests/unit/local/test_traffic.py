"""A wrong value in config/envoy.yaml is told with file, line, field and reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cli.local.traffic import TrafficError, load_traffic


@pytest.fixture
def altered(repository: Path, tmp_path: Path):  # type: ignore[no-untyped-def]
    """Writes the real file with one replacement and returns its path."""

    def write(pattern: str, replacement: str) -> Path:
        text = (repository / "config" / "envoy.yaml").read_text(encoding="utf-8")
        changed, count = re.subn(pattern, replacement, text, count=1)
        assert count == 1
        path = tmp_path / "envoy.yaml"
        path.write_text(changed, encoding="utf-8")
        return path

    return write


def test_the_real_file_is_right(repository: Path) -> None:
    traffic = load_traffic(repository / "config" / "envoy.yaml")
    assert traffic.upstreams["perception"].retried_paths() == ["/trirag.perception.v1.PerceptionService/Parse"]


@pytest.mark.parametrize(
    ("pattern", "replacement", "field", "reason"),
    [
        ("burst: 4000", "burst: many", "edge.rate_limit.burst", "valid integer"),
        ("max_json_bytes:", "max_jsn_bytes:", "edge.max_json_bytes", "required"),
        ("required: false", "requird: false", "edge.jwt.required", "required"),
        ("per_try_seconds: 1.5", "per_try_seconds: 99", "upstreams.perception", "below longest_call_seconds"),
        ("PerceptionService/Parse", "PerceptionService", "upstreams.perception.retry.methods[0]", "pattern"),
        (r"\[PerceptionService/Parse\]", "[SearchService/Parse]", "upstreams.perception", "SearchService"),
        (r"expose: \[orchestrator", "expose: [everything", "edge", "everything"),
        ("percent: 10,", "percent: 1000,", "upstreams.orchestrator.retry_budget.percent", "less than"),
    ],
)
def test_the_field_and_its_line_are_named(altered, pattern: str, replacement: str, field: str, reason: str) -> None:  # type: ignore[no-untyped-def]
    path = altered(pattern, replacement)
    with pytest.raises(TrafficError) as error:
        load_traffic(path)
    message = str(error.value)
    found = re.match(rf"{re.escape(str(path))}:(\d+): ([\w.\[\]]+): (.*)", message)
    assert found, message
    assert found[2] == field and reason in found[3]
    assert int(found[1]) > 1


def test_the_line_is_that_of_the_value(altered) -> None:  # type: ignore[no-untyped-def]
    path = altered("burst: 4000", "burst: many")
    line = next(n for n, text in enumerate(path.read_text().splitlines(), 1) if "burst: many" in text)
    with pytest.raises(TrafficError, match=rf":{line}:"):
        load_traffic(path)


def test_no_file_and_no_yaml(tmp_path: Path) -> None:
    with pytest.raises(TrafficError, match=r"none\.yaml: is missing; restore it"):
        load_traffic(tmp_path / "none.yaml")
    (tmp_path / "bad.yaml").write_text("a: [")
    with pytest.raises(TrafficError, match=r"bad\.yaml:1: not valid YAML"):
        load_traffic(tmp_path / "bad.yaml")
    (tmp_path / "bad.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(TrafficError, match=r"bad\.yaml: is not UTF-8"):
        load_traffic(tmp_path / "bad.yaml")
