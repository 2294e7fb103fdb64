"""``python -m services.retrieval``."""

from __future__ import annotations

from services.common.server import run_service
from services.retrieval.bootstrap import build
from services.retrieval.settings import RetrievalSettings

if __name__ == "__main__":
    run_service("retrieval", RetrievalSettings, build)
