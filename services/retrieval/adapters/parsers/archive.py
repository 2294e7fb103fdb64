"""Office files are ZIP archives: refused unopened if they unpack to more than is sane."""

from __future__ import annotations

import io
import zipfile

from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.quality.rejection import DocumentRejected, Reason

# A small file may well shrink by more than the ratio; a bomb is large unpacked.
_HARMLESS_BYTES = 16 * 1024 * 1024


def check_archive(content: bytes, name: str, config: IngestConfig, member: str = "") -> None:
    """Refuses an archive that is damaged, lacks ``member`` where one is named, or would unpack out of proportion.

    Raises:
        DocumentRejected: UNREADABLE_FILE, FORMAT_MISMATCH, ARCHIVE_BOMB.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError):
        raise DocumentRejected(
            Reason.UNREADABLE_FILE, f"the {name} file is damaged: it is not a whole ZIP archive; save it again"
        ) from None
    if member and not any(entry.filename == member for entry in entries):
        raise DocumentRejected(
            Reason.FORMAT_MISMATCH,
            f"the archive holds no {member}: it is not a {name} file; rename it to what it is, or convert it",
        )
    # No other method is allowed in office files, and their readers would unpack BZIP2 and LZMA without a bound.
    if any(entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for entry in entries):
        raise DocumentRejected(
            Reason.UNREADABLE_FILE, f"the {name} file is packed by a method that {name} files never use; save it again"
        )
    unpacked = sum(entry.file_size for entry in entries)
    limits = config.limits
    ratio = unpacked / max(1, len(content))
    if unpacked > limits.archive_bytes or (ratio > limits.archive_ratio and unpacked > _HARMLESS_BYTES):
        raise DocumentRejected(
            Reason.ARCHIVE_BOMB,
            f"the {name} file unpacks from {len(content) / 1048576:.1f} to {unpacked / 1048576:.0f} MiB; at most "
            f"{limits.archive_ratio} times and {limits.archive_bytes / 1048576:.0f} MiB are accepted",
        )
