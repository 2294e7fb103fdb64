"""Archives are read file by file, within bounds, and whatever is wrong with one is said in words."""

from __future__ import annotations

import io
import random
import tarfile
import zipfile
from collections.abc import Mapping
from dataclasses import replace

import pytest

from services.retrieval.domain.documents import PreparedDocument
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.service.items import DocumentOutcome, FileItem
from services.retrieval.service.prepare import Preparer

MIB = 1024 * 1024


def _zip(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def _tar(files: Mapping[str, bytes], mode: str = "w:gz") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            entry.mtime = 1_700_000_000
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def _read(
    path: str, content: bytes, config: IngestConfig | None = None, **fields: str
) -> list[PreparedDocument | DocumentOutcome]:
    preparer = Preparer("kb", config or IngestConfig(), lambda text: len(text) // 4, {}.get, "model")
    parts = preparer.split(FileItem(path, content, fields))
    return [document for part in parts for document in preparer.prepare(part)]


def _origins(found: list[PreparedDocument | DocumentOutcome]) -> dict[str, str]:
    return {item.origin: item.reason if isinstance(item, DocumentOutcome) else "" for item in found}


@pytest.mark.parametrize("ending", [".zip", ".tar", ".tar.gz", ".tgz", ".ZIP"])
def test_every_kind_of_archive_is_read(ending: str) -> None:
    files = {"a/one.md": b"# One\n\nbody", "two.txt": b"two"}
    packed = _zip(files) if ending.lower() == ".zip" else _tar(files, "w" if ending == ".tar" else "w:gz")
    found = _read(f"docs{ending}", packed)
    assert _origins(found) == {f"docs{ending}/a/one.md": "", f"docs{ending}/two.txt": ""}
    assert isinstance(found[0], PreparedDocument)
    assert found[0].metadata.document_id == f"docs{ending}/a/one"
    assert found[0].metadata.file_name == "one.md"


def test_archives_inside_archives_lines_and_odd_names_come_through() -> None:
    inner = _tar({"deep.md": b"# Deep\n\nbody"})
    lines = b'{"document_id": "j1", "text": "line"}\n{"document_id": '
    outer = {
        "in/inner.tgz": inner, "docs.jsonl": lines, "new\nline 😀.md": b"body", "手册.md": b"text",
        "../../way/out.md": b"stays inside", ".hidden.md": b"x", "__MACOSX/x.md": b"x", "empty.md": b"",
    }  # fmt: skip
    assert _origins(_read("b.zip", _zip(outer))) == {
        "b.zip/in/inner.tgz/deep.md": "",
        "b.zip/docs.jsonl:1": "",
        "b.zip/docs.jsonl:2": "BROKEN_JSON",
        "b.zip/new\nline 😀.md": "",
        "b.zip/手册.md": "",
        "b.zip/way/out.md": "",
        "b.zip/empty.md": "EMPTY_FILE",
    }


def test_names_in_the_encoding_of_a_chinese_system_are_mended() -> None:
    name = "制度.md".encode("gb18030")
    packed = _zip({"x" * len(name): b"body"}).replace(b"x" * len(name), name)
    assert _origins(_read("old.zip", packed)) == {"old.zip/制度.md": ""}


@pytest.mark.parametrize("pack", [_zip, _tar])
def test_the_sidecar_inside_describes_the_files_and_the_archive_the_rest(pack) -> None:
    files = {"a.md": b"alpha", "meta.yaml": b"- {match: a.md, set: {doc_type: faq, document_id: own}}", "b.md": b"beta"}
    path = "s.zip" if pack is _zip else "s.tar.gz"
    found = _read(path, pack(files), doc_type="manual", document_id="not that of every file")
    kept = [item.metadata for item in found if isinstance(item, PreparedDocument)]
    assert [(m.document_id, m.doc_type) for m in kept] == [("own", "faq"), (f"{path}/b", "manual")]


def test_a_sidecar_inside_that_is_wrong_refuses_the_archive() -> None:
    [refused] = _read("s.zip", _zip({"meta.yaml": b"- {match: a, set: {titel: x}}", "a.md": b"a"}))
    assert isinstance(refused, DocumentOutcome)
    assert refused.reason == "INVALID_METADATA" and "'titel'" in refused.message


def _spoilt(name: str, content: bytes, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A ZIP with that file damaged between two sound ones."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for each, body in (("a.md", b"alpha"), (name, content), ("b.md", b"beta")):
            archive.writestr(each, body)
    packed = bytearray(buffer.getvalue())
    start = packed.index(name.encode()) + len(name)
    packed[start + 9 : start + 40] = b"\xff" * 31
    return bytes(packed)


def _locked(files: Mapping[str, bytes]) -> bytes:
    """A ZIP whose first file says that it needs a password."""
    packed = bytearray(_zip(files))
    packed[6] |= 1
    packed[packed.index(b"PK\x01\x02") + 8] |= 1
    return bytes(packed)


_RESTRICTED = b"- {match: '*', set: {access_groups: hr}}\n"


@pytest.mark.parametrize("name", ["meta.yaml", "in/meta.yaml"])
@pytest.mark.parametrize(
    ("kind", "remedy"), [("damaged", "pack it again"), ("locked", "pack it without"), ("large", "split it")]
)
def test_a_sidecar_inside_that_cannot_be_had_refuses_the_archive(kind: str, remedy: str, name: str) -> None:
    config = IngestConfig(limits=replace(IngestConfig().limits, file_bytes=1000))
    packed = {
        "damaged": lambda: _spoilt(name, _RESTRICTED * 9),
        "locked": lambda: _locked({name: _RESTRICTED, "in/a.md": b"alpha"}),
        "large": lambda: _tar({"in/a.md": b"alpha", name: _RESTRICTED * 90}),
    }[kind]()
    [refused] = _read("s.tgz" if kind == "large" else "s.zip", packed, config)
    assert isinstance(refused, DocumentOutcome)
    assert refused.reason == "INVALID_METADATA" and f"'s {name} cannot" in refused.message and remedy in refused.message


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe",
        b"[" * 5000,
        b"- {match: '[z-a]', set: {title: x}}",
        b"- {match: a, set: {title: 2024-13-45}}",
        b"- {match: a, set: {access_groups: hr, access_groups: all}}",
        b"- &a {match: a, set: {access_groups: [" + b"x, " * 500 + b"x]}}\n" + b"- *a\n" * 1000,
    ],
)
def test_a_sidecar_inside_that_breaks_its_reader_refuses_the_archive(content: bytes) -> None:
    assert _origins(_read("s.zip", _zip({"a.md": b"alpha", "x/meta.yaml": content}))) == {"s.zip": "INVALID_METADATA"}


def test_two_sidecars_of_one_folder_refuse_the_archive() -> None:
    packed = _tar({"meta.yaml": _RESTRICTED, "./meta.yaml": b"", "a.md": b"alpha"})
    assert _origins(_read("s.tgz", packed)) == {"s.tgz": "INVALID_METADATA"}


@pytest.mark.parametrize("pack", [_zip, _tar])
def test_the_nearest_sidecar_inside_describes_a_file_as_in_folders(pack) -> None:
    files = {
        "hr/deep/pay.md": b"pay", "hr/open.md": b"open", "top.md": b"top", "hrx/other.md": b"other",
        "meta.yaml": b"- {match: '*', set: {doc_type: faq, access_groups: staff}}",
        "hr/meta.yaml": b"- {match: 'deep/*.md', set: {access_groups: hr}}",
    }  # fmt: skip
    found = _read("s.zip" if pack is _zip else "s.tar.gz", pack(files), doc_type="manual")
    kept = [item.metadata for item in found if isinstance(item, PreparedDocument)]
    assert [(m.file_name, m.doc_type, tuple(m.access_groups)) for m in kept] == [
        ("pay.md", "manual", ("hr",)),
        ("open.md", "manual", ()),
        ("top.md", "faq", ("staff",)),
        ("other.md", "faq", ("staff",)),
    ]


def test_names_in_a_tar_that_are_not_utf8_are_mended_or_spelt_out() -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT, encoding="latin-1") as archive:
        # The second byte of the first character is a backslash in ASCII.
        for raw in ("乗制度.md".encode("gb18030"), b"odd/\xff.md", "手册.md".encode()):
            archive.addfile(tarfile.TarInfo(raw.decode("latin-1")), io.BytesIO())
    assert set(_origins(_read("t.tar", buffer.getvalue()))) == {
        "t.tar/乗制度.md", "t.tar/odd/\\xff.md", "t.tar/手册.md",
    }  # fmt: skip


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, zipfile.ZIP_DEFLATED])
def test_a_damaged_file_of_every_method_spoils_no_other(method: int) -> None:
    packed = _spoilt("hurt.md", random.Random(3).randbytes(3000).hex().encode(), method)
    assert _origins(_read("z.zip", packed)) == {
        "z.zip/a.md": "", "z.zip/hurt.md": "UNREADABLE_FILE", "z.zip/b.md": "",
    }  # fmt: skip


