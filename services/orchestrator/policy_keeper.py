"""The policy in force: follows its file, writes it when a policy is applied, and keeps its history.

The file is the truth. What is applied is written there and followed like any other change of it, by every process; a
change that was made by hand is in the history as well.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
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
        self._noted = ""
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
        text = _with_plain_newlines(text)  # as it will be read again: the version is that of the text
        policy = await self._checked(text)
        await self._put_in_force(PolicyVersion(policy.version, text, datetime.now(UTC), subject, note), etag)
        return policy.version

    async def rollback(self, version: str, subject: str, note: str) -> str:
        """Applies an earlier policy, and gives the version that was in force before. Raises NotFound, and as apply."""
        earlier = await self.find(version)
        await self._checked(earlier.yaml)
        return await self._put_in_force(replace(earlier, since=datetime.now(UTC), subject=subject, note=note), "")

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

    def _still(self, etag: str) -> str:
        """The version in force; refuses if it is not ``etag``, which may be empty for any."""
        self.file.reload()
        in_force = self.file.value.version
        if etag not in ("", in_force):
            raise FailedPrecondition(
                "POLICY_CHANGED", f"policy {in_force} is in force by now, not {etag}; look at it and apply again"
            )
        return in_force

    async def _put_in_force(self, policy: PolicyVersion, etag: str) -> str:
        """Gives the version that was in force before."""
        async with self._one_at_a_time:
            self._still(etag)
            await self._asked(self._note)
            former = await asyncio.to_thread(self._swap, policy, etag)
            if former == policy.version:
                return former
            try:
                await self._pool.run(self._history.note, policy)
                self._noted = policy.version
            except SQLAlchemyError as error:  # it is in force all the same; who applied it is lost
                log.warning("policy_not_noted", version=policy.version, problem=_words(error))
        return former

    def _swap(self, policy: PolicyVersion, etag: str) -> str:
        """Looks and writes while no other process does. A file that holds something else than what is in force, because
        it is faulty, is written too."""
        with _alone(self._path):
            former = self._still(etag)
            if policy.version != former or self.file.pending_error:
                _replace(self._path, policy.yaml)
                self.file.reload()
        return former

    async def _note(self) -> None:
        """What is in force, once a process: others may follow another file, and would note theirs again in turn."""
        self.file.reload()
        seen = PolicyVersion(self.file.value.version, self.file.text, datetime.now(UTC))
        if seen.version != self._noted:
            await self._pool.run(self._history.note, seen)
            self._noted = seen.version

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


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Held by one process at a time; nothing is left behind, and it needs no right to write."""
    folder = os.open(path.resolve().parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _with_plain_newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _replace(path: Path, text: str) -> None:
    """Writes a file beside ``path``, which takes its place in one step.

    Raises:
        FailedPrecondition: POLICY_READ_ONLY.
    """
    target = path.resolve()  # a link stays one
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
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
