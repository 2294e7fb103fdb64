"""The policy in force: follows its file, writes it when a policy is applied, and keeps its history.

The file is the truth. What is applied is written there and followed like any other change of it, by every process; a
change that was made by hand is in the history as well.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import structlog
from sqlalchemy.exc import SQLAlchemyError

from services.common.errors import FailedPrecondition, FieldViolation, InvalidInput, NotFound, Unavailable
from services.common.file_watch import changes_of
from services.common.offload import BlockingPool
from services.orchestrator.adapters.policy_file import InvalidFileError, WatchedFile, parse_policy
from services.orchestrator.adapters.policy_history import PolicyHistory, PolicyVersion
from services.orchestrator.domain.policy import Policy

log = structlog.get_logger("policy")
STORE_RETRY_SECONDS = 5.0
T = TypeVar("T")


class PolicyKeeper:
    """``path`` is that of ``file``."""

    def __init__(self, path: Path, file: WatchedFile[Policy], history: PolicyHistory, pool: BlockingPool) -> None:
        self._path = path
        self._history = history
        self._pool = pool
        self._one_at_a_time = asyncio.Lock()
        self.file = file

    async def watch(self) -> None:
        """Follows the file until cancelled. A store that is down loses no policy: it is noted at the next look."""
        async for _ in changes_of(self._path):
            try:
                await self._note()
            except SQLAlchemyError as error:
                log.warning("policy_not_noted", problem=_words(error))

    async def apply(self, text: str, etag: str, subject: str, note: str) -> str:
        """Puts a policy in force and gives its version. ``etag``: the version that must be in force before.

        Raises:
            InvalidInput: the policy has problems; nothing is changed.
            FailedPrecondition: POLICY_CHANGED, another one is in force by now; POLICY_READ_ONLY.
            Unavailable: the store of the history does not answer.
        """
        policy = await self._checked(text)
        async with self._one_at_a_time:
            self._still(etag)
            await self._put_in_force(PolicyVersion(policy.version, text, datetime.now(UTC), subject, note))
        return policy.version

    async def rollback(self, version: str, subject: str, note: str) -> str:
        """Applies an earlier policy, and gives the version that was in force before. Raises NotFound, and as apply."""
        earlier = await self.find(version)
        await self._checked(earlier.yaml)
        async with self._one_at_a_time:
            self.file.reload()
            former = self.file.value.version
            await self._put_in_force(replace(earlier, since=datetime.now(UTC), subject=subject, note=note))
        return former

    async def find(self, version: str) -> PolicyVersion:
        """An earlier policy. Raises NotFound or Unavailable."""
        found = await self._asked(lambda: self._pool.run(self._history.find, version))
        if found is None:
            raise NotFound(
                "POLICY_VERSION_NOT_FOUND", f"no policy {version} was in force; list the versions there were"
            )
        return found

    async def versions(self, count: int) -> list[PolicyVersion]:
        """The policies that came into force, the latest first. Raises Unavailable."""
        await self._asked(self._note)
        return await self._asked(lambda: self._pool.run(self._history.latest, count))

    @staticmethod
    async def _checked(text: str) -> Policy:
        try:
            # Away from the event loop: a policy may be as large as the request allows.
            return await asyncio.to_thread(parse_policy, text)
        except InvalidFileError as error:
            problems = [FieldViolation("yaml", str(problem), "INVALID_POLICY") for problem in error.problems]
            raise InvalidInput.many(problems) from None

    def _still(self, etag: str) -> None:
        self.file.reload()
        in_force = self.file.value.version
        if etag != in_force:
            raise FailedPrecondition(
                "POLICY_CHANGED", f"policy {in_force} is in force by now, not {etag}; look at it and apply again"
            )

    async def _put_in_force(self, policy: PolicyVersion) -> None:
        await self._asked(self._note)
        if policy.version == self.file.value.version:
            return
        await asyncio.to_thread(_replace, self._path, policy.yaml)
        self.file.reload()
        try:
            await self._pool.run(self._history.note, policy)
        except SQLAlchemyError as error:  # it is in force all the same; who applied it is lost
            log.warning("policy_not_noted", version=policy.version, problem=_words(error))

    async def _note(self) -> None:
        """What is in force, if the last line is not of it already."""
        self.file.reload()
        seen = PolicyVersion(self.file.value.version, self.file.text, datetime.now(UTC))
        await self._pool.run(self._history.note, seen)

    @staticmethod
    async def _asked(ask: Callable[[], Awaitable[T]]) -> T:
        try:
            return await ask()
        except SQLAlchemyError:
            raise Unavailable(
                "TRACE_STORE_UNAVAILABLE",
                "the trace store, which keeps the history, does not answer; the policy file can be edited by hand",
                retry_after=STORE_RETRY_SECONDS,
            ) from None


def _replace(path: Path, text: str) -> None:
    """Writes a file beside ``path``, which takes its place in one step.

    Raises:
        FailedPrecondition: POLICY_READ_ONLY.
    """
    target = path.resolve()  # a link stays one
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(name).chmod(target.stat().st_mode & 0o777)
            Path(name).replace(target)
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        raise FailedPrecondition(
            "POLICY_READ_ONLY",
            f"{path.name} cannot be written ({error.strerror}); change it where it comes from, such as the ConfigMap",
        ) from None


def _words(error: SQLAlchemyError) -> str:
    return str(error.__cause__ or error).splitlines()[0]
