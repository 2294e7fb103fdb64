"""The command line and a service that dies whenever it comes to a certain document."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from tests.integration.retrieval.parts import ROOT, EmbeddingEndpoint, MilvusServer, Process, RetrievalProcess
from trirag.retrieval.v1 import knowledge_base_pb2 as kb_pb2

# As a fault in a library written in C would end it.
DEADLY = """
import os
from services.retrieval.service import prepare
clean_text = prepare.clean_text
prepare.clean_text = lambda text: os._exit(1) if "deadly" in text else clean_text(text)
import runpy
if __name__ == "__main__":
    runpy.run_module("services.retrieval", run_name="__main__")
"""


class MortalService(RetrievalProcess):
    """Started again whenever it has died, as a supervisor does."""

    def spawn(self) -> Process:
        script = self._folder / "deadly.py"
        script.write_text(DEADLY)
        self.process = Process([str(script)], self._folder / "service.log", self._environment)
        return self.process

    def keep(self, until: threading.Event) -> None:
        """Starts it again until the event comes."""
        while not until.wait(0.1):
            if not self.process.running:
                self.spawn()


def test_the_document_is_named_and_all_others_are_stored(
    tmp_path: Path, free_port: Callable[[], int], milvus: MilvusServer, endpoint: EmbeddingEndpoint
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for number in range(12):
        (docs / f"{number:02}.md").write_text(f"Note {number} about otters." if number != 5 else "This one is deadly.")
    service = MortalService(tmp_path, free_port(), milvus, endpoint, TRIRAG_RETRIEVAL_LEASE_SECONDS="2")
    over = threading.Event()
    keeper = threading.Thread(target=service.keep, args=(over,))
    try:
        service.wait_serving()
        keeper.start()
        command = [sys.executable, "-m", "cli.main", "ingest", str(docs), "--kb", "mortal", "--json"]
        environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'gen'}"}
        environment["TRIRAG_URL"] = f"127.0.0.1:{service.port}"
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=240)
        assert done.returncode == 1, done.stderr
        told = json.loads(done.stdout)
        assert [(r["origin"], r["reason"]) for r in told["rejected"]] == [("05.md", "ENDS_SERVICE")]
        assert told["created"] == 11 and "05.md: the service died" in done.stderr
        listed = service.bases.ListDocuments(kb_pb2.ListDocumentsRequest(knowledge_base="mortal"), timeout=10)
        assert len(listed.documents) == 11
    finally:
        over.set()
        if keeper.ident:
            keeper.join(30)
        service.stop()
