"""Configuration files read at start: what is wrong names the file, the line, the field, the reason and the remedy."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict, Field

from services.common.config_file import ConfigError, read_config


class Limits(BaseModel):
    model_config = ConfigDict(extra="forbid")

    pages: int = Field(5, ge=1)


class Whole(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = "x"
    limits: Limits = Limits()


def test_an_empty_file_has_the_defaults(tmp_path: Path) -> None:
    path = tmp_path / "some.yaml"
    path.write_text("# nothing\n", "utf-8")
    assert read_config(path, Whole) == Whole()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"name: x\nlimits:\n  pages: many", "some.yaml:3: limits.pages: Input should be a valid integer"),
        (b"name: x\nlimits:\n  pages: many", "(found 'many'); mend the file and start again"),
        (b"limits:\n  page: 3", "some.yaml:2: limits.page: Extra inputs are not permitted"),
        (b"limits: {pages: 3}\n\nlimits: {pages: 4}", "some.yaml:3: not valid YAML: the key 'limits' stands twice"),
        (b"name: 2024-13-45", "some.yaml:1: not valid YAML: '2024-13-45' cannot be read"),
        (b"name: [", "some.yaml:1: not valid YAML"),
        (b"- a", "some.yaml:1: the file: Input should be a valid dictionary"),
        (b"\xff\xfe", "is not UTF-8"),
        (None, "is missing; restore it or set TRIRAG_CONFIG_DIR"),
    ],
)
def test_what_is_wrong_names_its_place(tmp_path: Path, content: bytes | None, told: str) -> None:
    path = tmp_path / "some.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError) as refused:
        read_config(path, Whole, reason="BAD_SOME_CONFIG")
    assert refused.value.message.startswith(f"{path}:")
    assert told in refused.value.message
    assert refused.value.reason == "BAD_SOME_CONFIG"


def test_a_folder_in_its_place_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        read_config(tmp_path, Whole)
