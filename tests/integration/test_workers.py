"""A service with worker processes: each on a port of its own, replaced when it dies, all gone after SIGTERM."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from tests.stack import ROOT, until
from trirag.validation.v1 import validation_pb2, validation_pb2_grpc

SERVICE = "trirag.validation.v1.ValidationService"
STEP = 10


def two_free_ports() -> int:
    import socket

    for port in range(23000, 40000, 37):
        with contextlib.ExitStack() as held:
            try:
                for number in (port, port + STEP, port + 10000, port + STEP + 10000):
                    held.enter_context(contextlib.closing(socket.socket())).bind(("127.0.0.1", number))
            except OSError:
                continue
            return port
    raise AssertionError("no free ports")


@contextmanager
def service(port: int, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    given = {
        **os.environ,
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'gen'}",
        "TRIRAG_VALIDATION_PORT": str(port),
        **environment,
    }
    process = subprocess.Popen([sys.executable, "-m", "services.validation"], env=given, cwd=ROOT)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(40)


def serving(port: int) -> bool:
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        try:
            reply = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(service=SERVICE), timeout=2)
        except grpc.RpcError:
            return False
    return reply.status == health_pb2.HealthCheckResponse.SERVING


def children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(p) for p in found.read_text().split()] if found.exists() else []


def test_every_worker_serves_and_a_dead_one_is_replaced():
    port = two_free_ports()
    with service(port, TRIRAG_VALIDATION_WORKERS="2") as parent:
        until(lambda: serving(port) and serving(port + STEP), "the workers do not serve")
        first = children(parent.pid)
        assert len(first) == 2
        os.kill(first[0], signal.SIGKILL)
        until(lambda: len(set(children(parent.pid)) - set(first)) == 1, "the dead worker is not replaced")
        until(lambda: serving(port) and serving(port + STEP), "the new worker does not serve")
        last = children(parent.pid)
    assert parent.returncode == 0
    assert not any(Path(f"/proc/{pid}").exists() for pid in last)


def test_a_wrong_setting_ends_the_start_with_one_line():
    done = subprocess.run(
        [sys.executable, "-m", "services.validation"],
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'gen'}", "TRIRAG_VALIDATION_PORT": "many"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("trirag-validation: TRIRAG_VALIDATION_PORT=many")


def test_health_answers_while_every_thread_works():
    """More work than threads is under way; health is served by the event loop all the same."""
    port = two_free_ports()
    with service(port) as _:
        until(lambda: serving(port), "the service does not serve")
        chunk = {"chunk_id": "c1", "document": {"document_id": "d1"}, "text": "The limit is 30 days. " * 2000}
        request = validation_pb2.ValidateAnswerRequest(
            question="What is the limit?", answer="The limit is 30 days [1]. " * 40, chunks=[chunk] * 8
        )
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            stub = validation_pb2_grpc.ValidationServiceStub(channel)
            running = [stub.ValidateAnswer.future(request, timeout=300) for _ in range(12)]
            answers = [serving(port) for _ in range(5)]
            unfinished = [r for r in running if not r.done()]
            for call in running:
                call.cancel()
    assert answers == [True] * 5
    assert unfinished, "the work was over before health was asked: give it more"
