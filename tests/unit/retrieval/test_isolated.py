"""Files that harm their reader harm nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.retrieval.adapters.parsers.isolated import IsolatedParser, ParsingJob
from services.retrieval.adapters.parsers.reader import Reader
from services.retrieval.domain.ingest_config import IngestConfig, Limits
from services.retrieval.domain.quality.rejection import DocumentRejected, Reason
from tests.stack import until
from tests.unit.retrieval.harmful_reader import read

GOOD = b"<html><body><p>The pump runs at 12 bar.</p></body></html>"


def ended(pid: int) -> bool:
    """True if there is no such process, or nobody has asked yet how it ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.fixture
def parser() -> Iterator[IsolatedParser]:
    running = IsolatedParser(IngestConfig(limits=Limits(parse_seconds=1.5, parse_bytes=256 * 2**20)), 1, read)
    yield running
    running.close()


def test_another_process_reads_the_file_and_stays_for_the_next(parser: IsolatedParser) -> None:
    first, second = (parser.job().parse(GOOD, "a.html").text for _ in range(2))
    assert first == second != str(os.getpid())


def test_garbage_is_looked_for_seldom_within_a_file_and_always_after_a_large_one(parser: IsolatedParser) -> None:
    small, large = GOOD, GOOD + b" " * 300_000
    found = [parser.job().parse(content, "garbage.html").text.split() for content in (small, small, large, large)]
    assert int(found[0][0]) > 10_000
    assert [int(count) for _, count in found] == [0, 0, 0, 3]


@pytest.mark.parametrize(
    ("path", "reason", "remedy"),
    [
        ("hang.html", Reason.TOO_LARGE, "limits.parse_seconds"),
        ("crash.html", Reason.UNREADABLE_FILE, "open and save it again"),
        ("pack.html", Reason.UNREADABLE_FILE, "open and save it again"),
    ],
)
def test_a_file_that_ends_its_reader_is_refused_and_the_next_is_read(
    parser: IsolatedParser, path: str, reason: Reason, remedy: str
) -> None:
    with pytest.raises(DocumentRejected) as refused:
        parser.job().parse(GOOD, path)
    assert refused.value.reason is reason
    assert remedy in refused.value.message
    assert parser.job().parse(GOOD, "a.html").text.isdigit()


def test_a_reader_that_dies_while_it_has_nothing_to_do_is_replaced(parser: IsolatedParser) -> None:
    first = int(parser.job().parse(GOOD, "a.html").text)
    os.kill(first, signal.SIGKILL)
    until(lambda: ended(first), "the process still runs")
    assert int(parser.job().parse(GOOD, "a.html").text) != first


def test_what_is_too_large_to_hand_over_is_refused(parser: IsolatedParser) -> None:
    with pytest.raises(DocumentRejected):
        parser.job().parse(GOOD, "eat.html")
    assert parser.job().parse(GOOD, "a.html").text.isdigit()


def waits_for_its_reader(job: ParsingJob, folder: Path) -> tuple[threading.Thread, list[Reason], int]:
    """A thread in which a file of ``job`` is read for ever: what it came to, and the process that reads it."""
    came: list[Reason] = []

    def parse() -> None:
        try:
            job.parse(str(folder / "pid").encode(), "wait.html")
        except DocumentRejected as refused:
            came.append(refused.reason)

    thread = threading.Thread(target=parse)
    thread.start()
    until(lambda: (folder / "pid").exists(), "nothing reads the file")
    return thread, came, int((folder / "pid").read_text())


def test_the_end_of_a_job_ends_its_reader_and_frees_the_place(tmp_path: Path) -> None:
    parser = IsolatedParser(IngestConfig(), 1, read)
    job = parser.job()
    try:
        thread, came, reader = waits_for_its_reader(job, tmp_path)
        job.end()
        thread.join(30)
        assert came == [Reason.CANCELLED] and ended(reader)
        assert parser.job().parse(GOOD, "a.html").text.isdigit()  # the only place, by another job
        with pytest.raises(DocumentRejected) as refused:
            job.parse(GOOD, "a.html")
        assert refused.value.reason is Reason.CANCELLED
    finally:
        parser.close()


