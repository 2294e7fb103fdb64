"""Build hook: an installation generates the protobuf code, which is never committed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ProtobufBuildHook(BuildHookInterface[Any]):
    """Runs protos/generate.py before a wheel or an editable installation is made."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        sys.path.insert(0, str(Path(self.root) / "protos"))
        from generate import generate  # type: ignore[import-not-found]

        generate(Path(self.root) / "gen")
        if version != "editable":
            build_data["force_include"][str(Path(self.root) / "gen" / "trirag")] = "trirag"
