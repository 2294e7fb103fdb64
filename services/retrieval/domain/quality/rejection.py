"""Why a document was not stored."""

from __future__ import annotations

import enum


class Reason(enum.StrEnum):
    """Machine-readable reasons of a rejection; clients match on them, so they never change meaning."""

    EMPTY_FILE = "EMPTY_FILE"
    EMPTY_TEXT = "EMPTY_TEXT"
    TOO_LARGE = "TOO_LARGE"
    NOT_TEXT = "NOT_TEXT"
    UNSUPPORTED_FORMAT = "UNSUPPORTED_FORMAT"
    FORMAT_MISMATCH = "FORMAT_MISMATCH"
    UNREADABLE_FILE = "UNREADABLE_FILE"
    ENCRYPTED_PDF = "ENCRYPTED_PDF"
    ENCRYPTED_FILE = "ENCRYPTED_FILE"
    NO_TEXT_LAYER = "NO_TEXT_LAYER"
    ARCHIVE_BOMB = "ARCHIVE_BOMB"
    ENCRYPTED_ARCHIVE = "ENCRYPTED_ARCHIVE"
    BROKEN_JSON = "BROKEN_JSON"
    INVALID_METADATA = "INVALID_METADATA"
    DUPLICATE_DOCUMENT_ID = "DUPLICATE_DOCUMENT_ID"
    UNHEALTHY_TEXT = "UNHEALTHY_TEXT"
    INCOMPLETE_FILE = "INCOMPLETE_FILE"
    STORE_UNAVAILABLE = "STORE_UNAVAILABLE"
    ENDS_SERVICE = "ENDS_SERVICE"
    CANCELLED = "CANCELLED"
    INTERNAL = "INTERNAL"


class DocumentRejected(Exception):
    """A document cannot be stored; ``message`` gives the reason and the remedy in one line."""

    def __init__(self, reason: Reason, message: str, *, document_id: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.document_id = document_id
