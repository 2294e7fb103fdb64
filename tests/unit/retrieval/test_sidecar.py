"""The sidecar: globs over relative paths, later entries override earlier ones."""

from __future__ import annotations

import pytest

from services.retrieval.domain.sidecar import SidecarError, parse_sidecar


def test_later_entries_override_field_by_field() -> None:
    sidecar = parse_sidecar(
        [
            {"match": "*.md", "set": {"language": "en", "authority": 3}},
            {"match": "sub/*.md", "set": {"authority": 5, "access_groups": ["hr", "finance"]}},
        ]
    )
    assert sidecar.fields_for("a.md") == {"language": "en", "authority": "3"}
    assert sidecar.fields_for("sub/deep/b.md") == {"language": "en", "authority": "5", "access_groups": "hr,finance"}
    assert sidecar.fields_for("a.txt") == {}


@pytest.mark.parametrize(
    ("glob", "path", "fits"),
    [
        ("*", "a/b/c.md", True),
        ("?.md", "a.md", True),
        ("?.md", "ab.md", False),
        ("[ab].md", "b.md", True),
        ("[!ab].md", "b.md", False),
        ("公司法(2018-10-26).md", "公司法(2018-10-26).md", True),
        ("a+b.md", "aab.md", False),
        ("new\nline*.md", "new\nline 😀.md", True),
    ],
)
def test_globs(glob: str, path: str, fits: bool) -> None:
    sidecar = parse_sidecar([{"match": glob, "set": {"title": "x"}}])
    assert bool(sidecar.fields_for(path)) is fits


def test_a_glob_that_fits_no_file_is_reported() -> None:
    sidecar = parse_sidecar([{"match": "a.md", "set": {"title": "x"}}, {"match": "typo.md", "set": {"title": "x"}}])
    assert sidecar.unused(["a.md"]) == ("typo.md",)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"match": "*"}, ["list"]),
        (["x"], ["entry 1", "mapping"]),
        ([{"match": "*", "set": {"title": "a"}}, {"match": "*", "sets": {}}], ["entry 2", "sets"]),
        ([{"match": "", "set": {"title": "a"}}], ["entry 1", "match"]),
        ([{"match": "*", "set": {"titel": "a"}}], ["entry 1", "titel", "known"]),
        ([{"match": "*", "set": {"title": {"en": "a"}}}], ["entry 1", "title"]),
    ],
)
def test_errors_name_the_entry_and_the_reason(content: object, words: list[str]) -> None:
    with pytest.raises(SidecarError) as caught:
        parse_sidecar(content)
    for word in words:
        assert word in str(caught.value)


def test_an_empty_file_is_an_empty_sidecar() -> None:
    assert parse_sidecar(None).fields_for("a.md") == {}
