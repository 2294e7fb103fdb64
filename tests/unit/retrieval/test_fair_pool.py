"""Jobs share places in turns, and none holds them all."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from services.retrieval.service.fair_pool import FairPool, Turns


async def settle() -> None:
    """Lets everything go on that can."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_no_job_holds_all_places_and_one_that_begins_need_not_wait() -> None:
    turns = Turns(3)
    slow = [asyncio.create_task(turns.take("slow")) for _ in range(12)]
    await settle()
    assert sum(task.done() for task in slow) == 2
    await asyncio.wait_for(turns.take("small"), 5)
    for task in slow:
        task.cancel()


async def test_places_that_come_free_go_to_jobs_in_turns() -> None:
    turns = Turns(2)
    order: list[str] = []

    async def work(job: str, number: int) -> None:
        await turns.take(job)
        order.append(f"{job}{number}")

    await turns.take("x")
    await turns.take("y")
    waiting = [asyncio.create_task(work(*one)) for one in (("a", 1), ("a", 2), ("a", 3), ("b", 1), ("c", 1))]
    await settle()
    assert order == []
    for last in ("x", "a", "b", "c", "a"):
        turns.give_back(last)
        await settle()
    assert order == ["a1", "b1", "c1", "a2", "a3"]
    await asyncio.gather(*waiting)


async def test_a_single_place_is_for_everyone() -> None:
    turns = Turns(1)
    await turns.take("a")
    other = asyncio.create_task(turns.take("b"))
    await settle()
    assert not other.done()
    turns.give_back("a")
    await asyncio.wait_for(other, 5)


async def test_who_leaves_the_queue_takes_no_place() -> None:
    turns = Turns(1)
    await turns.take("a")
    leaving, given, staying = (asyncio.create_task(turns.take(name)) for name in "bcd")
    await settle()
    leaving.cancel()
    turns.give_back("a")  # given to c, which leaves before it learns of it
    given.cancel()
    await asyncio.wait_for(staying, 5)


@pytest.fixture
def pool() -> Iterator[FairPool]:
    made = FairPool(2, "test")
    yield made
    made.close()


async def test_work_that_was_left_holds_its_place_until_it_ends(pool: FairPool) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> None:
        begun.set()
        go_on.wait(30)

    first = asyncio.create_task(pool.run("a", slow))
    await asyncio.to_thread(begun.wait, 30)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    second = asyncio.create_task(pool.run("a", lambda: "done"))
    assert await asyncio.wait_for(pool.run("b", lambda: "other"), 30) == "other"
    await settle()
    assert not second.done()
    go_on.set()
    assert await asyncio.wait_for(second, 30) == "done"


async def test_what_work_raises_comes_back_and_frees_the_place(pool: FairPool) -> None:
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            await pool.run("a", lambda: 1 // 0)