@pytest.mark.parametrize("cut", ["header", "boundary", "within"])
def test_a_tar_with_a_broken_header_is_refused_whole_for_its_sidecar_may_be_behind(cut: str) -> None:
    packed = _tar({"a.md": b"alpha", "meta.yaml": _RESTRICTED}, "w")
    spoilt = {
        "header": packed[:1024] + b"\x01" * 512 + packed[1536:],
        "boundary": packed[:1024],
        "within": packed[:1100],
    }
    [refused] = _read("t.tar", spoilt[cut])
    assert isinstance(refused, DocumentOutcome)
    assert refused.reason == "UNREADABLE_FILE" and "nothing of it was stored" in refused.message


@pytest.mark.parametrize("pack", [_zip, _tar])
def test_a_bomb_is_refused_before_it_is_unpacked(pack) -> None:
    found = _read("bomb.zip" if pack is _zip else "bomb.tgz", pack({f"{n}.txt": bytes(9 * MIB) for n in range(3)}))
    assert set(_origins(found).values()) - {"NOT_TEXT"} == {"ARCHIVE_BOMB"}


def test_bombs_inside_share_one_budget() -> None:
    config = IngestConfig(limits=replace(IngestConfig().limits, archive_bytes=4 * MIB))
    inner = _zip({"a.txt": bytes(3 * MIB)})
    found = _read("nest.zip", _zip({f"{n}.zip": inner for n in range(3)}), config)
    assert _origins(found)["nest.zip/1.zip"] == "ARCHIVE_BOMB"


