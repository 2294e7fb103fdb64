"""python -m services.perception.prepare: computes and keeps what else the first start would, when an image is built."""

from __future__ import annotations

from services.common.settings import load_settings
from services.perception.interpreters import load_interpreters
from services.perception.settings import PerceptionSettings

if __name__ == "__main__":
    chosen = load_settings(PerceptionSettings)
    load_interpreters(chosen, chosen.config_dir / "perception", chosen.kept_dir)
