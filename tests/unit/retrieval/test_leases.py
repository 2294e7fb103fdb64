"""Who holds what, until when, and that nobody writes what another has taken over."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from services.common.errors import FailedPrecondition
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.adapters.leftovers import SweptMeanwhile, whole_collection
from services.retrieval.adapters.rejection_records import RejectionRecords
from services.retrieval.domain.leases import COME_BACK_SECONDS, JobLease, Standing
from services.retrieval.domain.ports import IngestJob, RejectedDocument, RevisionRef
from tests.unit.retrieval.test_catalogue import MODEL, _publication

SECONDS = 15.0


@pytest.fixture
def catalogue_url(tmp_path: Path) -> str:
    """The tests of PostgreSQL give another one."""
    return f"sqlite:///{tmp_path / 'catalogue.db'}"


@dataclass
class Two:
    """Two processes and the time that their leases run by."""

    first: Catalogue
    second: Catalogue
    now: float = 1_000_000.0


@pytest.fixture
def two(catalogue_url: str) -> Iterator[Two]:
    now: list[Two] = []

    def clock(_: object) -> float:
        return now[0].now if now else 1_000_000.0

    made = Two(*(Catalogue(catalogue_url, SECONDS, clock) for _ in range(2)))
    now.append(made)
    made.first.add_knowledge_base("kb", "c", MODEL)
    yield made
    made.first.close()
    made.second.close()


def job(state: str = "running", updated_at: float = 0.0, **counts: int) -> IngestJob:
    return IngestJob("j", "kb", state, 1.0, updated_at or time.time(), counts)


def state_of(catalogue: Catalogue) -> str:
    found = catalogue.jobs.find("j")
    assert found is not None
    assert [found] == catalogue.jobs.latest("kb")
    return found.state


def test_a_job_is_taken_up_as_soon_as_the_lease_of_its_process_has_run_out_and_not_before(two: Two) -> None:
    assert two.first.jobs.open(job()) == JobLease("j", 1)
    two.now += SECONDS - 0.1
    assert state_of(two.second) == "running"
    assert two.second.jobs.take_up(job()) is None
    two.first.leases.renew()
    two.now += SECONDS - 0.1
    assert two.second.jobs.take_up(job()) is None
    two.now += 0.2
    assert state_of(two.second) == "interrupted"
    assert state_of(two.first) == "running"  # who looks is alive
    two.second.leases.renew()
    assert two.second.jobs.take_up(job()) == JobLease("j", 2)
    assert state_of(two.first) == state_of(two.second) == "running"
    assert two.first.jobs.take_up(job()) is None


def test_who_says_that_it_leaves_is_not_waited_for(two: Two) -> None:
    two.first.jobs.open(job())
    two.first.leases.release()
    assert two.second.jobs.hold("j") is None
    assert two.second.jobs.take_up(job()) == JobLease("j", 2)


def test_how_long_a_job_is_held_is_told(two: Two) -> None:
    two.first.jobs.open(job())
    assert two.first.jobs.hold("j") is None  # its own
    two.now += 5.0
    hold = two.second.jobs.hold("j")
    assert hold is not None and (hold.seconds_left, hold.expires_at) == (SECONDS - 5.0, two.now + SECONDS - 5.0)
    two.first.leases.renew()
    again = two.second.jobs.hold("j")
    assert again is not None and again.expires_at > hold.expires_at
    two.now += SECONDS
    assert two.second.jobs.hold("j") is None and two.second.jobs.hold("unknown") is None


def test_a_job_that_nobody_takes_up_counts_as_failed_after_a_while(two: Two) -> None:
    two.first.jobs.open(job(updated_at=time.time() - COME_BACK_SECONDS - 1))
    two.now += SECONDS
    assert state_of(two.second) == "failed"
    assert two.second.jobs.take_up(job()) is not None


def test_who_lost_its_job_writes_no_more_for_it(two: Two) -> None:
    late = two.first.jobs.open(job(created=1))
    ref = RevisionRef("c", "r1", 3)
    two.first.leftovers.note("kb", [ref])
    two.now += SECONDS
    taken = two.second.jobs.take_up(job(created=2))
    assert taken is not None
    two.first.leases.renew()  # it goes on, and does not know
    with pytest.raises(FailedPrecondition) as lost:
        two.first.publish("kb", two.first.write_count("kb"), [_publication("d", "r1")], lease=late)
    assert lost.value.reason == "INGEST_TAKEN_OVER"
    assert two.first.document("kb", "d") is None and two.first.leftovers.listed() == [ref]
    refusals = RejectionRecords(two.first.database, two.first.jobs)
    with pytest.raises(FailedPrecondition):
        refusals.update("kb", [], [RejectedDocument("a.md", "", "EMPTY_TEXT", "none", 1.0)], late)
    assert refusals.latest("kb", (), 10) == []
    two.first.jobs.report(job(created=9), late)
    two.first.jobs.close(job("failed", created=9), late)
    found = two.second.jobs.find("j")
    assert found is not None and (found.state, found.counts) == ("running", {"created": 2})
    assert two.first.jobs.standing(late) is Standing.LOST
    assert two.second.jobs.standing(taken) is Standing.RUNNING
    two.second.leftovers.note("kb", [RevisionRef("c", "r2", 3)])
    two.second.publish("kb", two.second.write_count("kb"), [_publication("d", "r2")], lease=taken)
    two.second.jobs.close(job("done", created=3), taken)
    assert state_of(two.first) == "done"


def test_a_process_that_takes_its_own_job_up_again_has_lost_it_in_the_thread_before(two: Two) -> None:
    before = two.first.jobs.open(job())
    two.first.jobs.close(job("interrupted"), before)
    again = two.first.jobs.take_up(job())
    assert again == JobLease("j", 2)
    with pytest.raises(FailedPrecondition):
        two.first.publish("kb", two.first.write_count("kb"), [], lease=before)


def test_a_lease_that_ran_out_and_that_nobody_used_is_held_again(two: Two) -> None:
    lease = two.first.jobs.open(job())
    ref = RevisionRef("c", "r1", 3)
    two.first.leftovers.note("kb", [ref])
    two.now += 10 * SECONDS
    two.first.leases.renew()
    assert two.second.jobs.take_up(job()) is None and two.second.leftovers.listed() == []
    two.first.publish("kb", two.first.write_count("kb"), [_publication("d", "r1")], lease=lease)
    assert two.first.document("kb", "d") is not None


def test_cancelling_reaches_whoever_runs_the_job(two: Two) -> None:
    lease = two.first.jobs.open(job())
    two.second.jobs.cancel("j")
    assert two.first.jobs.standing(lease) is Standing.CANCELLED
    two.now += SECONDS
    assert state_of(two.second) == "cancelled"
    assert two.second.jobs.take_up(job()) is None


def test_rows_of_a_live_process_are_left_alone_and_those_of_a_dead_one_swept(two: Two) -> None:
    ref = RevisionRef("c", "r1", 3)
    two.first.leftovers.note("kb", [ref])
    assert two.second.leftovers.listed() == [] and two.second.leftovers.claim([ref]) == []
    two.now += SECONDS
    assert two.second.leftovers.listed("kb") == [ref] and two.second.leftovers.listed("other") == []
    assert two.second.leftovers.claim([ref]) == [ref]
    two.second.leases.renew()
    assert two.first.leftovers.listed() == [] and two.first.leftovers.claim([ref]) == []


def swept_by_the_second(two: Two) -> RevisionRef:
    """Rows of the first one, whose lease ran out, so that the second began to sweep them; the first one is back."""
    ref = RevisionRef("c", "r1", 3)
    two.first.leftovers.note("kb", [ref])
    two.now += SECONDS
    two.second.leases.renew()
    two.second.leftovers.claim([ref])
    two.first.leases.renew()
    return ref


def test_rows_that_are_being_swept_never_become_visible(two: Two) -> None:
    ref = swept_by_the_second(two)
    for _ in range(2):  # while it is swept, and afterwards
        with pytest.raises(SweptMeanwhile):
            two.first.publish("kb", two.first.write_count("kb"), [_publication("d", "r1")])
        assert two.first.document("kb", "d") is None
        two.second.leftovers.forget([ref])
    # What the first one wrote after the sweep is swept once more.
    two.first.leftovers.note("kb", [ref])
    assert two.first.leftovers.listed() == [ref]


def test_who_notes_its_rows_again_while_they_are_swept_keeps_them_on_the_list(two: Two) -> None:
    ref = swept_by_the_second(two)
    two.first.leftovers.note("kb", [ref])
    two.second.leftovers.forget([ref])
    assert two.first.leftovers.listed() == [ref]


def test_what_became_visible_since_the_list_was_read_is_not_swept(two: Two) -> None:
    ref = RevisionRef("c", "r1", 3)
    two.first.leftovers.note("kb", [ref])
    listed = two.first.leftovers.listed()
    two.first.publish("kb", two.first.write_count("kb"), [_publication("d", "r1")])
    assert listed == [ref] and two.first.leftovers.claim(listed) == []


def test_a_collection_that_was_swept_does_not_become_a_knowledge_base(two: Two) -> None:
    whole = whole_collection("c_new")
    two.first.leftovers.note("new", [whole])
    two.now += SECONDS
    two.second.leftovers.claim([whole])
    with pytest.raises(SweptMeanwhile):
        two.first.add_knowledge_base("new", "c_new", MODEL, note=whole)
    assert two.first.knowledge_base("new") is None


def test_processes_that_are_long_gone_are_struck_off(two: Two, catalogue_url: str) -> None:
    two.first.jobs.open(job())
    two.now += SECONDS
    third = Catalogue(catalogue_url, SECONDS, lambda _: two.now)
    with third.database.reading() as connection:
        assert third.leases.of_others(connection) == {}
    assert third.jobs.take_up(replace(job(), counts={"created": 1})) is not None
    third.close()
