"""A policy is put in force by its file, and what was in force can be put back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from services.common.errors import FailedPrecondition, InvalidInput, NotFound, PermissionDenied, Unavailable
from services.common.identity import Identity, acting_as
from services.common.offload import BlockingPool
from services.orchestrator.adapters.migrate import migrate
from services.orchestrator.adapters.policy_file import WatchedFile, parse_policy
from services.orchestrator.adapters.policy_history import PolicyHistory, PolicyVersion
from services.orchestrator.adapters.trace_store import open_engine
from services.orchestrator.policy_keeper import PolicyKeeper
from services.orchestrator.policy_servicer import PolicyServicer
from trirag.orchestrator.v1 import insight_pb2
from trirag.orchestrator.v1 import policy_pb2 as pb

SEED = (Path(__file__).parent / "seed_policy.yaml").read_text(encoding="utf-8")
EDITED = SEED + "\n# edited\n"
FIRST, SECOND = parse_policy(SEED).version, parse_policy(EDITED).version


class Rig:
    """A policy file with its keeper."""

    def __init__(self, folder: Path) -> None:
        self.url = f"sqlite:///{folder / 'traces.db'}"
        migrate(self.url)
        self.path = folder / "policy.yaml"
        self.path.write_text(SEED, encoding="utf-8")
        self.history = PolicyHistory(open_engine(self.url))
        self.pool = BlockingPool(1)
        self.keeper = self.another()

    def another(self) -> PolicyKeeper:
        """That of another process."""
        return PolicyKeeper(self.path, WatchedFile(self.path, parse_policy), self.history, self.pool)

    async def lines(self) -> list[tuple[str, str, str]]:
        return [(v.version, v.subject, v.note) for v in await self.keeper.versions(10)]


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110 - what happens in a file and a database tells nobody
            await asyncio.sleep(0.01)


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    made = Rig(tmp_path)
    yield made
    made.pool.close()
    made.history.close()


async def test_a_policy_that_is_applied_is_in_its_file_in_force_and_in_the_history(rig: Rig) -> None:
    rig.path.chmod(0o640)
    assert await rig.keeper.apply(EDITED, FIRST, "ana", "stricter") == SECOND
    assert rig.path.read_text(encoding="utf-8") == EDITED
    assert rig.path.stat().st_mode & 0o777 == 0o640
    assert rig.keeper.file.value.version == SECOND
    assert await rig.lines() == [(SECOND, "ana", "stricter"), (FIRST, "", "")]
    assert [p.name for p in rig.path.parent.glob(".policy*")] == []


async def test_an_edit_of_a_policy_that_is_not_in_force_any_more_is_refused(rig: Rig) -> None:
    rig.path.write_text(EDITED, encoding="utf-8")  # by hand, and not seen yet
    with pytest.raises(FailedPrecondition) as refused:
        await rig.keeper.apply(SEED + "\n# other\n", FIRST, "ana", "")
    assert refused.value.reason == "POLICY_CHANGED" and SECOND in refused.value.message
    assert rig.path.read_text(encoding="utf-8") == EDITED


async def test_a_faulty_policy_changes_nothing_and_names_its_faults(rig: Rig) -> None:
    with pytest.raises(InvalidInput) as refused:
        await rig.keeper.apply(SEED.replace("then: answer", "then: maybe", 1), FIRST, "ana", "")
    assert "sufficiency[0].then" in refused.value.violations[0].description
    assert rig.path.read_text(encoding="utf-8") == SEED
    assert await rig.lines() == [(FIRST, "", "")]


async def test_a_file_that_cannot_be_written_is_told_and_not_in_the_history(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("services.orchestrator.policy_keeper.tempfile.mkstemp", refuse)
    with pytest.raises(FailedPrecondition) as refused:
        await rig.keeper.apply(EDITED, FIRST, "ana", "")
    assert refused.value.reason == "POLICY_READ_ONLY" and "Read-only file system" in refused.value.message
    assert await rig.lines() == [(FIRST, "", "")]


async def test_an_earlier_policy_is_put_in_force_again(rig: Rig) -> None:
    await rig.keeper.apply(EDITED, FIRST, "ana", "stricter")
    assert await rig.keeper.rollback(FIRST, "bo", "too strict") == SECOND
    assert rig.path.read_text(encoding="utf-8") == SEED
    assert await rig.lines() == [(FIRST, "bo", "too strict"), (SECOND, "ana", "stricter"), (FIRST, "", "")]
    with pytest.raises(NotFound):
        await rig.keeper.rollback("0" * 12, "bo", "")


async def test_a_change_by_hand_is_in_the_history_once_for_all_processes(rig: Rig) -> None:
    watchers = [asyncio.create_task(keeper.watch()) for keeper in (rig.keeper, rig.another())]
    await rig.lines()
    rig.path.write_text(EDITED, encoding="utf-8")
    await until(lambda: len(rig.history.latest(10)) == 2)
    assert await rig.lines() == [(SECOND, "", ""), (FIRST, "", "")]
    for watcher in watchers:
        watcher.cancel()
    await asyncio.gather(*watchers, return_exceptions=True)


async def test_who_applied_a_policy_is_told_though_another_process_saw_it_first(rig: Rig) -> None:
    rig.history.note(PolicyVersion(SECOND, EDITED, datetime(2026, 11, 30, tzinfo=UTC)))
    rig.history.note(PolicyVersion(SECOND, EDITED, datetime(2026, 12, 1, tzinfo=UTC), "ana", "stricter"))
    rig.history.note(PolicyVersion(SECOND, EDITED, datetime(2026, 12, 2, tzinfo=UTC), "bo", ""))
    assert [(v.subject, v.note) for v in rig.history.latest(10)] == [("ana", "stricter")]


async def test_what_is_in_force_already_is_not_applied_again(rig: Rig) -> None:
    assert await rig.keeper.apply(SEED, FIRST, "ana", "again") == FIRST
    assert await rig.lines() == [(FIRST, "", "")]


async def test_without_the_store_nothing_is_applied_and_the_policy_in_force_stays(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(_: object) -> None:
        raise OperationalError("SELECT", {}, Exception("gone"))

    monkeypatch.setattr(rig.history, "note", down)
    with pytest.raises(Unavailable):
        await rig.keeper.apply(EDITED, FIRST, "ana", "")
    assert rig.path.read_text(encoding="utf-8") == SEED and rig.keeper.file.value.version == FIRST


async def test_two_processes_that_note_the_same_change_keep_one_line(rig: Rig) -> None:
    seen = PolicyVersion(SECOND, EDITED, datetime(2026, 11, 30, tzinfo=UTC))
    other = PolicyHistory(open_engine(rig.url))
    pool = BlockingPool(8)
    await asyncio.gather(*(pool.run(history.note, seen) for history in (rig.history, other) * 4))
    assert [v.version for v in rig.history.latest(10)] == [SECOND]
    assert rig.history.latest(10)[0].since == seen.since
    pool.close()
    other.close()


async def test_only_members_of_the_group_change_the_policy_and_everyone_reads_it(rig: Rig) -> None:
    context: object = None
    servicer = PolicyServicer(rig.keeper, "owners")
    update = insight_pb2.UpdatePolicyRequest(yaml=EDITED, etag=FIRST)
    with acting_as(Identity("eve", ("staff",))), pytest.raises(PermissionDenied) as refused:
        await servicer.UpdatePolicy(update, context)
    assert refused.value.reason == "POLICY_GROUP_REQUIRED"
    with pytest.raises(PermissionDenied):
        await servicer.RollbackPolicy(insight_pb2.RollbackPolicyRequest(version=FIRST), context)
    with acting_as(Identity("ana", ("owners",))):
        assert (await servicer.UpdatePolicy(update, context)).version == SECOND
    listed = (await servicer.ListPolicyVersions(pb.ListPolicyVersionsRequest(), context)).versions
    assert [(v.version, v.subject, v.in_force) for v in listed] == [(SECOND, "ana", True), (FIRST, "", False)]
    assert (await servicer.GetPolicy(pb.GetPolicyRequest(version=FIRST), context)).yaml == SEED
    assert (await servicer.GetPolicy(pb.GetPolicyRequest(), context)).yaml == EDITED


async def test_a_faulty_file_is_mended_by_the_policy_that_is_still_in_force(rig: Rig) -> None:
    await rig.keeper.versions(10)
    rig.path.write_text("nonsense: [", encoding="utf-8")
    assert await rig.keeper.rollback(FIRST, "ana", "") == FIRST
    assert rig.path.read_text(encoding="utf-8") == SEED
    assert rig.keeper.file.pending_error == ""


async def test_of_two_processes_that_apply_at_once_one_is_refused(rig: Rig) -> None:
    other = rig.another()
    texts = [SEED + f"\n# {n}\n" for n in range(2)]
    done = await asyncio.gather(
        rig.keeper.apply(texts[0], FIRST, "ana", ""), other.apply(texts[1], FIRST, "bo", ""), return_exceptions=True
    )
    [refused] = [d for d in done if isinstance(d, FailedPrecondition)]
    assert refused.reason == "POLICY_CHANGED"
    [applied] = [text for text, d in zip(texts, done, strict=True) if d is not refused]
    assert rig.path.read_text(encoding="utf-8") == applied


async def test_processes_that_follow_different_files_note_theirs_once(rig: Rig, tmp_path: Path) -> None:
    path = tmp_path / "other.yaml"
    path.write_text(EDITED, encoding="utf-8")
    other = PolicyKeeper(path, WatchedFile(path, parse_policy), rig.history, rig.pool)
    for _ in range(3):
        await rig.keeper.versions(10)
        await other.versions(10)
    assert [version for version, _, _ in await rig.lines()] == [SECOND, FIRST]


async def test_the_version_that_is_told_is_the_one_in_force_whatever_ends_the_lines(rig: Rig) -> None:
    assert await rig.keeper.apply(EDITED.replace("\n", "\r\n"), FIRST, "ana", "") == SECOND
    assert rig.keeper.file.value.version == SECOND
    assert await rig.lines() == [(SECOND, "ana", ""), (FIRST, "", "")]
