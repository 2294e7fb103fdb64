"""A watched file tells of its changes, however they come about."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from services.common.file_watch import STEP_MS, changes_of

PATIENCE = 20


async def told(path: Path, change: Callable[[int], None]) -> bool:
    """Whether a change, made again and again until the watch is up, is told."""
    changes = changes_of(path)
    await anext(changes)
    async with asyncio.timeout(PATIENCE):
        waiting = asyncio.ensure_future(anext(changes))
        number = 0
        while not waiting.done():
            change(number := number + 1)
            # Longer than the watch waits for further changes: it would wait for the next one each time.
            await asyncio.wait([waiting], timeout=4 * STEP_MS / 1000)
    await changes.aclose()
    return True


async def test_a_change_is_told_of_a_file_by_its_bare_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "names.txt").touch()
    assert await told(Path("names.txt"), lambda n: Path("names.txt").write_text(str(n)) and None)


async def test_a_swapped_link_is_a_change_of_the_files_behind_it(tmp_path):
    (tmp_path / "..1").mkdir()
    (tmp_path / "..1" / "policy.yaml").touch()
    (tmp_path / "..data").symlink_to("..1")
    (tmp_path / "policy.yaml").symlink_to("..data/policy.yaml")

    def swap(number: int) -> None:
        (tmp_path / f"new{number}").symlink_to("..1")
        (tmp_path / f"new{number}").rename(tmp_path / "..data")

    assert await told(tmp_path / "policy.yaml", swap)


async def test_another_file_of_the_folder_is_no_change(tmp_path):
    (tmp_path / "policy.yaml").touch()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.5):
            await told(tmp_path / "policy.yaml", lambda n: (tmp_path / "other.yaml").write_text(str(n)) and None)
