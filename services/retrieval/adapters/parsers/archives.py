"""ZIP and TAR archives: their files one after the other, so that memory holds one of them at a time."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import IO, Self, cast

from services.retrieval.adapters.parsers.unzip import read_entry
from services.retrieval.domain.ingest_config import Limits
from services.retrieval.domain.quality.rejection import DocumentRejected, Reason

# A small archive may well shrink by more than the ratio; a bomb is large unpacked.
_HARMLESS_BYTES = 16 * 1024 * 1024
_UTF8_NAME = 0x800
_ENCRYPTED = 0x1
# Folders that systems put into archives for themselves.
_FURNITURE = ("__MACOSX",)
_MIB = 1024 * 1024
# Encodings of names that do not say theirs.
_NAME_ENCODINGS = ("utf-8", "gb18030")


@dataclass(slots=True)
class UnpackBudget:
    """What one archive, those inside it included, may still unpack to. Shared by all its levels."""

    limits: Limits
    packed: int
    files: int = 0
    unpacked: int = 0

    def take(self, size: int) -> None:
        """Counts ``size`` unpacked bytes.

        Raises:
            DocumentRejected: ARCHIVE_BOMB.
        """
        self.unpacked += size
        ratio = self.unpacked / max(1, self.packed)
        if self.unpacked > self.limits.archive_bytes:
            raise _bomb(f"it unpacks to more than {self.limits.archive_bytes // _MIB} MiB")
        if ratio > self.limits.archive_ratio and self.unpacked > _HARMLESS_BYTES:
            raise _bomb(f"it unpacks to more than {self.limits.archive_ratio} times its size")

    def take_file(self) -> None:
        """Counts a file. Raises DocumentRejected: ARCHIVE_BOMB."""
        self.files += 1
        if self.files > self.limits.archive_files:
            raise _bomb(f"it holds more than {self.limits.archive_files:,} files")


@dataclass(frozen=True, slots=True)
class Member:
    """A file of an archive, or why it cannot be had. ``modified`` is in epoch seconds, 0 if not known."""

    path: str
    content: bytes = b""
    problem: DocumentRejected | None = None
    modified: float = 0.0


def members(content: bytes, path: str, budget: UnpackBudget, only: str = "") -> Iterator[Member]:
    """The files of an archive in their order, or ``only`` those of that name in whichever folder.

    Nothing is written to disk, and links are not followed. Hidden files are left out, as in folders. A file that
    cannot be had is told with its reason; the others come.

    Raises:
        DocumentRejected: UNREADABLE_FILE or ARCHIVE_BOMB, possibly after files that were sound.
    """
    reader = _zip_members if path.lower().endswith(".zip") else _tar_members
    came = 0
    try:
        for member in reader(content, budget, only):
            came += 1
            yield member
    except DocumentRejected:
        raise
    except Exception:  # the decoders raise anything on damaged input
        told = f"after {came} sound file(s), which were kept" if came and not only else "and nothing of it was stored"
        raise DocumentRejected(
            Reason.UNREADABLE_FILE, f"the archive is damaged {told}; pack it again and ingest it again"
        ) from None


def _zip_members(content: bytes, budget: UnpackBudget, only: str) -> Iterator[Member]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        # All of them at once: a bomb is refused before its first byte is unpacked.
        budget.take(sum(entry.file_size for entry in entries))
        for entry in entries:
            name = _zip_name(entry)
            if is_hidden(name) or (only and not is_named(name, only)):
                continue
            budget.take_file()
            problem = _too_large(entry.file_size, budget.limits)
            if entry.flag_bits & _ENCRYPTED:
                problem = DocumentRejected(
                    Reason.ENCRYPTED_ARCHIVE, "the file is locked by a password in its archive; pack it without one"
                )
            if problem is not None:
                yield Member(name, problem=problem)
                continue
            yield _zip_member(content, archive, entry, name)


def _zip_member(packed: bytes, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str) -> Member:
    """A file of a ZIP; a damaged one spoils none of the others, for the directory says where each begins."""
    try:
        content = read_entry(packed, archive, entry)
    except Exception:  # each method of packing raises errors of its own, LZMA's for one are no OSError
        problem = DocumentRejected(
            Reason.UNREADABLE_FILE, "the file is damaged in its archive or packed in a way not read here; pack it again"
        )
        return Member(name, problem=problem)
    return Member(name, content, modified=_zip_time(entry))


def _zip_name(entry: zipfile.ZipInfo) -> str:
    """Names without the UTF-8 mark are in the system's encoding: UTF-8 or GB18030 where they are not ASCII."""
    name = entry.filename
    if not entry.flag_bits & _UTF8_NAME and not name.isascii():
        name = _decoded(name.encode("cp437", "replace")) or name
    return clean_name(name)


