"""Fake services behind a real gRPC socket: each answers what the test tells it to and keeps what it was asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

import grpc

from services.common.errors import STATUS_DETAILS_KEY, TriragError, to_status
from trirag.orchestrator.v1 import orchestrator_pb2_grpc, policy_pb2_grpc
from trirag.perception.v1 import perception_pb2_grpc
from trirag.retrieval.v1 import knowledge_base_pb2, knowledge_base_pb2_grpc, retrieval_pb2_grpc
from trirag.validation.v1 import validation_pb2_grpc


@dataclass(frozen=True)
class Result:
    """Exit status and what was printed."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as the one JSON document that it must be."""
        return json.loads(self.out)

    @property
    def complaint(self) -> str:
        """The one line on stderr."""
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        return lines[0]


@dataclass
class FakeEdge:
    """One server for all services. ``answers`` maps a method's name to what it gives: a message, an exception
    or a function of the request; ``requests`` and ``metadata`` keep what came in, by method."""

    target: str = ""
    answers: dict[str, Any] = field(default_factory=dict)
    requests: dict[str, list[Any]] = field(default_factory=dict)
    metadata: dict[str, dict[str, str]] = field(default_factory=dict)

    def reply(self, method: str, request: Any, context: grpc.ServicerContext) -> Any:
        """What the test wants this method to give."""
        self.requests.setdefault(method, []).append(request)
        self.metadata[method] = dict(context.invocation_metadata())
        answer = self.answers.get(method)
        if callable(answer):
            answer = answer(request)
        if isinstance(answer, TriragError):
            refuse(context, answer)
        if answer is None:
            context.abort(grpc.StatusCode.UNIMPLEMENTED, f"the test gives no answer for {method}")
        return answer


def refuse(context: grpc.ServicerContext, error: TriragError) -> NoReturn:
    """Ends the call as the services' error interceptor does; without a reason, as a proxy does."""
    if error.reason:
        context.set_trailing_metadata(((STATUS_DETAILS_KEY, to_status(error).SerializeToString()),))
    context.abort(error.code, error.message)
    raise AssertionError("abort returns never")


def unary(edge: FakeEdge, method: str) -> Callable[..., Any]:
    """A unary method that asks the edge."""

    def serve(_self: Any, request: Any, context: grpc.ServicerContext) -> Any:
        return edge.reply(method, request, context)

    return serve


def server_stream(edge: FakeEdge, method: str) -> Callable[..., Any]:
    """A streaming method whose answer is a list of messages; an exception among them ends the stream."""

    def serve(_self: Any, request: Any, context: grpc.ServicerContext) -> Iterator[Any]:
        for message in edge.reply(method, request, context):
            if isinstance(message, TriragError):
                refuse(context, message)
            yield message

    return serve


def ingest(edge: FakeEdge) -> Callable[..., Any]:
    """Takes a whole stream; by default every finished document is created."""

    def serve(_self: Any, requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        received = list(requests)
        for message in edge.reply("Ingest", received, context):
            if isinstance(message, TriragError):
                refuse(context, message)
            yield message

    return serve


def created_each(received: list[Any]) -> list[Any]:
    """The events of an ingest in which every document is stored."""
    pb = knowledge_base_pb2
    origins = [m.file.path for m in received if m.HasField("file") and m.file.last_part]
    origins += [m.document.origin for m in received if m.HasField("document")]
    events = [
        pb.IngestResponse(document=pb.DocumentResult(origin=o, outcome=pb.DOCUMENT_OUTCOME_CREATED, chunk_count=1))
        for o in origins
    ]
    return [*events, pb.IngestResponse(summary=pb.IngestSummary(created=len(events), chunk_count=len(events)))]


SERVICES: dict[str, tuple[Any, Any, tuple[str, ...]]] = {
    "Orchestrator": (
        orchestrator_pb2_grpc.OrchestratorServiceServicer,
        orchestrator_pb2_grpc.add_OrchestratorServiceServicer_to_server,
        ("Ask", "ExplainPlan", "GetTrace", "ListTraces"),
    ),
    "Policy": (
        policy_pb2_grpc.PolicyServiceServicer,
        policy_pb2_grpc.add_PolicyServiceServicer_to_server,
        ("GetPolicy", "ValidatePolicy", "UpdatePolicy", "ListPolicyVersions", "RollbackPolicy"),
    ),
    "Perception": (
        perception_pb2_grpc.PerceptionServiceServicer,
        perception_pb2_grpc.add_PerceptionServiceServicer_to_server,
        ("Parse",),
    ),
    "Retrieval": (
        retrieval_pb2_grpc.RetrievalServiceServicer,
        retrieval_pb2_grpc.add_RetrievalServiceServicer_to_server,
        ("Search",),
    ),
    "KnowledgeBase": (
        knowledge_base_pb2_grpc.KnowledgeBaseServiceServicer,
        knowledge_base_pb2_grpc.add_KnowledgeBaseServiceServicer_to_server,
        (
            "ListKnowledgeBases",
            "DeleteKnowledgeBase",
            "ListDocuments",
            "DeleteDocument",
            "GetHealthReport",
            "RetireDocument",
            "ListIngestJobs",
            "CancelIngestJob",
            "GetMigration",
            "DropMigration",
        ),
    ),
    "Validation": (
        validation_pb2_grpc.ValidationServiceServicer,
        validation_pb2_grpc.add_ValidationServiceServicer_to_server,
        ("ValidateAnswer", "CheckSufficiency"),
    ),
}


@contextmanager
def fake_edge() -> Iterator[FakeEdge]:
    """The fake services on a free loopback port."""
    edge = FakeEdge(answers={"Ingest": created_each})
    server = grpc.server(ThreadPoolExecutor(max_workers=4))
    for name, (base, add, methods) in SERVICES.items():
        body: dict[str, Any] = {method: unary(edge, method) for method in methods}
        if name == "Orchestrator":
            body["AskStream"] = server_stream(edge, "AskStream")
        if name == "KnowledgeBase":
            body["Ingest"] = ingest(edge)
            body["MigrateKnowledgeBase"] = server_stream(edge, "MigrateKnowledgeBase")
            body["RollbackKnowledgeBase"] = server_stream(edge, "RollbackKnowledgeBase")
            body["WatchIngestJob"] = server_stream(edge, "WatchIngestJob")
        add(type(f"Fake{name}", (base,), body)(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    edge.target = f"127.0.0.1:{port}"
    try:
        yield edge
    finally:
        server.stop(None).wait()
