"""An entry of a ZIP never unpacks to more than its directory says."""

from __future__ import annotations

import io
import lzma
import random
import struct
import tracemalloc
import zipfile

import pytest

from services.retrieval.adapters.parsers.archive import check_archive
from services.retrieval.adapters.parsers.unzip import read_entry
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.quality.rejection import DocumentRejected

METHODS = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
MIB = 1024 * 1024


def _zip(data: bytes, method: int, name: str = "a.txt") -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        archive.writestr(name, data)
    return target.getvalue()


def _read(content: bytes, **claims: int) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entry = archive.infolist()[0]
        for name, value in claims.items():
            setattr(entry, name, value)
        return read_entry(content, archive, entry)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("size", [0, 1, 70_000, 3_000_000])
def test_every_method_gives_the_bytes_that_were_packed(method: int, size: int) -> None:
    data = random.Random(size).randbytes(size)
    packed = _zip(data, method)
    assert _read(packed) == data
    assert _read(b"#!/bin/sh\nexit\n" + packed) == data  # something before the archive


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_entry_that_lies_about_its_size_is_refused_without_unpacking_it(method: int) -> None:
    content = _zip(bytes(64 * MIB), method)
    tracemalloc.start()
    try:
        with pytest.raises((zipfile.BadZipFile, EOFError)):
            _read(content, file_size=1000)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10 * MIB


@pytest.mark.parametrize("method", METHODS)
def test_an_entry_that_is_shorter_than_it_says_or_changed_is_refused(method: int) -> None:
    content = _zip(b"words " * 1000, method)
    with pytest.raises((zipfile.BadZipFile, EOFError)):
        _read(content, file_size=60_000)
    with pytest.raises(zipfile.BadZipFile):
        _read(content, CRC=1)


def test_a_dictionary_beyond_all_presets_is_refused() -> None:
    content = bytearray(_zip(b"words " * 1000, zipfile.ZIP_LZMA))
    name, extra = struct.unpack_from("<HH", content, 26)
    struct.pack_into("<I", content, 30 + name + extra + 4 + 1, 0xC0000000)
    with pytest.raises(lzma.LZMAError):
        _read(bytes(content))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_office_files_packed_as_they_never_are_get_refused(method: int) -> None:
    with pytest.raises(DocumentRejected, match="never use"):
        check_archive(_zip(b"<x/>", method, "word/document.xml"), "DOCX", IngestConfig())
    check_archive(_zip(b"<x/>", zipfile.ZIP_DEFLATED, "word/document.xml"), "DOCX", IngestConfig())
