"""Twenty SIGKILLs at random moments of an ingest of real documents end with the chunks of an undisturbed one.

Takes several minutes: runs only with TRIRAG_LONG_TESTS=1.
"""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Callable
from pathlib import Path

import grpc
import pytest
import yaml

from services.retrieval.domain.sidecar import parse_sidecar
from tests.integration.retrieval.parts import EmbeddingEndpoint, MilvusServer, RetrievalProcess, file, rows_of
from trirag.retrieval.v1 import knowledge_base_pb2 as kb_pb2

KILLS = 20


@pytest.mark.skipif(not os.environ.get("TRIRAG_LONG_TESTS"), reason="takes minutes; set TRIRAG_LONG_TESTS=1")
def test_twenty_kills_lose_nothing_and_double_nothing(
    tmp_path: Path, free_port: Callable[[], int], endpoint: EmbeddingEndpoint, shared_data: Path
) -> None:
    server = MilvusServer(tmp_path, free_port())
    service = RetrievalProcess(tmp_path, free_port(), server, endpoint)
    items = [*_folder(shared_data / "asvs" / "docs"), *_folder(shared_data / "nist80053" / "docs")]
    dice = random.Random(20)
    interrupted = 0
    try:
        service.wait_serving()
        assert not service.ingest("calm", items, timeout=300).rejected
        for _ in range(KILLS):
            timer = threading.Timer(dice.uniform(0.02, 0.8), service.process.kill)
            timer.start()
            try:
                service.ingest("stormy", items, timeout=300)
            except grpc.RpcError:
                interrupted += 1
            timer.join()
            service.spawn()
            service.wait_serving()
        summary = service.ingest("stormy", items, timeout=300)
        assert not summary.rejected
        calm, stormy = rows_of(server, "calm"), rows_of(server, "stormy")
        print(f"{interrupted} of {KILLS} ingests interrupted; chunks: {len(calm)} in calm, {len(stormy)} after kills")
        assert interrupted > 0
        assert calm == stormy
    finally:
        service.stop()
        server.process.kill()


def _folder(folder: Path) -> list[kb_pb2.IngestRequest]:
    sidecar = parse_sidecar(yaml.safe_load((folder / "meta.yaml").read_text("utf-8")))
    paths = sorted(path for path in folder.rglob("*.md"))
    named = [(path.relative_to(folder).as_posix(), path.read_bytes()) for path in paths]
    return [file(name, content, **sidecar.fields_for(name)) for name, content in named]
