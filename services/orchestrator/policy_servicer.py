"""PolicyService: reads the policy in force and checks drafts."""

from __future__ import annotations

import asyncio

import grpc

from services.orchestrator.adapters.policy_file import InvalidFileError, WatchedFile, parse_policy
from services.orchestrator.domain.policy import Policy
from trirag.orchestrator.v1 import policy_pb2 as pb
from trirag.orchestrator.v1 import policy_pb2_grpc


class PolicyServicer(policy_pb2_grpc.PolicyServiceServicer):
    """The policy file, seen from outside."""

    def __init__(self, policy: WatchedFile[Policy]) -> None:
        self._policy = policy

    async def GetPolicy(  # noqa: N802
        self, request: pb.GetPolicyRequest, context: grpc.aio.ServicerContext
    ) -> pb.GetPolicyResponse:
        """The policy in force, and why the file on disk is not, if it is not."""
        return pb.GetPolicyResponse(
            yaml=self._policy.text, version=self._policy.value.version, pending_error=self._policy.pending_error
        )

    async def ValidatePolicy(  # noqa: N802
        self, request: pb.ValidatePolicyRequest, context: grpc.aio.ServicerContext
    ) -> pb.ValidatePolicyResponse:
        """Every problem of a draft; nothing is applied."""
        try:
            # Away from the event loop: a draft may be as large as the request allows.
            await asyncio.to_thread(parse_policy, request.yaml)
        except InvalidFileError as error:
            problems = [pb.PolicyProblem(field=p.field, line=p.line, message=p.message) for p in error.problems]
            return pb.ValidatePolicyResponse(valid=False, problems=problems)
        return pb.ValidatePolicyResponse(valid=True)