def test_nesting_and_number_of_files_are_bounded() -> None:
    packed = _zip({"x.md": b"x"})
    for _ in range(3):
        packed = _zip({"in.zip": packed})
    [refused] = _read("deep.zip", packed)
    assert isinstance(refused, DocumentOutcome)
    assert (refused.reason, "3 deep" in refused.message) == ("ARCHIVE_BOMB", True)
    config = IngestConfig(limits=replace(IngestConfig().limits, archive_files=5))
    found = _origins(_read("many.zip", _zip({f"{n}.md": b"x" for n in range(9)}), config))
    assert found["many.zip"] == "ARCHIVE_BOMB" and len(found) == 6


def test_a_cut_tar_is_refused_whole_for_its_sidecar_may_be_lost() -> None:
    dice = random.Random(7)
    packed = _tar({f"{n}.md": dice.randbytes(4000).hex().encode() for n in range(20)})
    assert _origins(_read("cut.tgz", packed[: len(packed) * 2 // 3])) == {"cut.tgz": "UNREADABLE_FILE"}


def test_a_damaged_file_in_a_zip_spoils_no_other() -> None:
    body = random.Random(3).randbytes(3000).hex().encode()
    packed = bytearray(_zip({"a.md": b"alpha", "hurt.md": body, "b.md": b"beta"}))
    packed[packed.index(b"hurt.md") + 200] ^= 0xFF
    assert _origins(_read("z.zip", bytes(packed))) == {
        "z.zip/a.md": "", "z.zip/hurt.md": "UNREADABLE_FILE", "z.zip/b.md": "",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("path", "content", "reason"),
    [
        ("cut.zip", _zip({"a.md": b"text"})[:40], "UNREADABLE_FILE"),
        ("junk.zip", b"hello", "FORMAT_MISMATCH"),
        ("empty.zip", b"", "EMPTY_FILE"),
        ("nothing.zip", _zip({}), "EMPTY_FILE"),
        ("only_hidden.tar", _tar({".x": b"x"}, "w"), "EMPTY_FILE"),
    ],
)
def test_broken_archives_are_named(path: str, content: bytes, reason: str) -> None:
    assert _origins(_read(path, content)) == {path: reason}


def test_locked_files_links_and_large_files_are_named_and_the_others_come() -> None:
    packed = _locked({"locked.md": b"secret", "open.md": b"text"})
    assert _origins(_read("l.zip", packed)) == {"l.zip/locked.md": "ENCRYPTED_ARCHIVE", "l.zip/open.md": ""}
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        link = tarfile.TarInfo("link.md")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
        entry = tarfile.TarInfo("large.md")
        entry.size = 2 * MIB
        archive.addfile(entry, io.BytesIO(bytes(2 * MIB)))
    config = IngestConfig(limits=replace(IngestConfig().limits, file_bytes=MIB))
    found = _origins(_read("t.tar", buffer.getvalue(), config))
    assert found == {"t.tar/link.md": "UNSUPPORTED_FORMAT", "t.tar/large.md": "TOO_LARGE"}


@pytest.mark.parametrize(("glob", "groups"), [("in.zip", ("hr",)), ("*.zip", ("hr",)), ("*.md", ()), ("in.zip/*", ())])
def test_a_sidecar_outside_meets_an_archive_by_its_name_alone(glob: str, groups: tuple[str, ...]) -> None:
    sidecar = f"- {{match: '{glob}', set: {{access_groups: hr}}}}".encode()
    [found] = _read("out.zip", _zip({"in.zip": _zip({"pay.md": b"pay"}), "meta.yaml": sidecar}))
    assert isinstance(found, PreparedDocument) and tuple(found.metadata.access_groups) == groups
