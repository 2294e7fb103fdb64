from __future__ import annotations

from pathlib import Path

import pytest

from services.common import kept
from services.common.kept import KeptResults, digest_of

MADE_FROM = digest_of(None)
VALUE = {("a", 1): (frozenset({"x", "y"}),), ("b", 2): ()}


@pytest.fixture
def results(tmp_path: Path) -> KeptResults:
    return KeptResults(tmp_path / "not" / "there" / "yet")


def file_of(tmp_path: Path) -> Path:
    return tmp_path / "not" / "there" / "yet" / "table"


def test_what_is_written_is_read_by_the_next_process(results: KeptResults, tmp_path: Path) -> None:
    assert results.read("table", MADE_FROM) is None
    results.write("table", MADE_FROM, VALUE)
    assert KeptResults(file_of(tmp_path).parent).read("table", MADE_FROM) == VALUE
    assert [path.name for path in file_of(tmp_path).parent.iterdir()] == ["table"]


def test_other_inputs_than_it_was_made_from_find_nothing(results: KeptResults, tmp_path: Path) -> None:
    source = tmp_path / "source.txt"
    source.write_text("first")
    results.write("table", digest_of(source), VALUE)
    assert results.read("table", digest_of(source)) == VALUE
    source.write_text("second")
    assert results.read("table", digest_of(source)) is None
    assert results.read("table", digest_of(source, kept)) is None


@pytest.mark.parametrize(
    "harm", [lambda b: b[:-1], lambda b: b"", lambda b: b[:40] + b"?" + b[41:], lambda b: b"x" + b]
)
def test_a_damaged_file_is_as_good_as_absent(results: KeptResults, tmp_path: Path, harm: object) -> None:
    results.write("table", MADE_FROM, VALUE)
    file = file_of(tmp_path)
    file.write_bytes(harm(file.read_bytes()))  # type: ignore[operator]
    assert results.read("table", MADE_FROM) is None
    results.write("table", MADE_FROM, VALUE)
    assert results.read("table", MADE_FROM) == VALUE


def test_a_folder_that_cannot_be_written_keeps_nothing_and_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    results = KeptResults(tmp_path / "file")
    results.write("table", MADE_FROM, VALUE)
    assert results.read("table", MADE_FROM) is None


def test_a_write_that_fails_leaves_nothing_half_done(
    results: KeptResults, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results.write("table", MADE_FROM, VALUE)

    def full(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(Path, "replace", full)
    results.write("table", MADE_FROM, {})
    assert results.read("table", MADE_FROM) == VALUE
    assert [path.name for path in file_of(tmp_path).parent.iterdir()] == ["table"]


def test_no_folder_keeps_nothing() -> None:
    results = KeptResults(None)
    results.write("table", MADE_FROM, VALUE)
    assert results.read("table", MADE_FROM) is None
