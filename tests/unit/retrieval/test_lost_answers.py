"""The catalogue commits or does not, and the connection breaks before it says so: no job is lost, none doubled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from services.common.errors import FailedPrecondition, Unavailable
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.service.ingest_records import IngestRecords
from services.retrieval.service.items import IngestTally
from tests.unit.retrieval.test_catalogue import MODEL


@pytest.fixture
def catalogue(tmp_path: Path) -> Iterator[Catalogue]:
    made = Catalogue(f"sqlite:///{tmp_path / 'catalogue.db'}")
    made.add_knowledge_base("kb", "c", MODEL)
    yield made
    made.close()


@pytest.fixture(params=["committed", "not committed"])
def break_off(
    request: pytest.FixtureRequest, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], None]:
    """Lets the next call of a method of the job records go unanswered."""

    def lose(name: str) -> None:
        method = getattr(catalogue.jobs, name)

        def unanswered(*arguments: Any) -> None:
            monkeypatch.setattr(catalogue.jobs, name, method)
            if request.param == "committed":
                method(*arguments)
            raise Unavailable("CATALOGUE_DOWN", "the connection was lost")

        monkeypatch.setattr(catalogue.jobs, name, unanswered)

    return lose


def begin(records: IngestRecords, job_id: str = "", started: float = 1.0) -> str:
    """The id of a job that begins, or is gone on with."""
    tally = IngestTally(job_id)
    assert records.begin("kb", tally, started).job_id == tally.job_id
    return tally.job_id


def states(catalogue: Catalogue) -> dict[str, str]:
    return {job.job_id: job.state for job in catalogue.jobs.latest("kb")}


def interrupted(catalogue: Catalogue, records: IngestRecords) -> str:
    """A job whose client is away."""
    tally = IngestTally("")
    lease = records.begin("kb", tally, 1.0)
    job = catalogue.jobs.find(tally.job_id)
    assert job is not None
    catalogue.jobs.close(replace(job, state="interrupted"), lease)
    return tally.job_id


def come_back_unheard(catalogue: Catalogue, break_off: Callable[[str], None]) -> tuple[IngestRecords, str]:
    """An interrupted job whose client came back, which the answer did not reach."""
    records = IngestRecords(catalogue)
    job_id = interrupted(catalogue, records)
    break_off("take_up")
    with pytest.raises(Unavailable):
        begin(records, job_id, 2.0)
    return records, job_id


def test_a_job_whose_beginning_was_not_heard_of_does_not_run_for_ever(
    catalogue: Catalogue, break_off: Callable[[str], None]
) -> None:
    records = IngestRecords(catalogue)
    break_off("open")
    with pytest.raises(Unavailable):
        begin(records)
    again = begin(records, started=2.0)
    records.close_left()
    found = states(catalogue)
    assert found.pop(again) == "running"
    assert set(found.values()) <= {"failed"}


def test_a_client_that_comes_back_twice_goes_on_with_its_job(
    catalogue: Catalogue, break_off: Callable[[str], None]
) -> None:
    records, job_id = come_back_unheard(catalogue, break_off)
    assert begin(records, job_id, 3.0) == job_id
    records.close_left()
    assert states(catalogue) == {job_id: "running"}


def test_a_job_that_nobody_comes_back_for_does_not_run_for_ever(
    catalogue: Catalogue, break_off: Callable[[str], None]
) -> None:
    records, job_id = come_back_unheard(catalogue, break_off)
    records.close_left()
    assert states(catalogue) == {job_id: "interrupted"}


def test_a_job_that_another_call_runs_goes_on_though_one_that_asks_for_it_hears_nothing(
    catalogue: Catalogue, break_off: Callable[[str], None]
) -> None:
    records = IngestRecords(catalogue)
    job_id = begin(records)
    break_off("take_up")
    with pytest.raises(Unavailable):
        begin(records, job_id, 2.0)
    records.close_left()
    assert states(catalogue) == {job_id: "running"}


def test_a_job_cancelled_meanwhile_ends_and_is_not_gone_on_with(
    catalogue: Catalogue, break_off: Callable[[str], None]
) -> None:
    records, job_id = come_back_unheard(catalogue, break_off)
    catalogue.jobs.cancel(job_id)
    with pytest.raises(FailedPrecondition) as refused:
        begin(records, job_id, 3.0)
    assert refused.value.reason == "INGEST_CANCELLED"
    assert states(catalogue) == {job_id: "cancelled"}


def test_a_client_that_comes_back_before_its_job_could_be_closed_goes_on_with_it(
    catalogue: Catalogue, break_off: Callable[[str], None]
) -> None:
    records = IngestRecords(catalogue)
    job_id = interrupted(catalogue, records)
    tally = IngestTally(job_id)
    run: Any = Mock(tally=tally, started=2.0)
    run.target.name = "kb"
    run.job.lease = records.begin("kb", tally, 2.0)
    break_off("close")
    records.close(run, "interrupted")
    assert begin(records, job_id, 3.0) == job_id
    records.close_left()
    assert states(catalogue) == {job_id: "running"}
