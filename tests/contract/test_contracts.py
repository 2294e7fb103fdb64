"""The contracts hold together: rules that can be kept, documentation, and load profiles that call what there is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2, json_format, message_factory
from google.protobuf.descriptor_pool import DescriptorPool

from services.common.request_rules import violations
from services.orchestrator.domain.policy import Strategy
from services.orchestrator.domain.remedies import Decision
from trirag.common.v1 import field_rules_pb2

ROOT = Path(__file__).resolve().parents[2]
PROFILES = sorted((ROOT / "bench" / "ghz").glob("*.json"))


@pytest.fixture(scope="module")
def image() -> descriptor_pb2.FileDescriptorSet:
    path = ROOT / "gen" / "image.binpb"
    assert path.is_file(), "run `make protos` first"
    return descriptor_pb2.FileDescriptorSet.FromString(path.read_bytes())


@pytest.fixture(scope="module")
def pool(image: descriptor_pb2.FileDescriptorSet) -> DescriptorPool:
    made = DescriptorPool()
    for file in image.file:
        made.Add(file)
    return made


def own_files(image: descriptor_pb2.FileDescriptorSet) -> list[descriptor_pb2.FileDescriptorProto]:
    return [f for f in image.file if f.package.startswith("trirag.")]


def test_every_field_and_method_is_documented(image):
    undocumented = []
    for file in own_files(image):
        told = {tuple(loc.path) for loc in file.source_code_info.location if loc.leading_comments.strip()}
        for i, message in enumerate(file.message_type):
            undocumented += [
                f"{file.package}.{message.name}.{field.name}"
                for j, field in enumerate(message.field)
                if (4, i, 2, j) not in told
            ]
        for i, service in enumerate(file.service):
            undocumented += [
                f"{file.package}.{service.name}.{method.name}"
                for j, method in enumerate(service.method)
                if (6, i, 2, j) not in told
            ]
    assert undocumented == []


STAGE = re.compile(r'\.stage\("(\w+)"')
STAGES = {
    name
    for path in (ROOT / "services" / "orchestrator").glob("*.py")
    for name in STAGE.findall(path.read_text("utf-8"))
}
LISTED = [
    ("StageTiming.stage", STAGES),
    ("ValidatedEvent.decision", set(Decision)),
    ("SufficiencyEvent.decision", {"answer", "search_again", "refuse"}),
    ("AttemptEvent.strategy", set(Strategy)),
    ("Plan.generation_strategy", set(Strategy)),
]


@pytest.mark.parametrize(("field", "values"), LISTED, ids=[field for field, _ in LISTED])
def test_the_values_that_a_comment_lists_are_those_there_are(field, values, image):
    comments = {
        f"{message.name}.{message.field[loc.path[3]].name}": loc.leading_comments
        for file in own_files(image)
        if file.package == "trirag.orchestrator.v1"
        for loc in file.source_code_info.location
        if len(loc.path) == 4 and loc.path[0] == 4 and loc.path[2] == 2
        for message in (file.message_type[loc.path[1]],)
    }
    listed = comments[field].split(":")[-1].strip().rstrip(".").split(", ")
    assert set(listed) == values


def test_every_pattern_compiles(image):
    for file in own_files(image):
        for message in file.message_type:
            for field in message.field:
                options = descriptor_pb2.FieldOptions.FromString(field.options.SerializeToString())
                re.compile(options.Extensions[field_rules_pb2.rules].pattern)


@pytest.mark.parametrize("path", PROFILES, ids=[p.stem for p in PROFILES])
def test_a_load_profile_calls_what_there_is_with_a_valid_request(path: Path, pool: DescriptorPool):
    profile = json.loads(path.read_text(encoding="utf-8"))
    service, method = profile["call"].split("/")
    request_type = pool.FindServiceByName(service).FindMethodByName(method).input_type
    request = json_format.ParseDict(profile["data"], message_factory.GetMessageClass(request_type)())
    assert violations(request) == []
    assert profile["host"].startswith("127.")
