"""PolicyService: reads policies, checks drafts, puts them in force."""

from __future__ import annotations

import asyncio

import grpc

from services.common.identity import current_identity, require_member
from services.orchestrator.adapters.policy_file import InvalidFileError, parse_policy
from services.orchestrator.adapters.policy_history import PolicyVersion
from services.orchestrator.policy_keeper import PolicyKeeper
from trirag.orchestrator.v1 import insight_pb2, policy_pb2_grpc
from trirag.orchestrator.v1 import policy_pb2 as pb

DEFAULT_PAGE = 20


class PolicyServicer(policy_pb2_grpc.PolicyServiceServicer):
    """The policy file and its history, seen from outside. ``group``: who may change it; empty: everyone."""

    def __init__(self, keeper: PolicyKeeper, group: str = "") -> None:
        self._keeper = keeper
        self._group = group

    async def GetPolicy(  # noqa: N802
        self, request: pb.GetPolicyRequest, context: grpc.aio.ServicerContext
    ) -> pb.GetPolicyResponse:
        """The policy in force, and why the file on disk is not, if it is not; or an earlier one."""
        file = self._keeper.file
        if request.version and request.version != file.value.version:
            found = await self._keeper.find(request.version)
            return pb.GetPolicyResponse(yaml=found.yaml, version=found.version)
        return pb.GetPolicyResponse(yaml=file.text, version=file.value.version, pending_error=file.pending_error)

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

    async def UpdatePolicy(  # noqa: N802
        self, request: insight_pb2.UpdatePolicyRequest, context: grpc.aio.ServicerContext
    ) -> pb.UpdatePolicyResponse:
        """Puts a policy in force."""
        version = await self._keeper.apply(request.yaml, request.etag, self._changer(), request.note)
        return pb.UpdatePolicyResponse(version=version)

    async def ListPolicyVersions(  # noqa: N802
        self, request: pb.ListPolicyVersionsRequest, context: grpc.aio.ServicerContext
    ) -> insight_pb2.ListPolicyVersionsResponse:
        """The policies that came into force."""
        versions = [_told(version) for version in await self._keeper.versions(request.page_size or DEFAULT_PAGE)]
        if versions and versions[0].version == self._keeper.file.value.version:
            versions[0].in_force = True
        return insight_pb2.ListPolicyVersionsResponse(versions=versions)

    async def RollbackPolicy(  # noqa: N802
        self, request: insight_pb2.RollbackPolicyRequest, context: grpc.aio.ServicerContext
    ) -> pb.RollbackPolicyResponse:
        """Puts an earlier policy in force again."""
        former = await self._keeper.rollback(request.version, self._changer(), request.note)
        return pb.RollbackPolicyResponse(former_version=former)

    def _changer(self) -> str:
        """The caller, who may change the policy. Raises PermissionDenied."""
        require_member(self._group, "POLICY_GROUP_REQUIRED", "change the policy")
        return current_identity().subject


def _told(version: PolicyVersion) -> insight_pb2.PolicyVersion:
    told = insight_pb2.PolicyVersion(version=version.version, subject=version.subject, note=version.note)
    told.applied_at.FromDatetime(version.since)
    return told