def _decoded(raw: bytes) -> str:
    """A name's text, empty if it is in none of the encodings."""
    for encoding in _NAME_ENCODINGS:
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return ""


def _zip_time(entry: zipfile.ZipInfo) -> float:
    try:
        # ZIP keeps local time without a zone; as UTC it still orders versions.
        return datetime(*entry.date_time, tzinfo=UTC).timestamp()
    except ValueError:
        return 0.0


def _tar_members(content: bytes, budget: UnpackBudget, only: str) -> Iterator[Member]:
    packed = io.BytesIO(content)
    stream: IO[bytes] | gzip.GzipFile = gzip.GzipFile(fileobj=packed) if content.startswith(b"\x1f\x8b") else packed
    metered = cast(IO[bytes], _Metered(stream, budget))
    with tarfile.open(
        fileobj=metered, mode="r|", tarinfo=_WholeTarInfo, encoding="utf-8", errors="surrogateescape"
    ) as archive:
        for entry in archive:
            name = _tar_name(entry)
            if entry.isdir() or is_hidden(name) or (only and not is_named(name, only)):
                continue
            budget.take_file()
            if not entry.isreg():
                problem = DocumentRejected(Reason.UNSUPPORTED_FORMAT, "it is a link or device, not a file; pack files")
                yield Member(name, problem=problem)
                continue
            too_large = _too_large(entry.size, budget.limits)
            if too_large is not None:
                yield Member(name, problem=too_large)
                continue
            part = archive.extractfile(entry)
            yield Member(name, part.read() if part is not None else b"", modified=float(entry.mtime))


class _WholeTarInfo(tarfile.TarInfo):
    """Tells damage where tarfile takes it for the end: a sidecar behind a broken header would be lost unnoticed."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        if len(buf) == tarfile.BLOCKSIZE and not any(buf):
            return super().frombuf(buf, encoding, errors)  # the mark of the end, raised as such
        try:
            return super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(str(error)) from None


def _tar_name(entry: tarfile.TarInfo) -> str:
    """Names that are not UTF-8 come with surrogates for their odd bytes, which nothing can store."""
    raw = entry.name.encode("utf-8", "surrogateescape")
    name = _decoded(raw)
    if name:
        return clean_name(name)
    return clean_name(entry.name).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


class _Metered(io.RawIOBase):
    """Counts what is unpacked while it is read, for a TAR says only at its end how much it holds."""

    def __init__(self, stream: IO[bytes] | gzip.GzipFile, budget: UnpackBudget) -> None:
        self._stream = stream
        self._budget = budget

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size if size >= 0 else _MIB)
        self._budget.take(len(data))
        return data


def clean_name(name: str) -> str:
    """A relative path with ``/`` between its parts and no way out of the archive; line breaks stay as they are."""
    parts = [part for part in PurePosixPath(name.replace("\\", "/")).parts if part not in ("/", "..", ".")]
    return "/".join(parts) or "file"


def is_named(path: str, name: str) -> bool:
    """True for a file of that name, in whichever folder."""
    return path.rpartition("/")[2] == name


def is_hidden(name: str) -> bool:
    """True for what systems keep for themselves: dot files and resource folders."""
    return any(part.startswith(".") or part in _FURNITURE for part in name.split("/"))


def _too_large(size: int, limits: Limits) -> DocumentRejected | None:
    if size <= limits.file_bytes:
        return None
    return DocumentRejected(
        Reason.TOO_LARGE,
        f"the file has {size / _MIB:.1f} MiB, at most {limits.file_bytes // _MIB} MiB are read; split it, or raise "
        "limits.file_mib in config/ingest.yaml",
    )


def _bomb(problem: str) -> DocumentRejected:
    return DocumentRejected(
        Reason.ARCHIVE_BOMB,
        f"{problem}, archives inside it included; unpack it and ingest the folder, or raise limits.archive_* in "
        "config/ingest.yaml",
    )
