"""The bytes of one entry of a ZIP, without ever unpacking more than the directory says it holds.

``zipfile`` bounds what it unpacks of DEFLATE, but gives BZIP2 and LZMA all the packed bytes at once: an entry that lies
about its size would fill the memory before the lie is seen.
"""

from __future__ import annotations

import bz2
import lzma
import struct
import zipfile
import zlib
from typing import Protocol

# A dictionary as large as 7-Zip's largest preset uses; what asks for more is refused.
_LZMA_MEMORY = 128 * 1024 * 1024
_LOCAL_HEADER = 30
_LOCAL_LENGTHS = struct.Struct("<HH")
# Before the data of a method-14 entry: version (2 bytes), length of the properties (2), the properties.
_LZMA_HEADER, _LZMA_PROPERTIES = 4, 5


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    def decompress(self, data: bytes, /, max_length: int = -1) -> bytes: ...


def read_entry(content: bytes, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """The unpacked bytes of ``entry``; ``content`` is the whole archive.

    Raises:
        zipfile.BadZipFile: it is longer or shorter than it says, or its checksum is wrong.
        NotImplementedError: a method that is not read.
        EOFError, OSError, ValueError, lzma.LZMAError, struct.error, zlib.error: it is damaged.
    """
    if entry.compress_type == zipfile.ZIP_BZIP2:
        return _bounded(entry, bz2.BZ2Decompressor(), _packed(content, entry))
    if entry.compress_type == zipfile.ZIP_LZMA:
        return _bounded(entry, lzma.LZMADecompressor(lzma.FORMAT_ALONE, _LZMA_MEMORY), _alone(_packed(content, entry)))
    with archive.open(entry) as stream:
        data = stream.read(entry.file_size)
        if len(data) != entry.file_size or stream.read(1):
            raise zipfile.BadZipFile("an entry does not hold what it says")
    return data


def _packed(content: bytes, entry: zipfile.ZipInfo) -> bytes:
    name, extra = _LOCAL_LENGTHS.unpack_from(content, entry.header_offset + _LOCAL_HEADER - _LOCAL_LENGTHS.size)
    start = entry.header_offset + _LOCAL_HEADER + name + extra
    return content[start : start + entry.compress_size]


def _alone(packed: bytes) -> bytes:
    """A method-14 entry as an LZMA file, whose decoder has a bound on its memory; of unknown length, for what it holds
    is counted here."""
    if int.from_bytes(packed[2:_LZMA_HEADER], "little") != _LZMA_PROPERTIES:
        raise zipfile.BadZipFile("an entry has LZMA properties of a length that they never have")
    begin = _LZMA_HEADER + _LZMA_PROPERTIES
    return packed[_LZMA_HEADER:begin] + b"\xff" * 8 + packed[begin:]


def _bounded(entry: zipfile.ZipInfo, decompressor: _Decompressor, packed: bytes) -> bytes:
    found = bytearray()
    given = packed
    while not decompressor.eof and len(found) <= entry.file_size:
        part = decompressor.decompress(given, max_length=entry.file_size + 1 - len(found))
        if not part and decompressor.needs_input:
            break
        found += part
        given = b""
    if len(found) != entry.file_size:
        raise zipfile.BadZipFile("an entry does not hold what it says")
    if zlib.crc32(found) != entry.CRC:
        raise zipfile.BadZipFile("the checksum of an entry is wrong")
    return bytes(found)