def test_the_end_of_a_job_leaves_the_readers_of_another(tmp_path: Path) -> None:
    parser = IsolatedParser(IngestConfig(), 2, read)
    other = parser.job()
    try:
        thread, came, reader = waits_for_its_reader(parser.job(), tmp_path)
        other.parse(GOOD, "a.html")
        other.end()
        assert not ended(reader) and not came
    finally:
        parser.close()
    thread.join(30)
    assert came == [Reason.CANCELLED] and ended(reader)  # by the end of the service


def test_a_reader_that_dies_while_it_answers_leaves_the_readers_of_another(tmp_path: Path) -> None:
    parser = IsolatedParser(IngestConfig(), 2, read)
    try:
        thread, came, reader = waits_for_its_reader(parser.job(), tmp_path)
        with pytest.raises(DocumentRejected):
            parser.job().parse(GOOD, "pack.html")
        assert not ended(reader) and not came
        assert parser.job().parse(GOOD, "a.html").text.isdigit()
    finally:
        parser.close()
    thread.join(30)


def test_a_reader_is_ended_before_another_job_can_have_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parser = IsolatedParser(IngestConfig(), 1, read)
    job = parser.job()
    kill = Reader.kill
    held: list[bool] = []

    def look(reader: Reader) -> None:
        held.append(job._lock.locked())  # who gives the reader back waits for this
        kill(reader)

    try:
        thread, _, _ = waits_for_its_reader(job, tmp_path)
        with monkeypatch.context() as patched:
            patched.setattr(Reader, "kill", look)
            job.end()
        thread.join(30)
        assert held[0]
        reader = parser.lend()
        reader.kill()
        parser.give_back(reader, usable=True)  # its answer came just before
        assert parser.job().parse(GOOD, "a.html").text.isdigit() and not reader.usable
    finally:
        parser.close()


def test_a_closed_parser_takes_no_more(parser: IsolatedParser) -> None:
    parser.close()
    with pytest.raises(DocumentRejected) as refused:
        parser.job().parse(GOOD, "a.html")
    assert refused.value.reason is Reason.CANCELLED


def test_memory_beyond_the_grant_is_refused() -> None:
    parser = IsolatedParser(IngestConfig(limits=Limits(parse_bytes=192 * 2**20)), 1)
    try:
        with pytest.raises(DocumentRejected) as refused:
            parser.job().parse(
                b"<html><body>" + b"<p>one more line of it</p>" * 900_000 + b"</body></html>", "big.html"
            )
        assert refused.value.reason is Reason.TOO_LARGE
        assert "limits.parse_memory_mib" in refused.value.message
        assert parser.job().parse(GOOD, "a.html").text.strip() == "The pump runs at 12 bar."
    finally:
        parser.close()


def test_refusals_come_back_whole_and_text_is_read_here(parser: IsolatedParser) -> None:
    real = IsolatedParser(IngestConfig(), 1)
    try:
        with pytest.raises(DocumentRejected) as refused:
            real.job().parse(b"%PDF-1.7 nothing of use", "a.pdf")
        assert refused.value.reason is Reason.UNREADABLE_FILE
        assert "PDF" in refused.value.message
    finally:
        real.close()
    assert parser.job().parse(b"# Title\n\nText of it.", "a.md").text.startswith("# Title")


def test_the_processes_end_with_a_service_that_is_killed(tmp_path: Path) -> None:
    script = (
        "import os, signal\n"
        "from services.retrieval.adapters.parsers.isolated import IsolatedParser\n"
        "from services.retrieval.domain.ingest_config import IngestConfig\n"
        "from tests.unit.retrieval.harmful_reader import read\n"
        "if __name__ == '__main__':\n"
        "    print(IsolatedParser(IngestConfig(), 1, read).job().parse(b'<p>Good.</p>', 'a.html').text, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    (tmp_path / "main.py").write_text(script)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    done = subprocess.run([sys.executable, tmp_path / "main.py"], env=environment, stdout=subprocess.PIPE)
    reader = int(done.stdout)
    until(lambda: ended(reader), "the process still runs")
