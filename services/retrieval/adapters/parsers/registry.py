"""Which parser reads which file."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from dataclasses import dataclass

from services.retrieval.adapters.parsers.encoding import utf16_without_mark
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.quality.rejection import DocumentRejected, Reason

Parser = Callable[[bytes, str, IngestConfig], ParsedFile]
"""From a file's bytes and its path (for messages) to its text.

Raises:
    DocumentRejected: in words for the owner of the file.
"""


@dataclass(frozen=True, slots=True)
class Format:
    """A document format: endings of its files, the module with its ``parse``, and how its bytes begin.

    ``magic`` is empty for text formats, whose bytes must then be text. ``isolated`` files are read in a process of
    their own (see isolated.py), since a library does it.
    """

    name: str
    endings: tuple[str, ...]
    module: str
    magic: tuple[bytes, ...] = ()
    isolated: bool = True


FORMATS = (
    Format("Markdown", (".md", ".markdown", ".mdown"), "markdown", isolated=False),
    Format("text", (".txt", ".text", ".log", ".rst"), "text", isolated=False),
    Format("HTML", (".html", ".htm", ".xhtml"), "html"),
    Format("PDF", (".pdf",), "pdf", (b"%PDF-",)),
    Format("DOCX", (".docx", ".docm"), "docx", (b"PK\x03\x04",)),
    Format("CSV", (".csv", ".tsv"), "csv_table"),
    Format("XLSX", (".xlsx", ".xlsm"), "xlsx", (b"PK\x03\x04",)),
    Format("PPTX", (".pptx", ".pptm"), "pptx", (b"PK\x03\x04",)),
)

ARCHIVES = Format(
    "archive", (".zip", ".tar", ".tar.gz", ".tgz"), "archives", (b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b")
)
"""Files that hold files; the ingest pipeline unpacks them one file at a time."""

JSONL_ENDINGS = (".jsonl", ".ndjson")
"""Files that hold a document in each line; the ingest pipeline reads them line by line."""

SUPPORTED_ENDINGS = tuple(ending for form in FORMATS for ending in form.endings) + JSONL_ENDINGS + ARCHIVES.endings

_OLE = b"\xd0\xcf\x11\xe0"
# The stream of such a file that holds an Office document of today, locked by a password.
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")

# What to make of common other formats.
_REMEDIES = {
    ("doc", "dot", "rtf", "odt", "ott", "wps", "pages", "wpd"): "save it as DOCX",
    ("xls", "xlt", "xlsb", "ods", "et", "numbers"): "save it as XLSX",
    ("ppt", "pps", "odp", "dps", "key"): "save it as PPTX",
    ("epub", "mobi", "chm", "mht", "mhtml", "xml", "tex"): "convert it to HTML",
    ("json", "yaml", "yml"): "write its documents as JSONL, one object with document_id and text a line",
    ("eml", "msg"): "save the message as HTML or text, and what is attached to it as files",
    ("7z", "rar", "bz2", "xz", "gz"): "unpack it, or pack it as ZIP",
    ("png", "jpg", "jpeg", "gif", "bmp", "tif", "tiff", "webp", "heic", "djvu", "xps", "ofd"):
        "run it through OCR and ingest the result as PDF or text",
    ("mp3", "wav", "m4a", "mp4", "mov", "avi", "mkv"): "write down what is said in it and ingest the text",
}  # fmt: skip
_REMEDY_OF = {ending: remedy for endings, remedy in _REMEDIES.items() for ending in endings}

# How the bytes of common other formats begin, to say what a misnamed file really is.
_KNOWN_MAGIC = (
    (b"\x89PNG", "a PNG image"), (b"\xff\xd8\xff", "a JPEG image"), (b"GIF8", "a GIF image"),
    (b"%PDF-", "a PDF"), (b"PK\x03\x04", "a ZIP archive or an Office document"), (b"\x1f\x8b", "a gzip archive"),
    (_OLE, "an old Office document"), (b"BM", "a BMP image"), (b"RIFF", "a RIFF media file"),
    (b"7z\xbc\xaf", "a 7z archive"), (b"Rar!", "a RAR archive"), (b"\x7fELF", "a program"),
    (b"II*\x00", "a TIFF image"), (b"MM\x00*", "a TIFF image"), (b"SQLite format 3", "an SQLite database"),
)  # fmt: skip
_MARKUP = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype|html|head|body|table)\b", re.IGNORECASE)
_TEXT_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_SAMPLE = 65_536
# So many may have strayed into a short text as well.
_FEW_CONTROLS = 3


def format_of(path: str) -> Format:
    """The format that the ending of ``path`` names.

    Raises:
        DocumentRejected: UNSUPPORTED_FORMAT.
    """
    name = path.replace("\\", "/").rsplit("/", 1)[-1].lower()
    for form in FORMATS:
        if name.endswith(form.endings):
            return form
    last = name.rsplit(".", 1)[1] if "." in name else ""
    ending = f".{last}" if last else "no ending"
    remedy = _REMEDY_OF.get(last, "convert it")
    raise DocumentRejected(
        Reason.UNSUPPORTED_FORMAT,
        f"{ending!r} is not a supported format: {remedy}; supported are {', '.join(SUPPORTED_ENDINGS)}",
    )


def read_apart(content: bytes, path: str) -> bool:
    """True if the file is to be read in a process of its own; what names no format, or is empty, is refused here."""
    try:
        return bool(content) and format_of(path).isolated
    except DocumentRejected:
        return False


def archive_of(path: str) -> Format | None:
    """The archive format that the ending of ``path`` names; None if it is no archive."""
    return ARCHIVES if path.lower().endswith(ARCHIVES.endings) else None


def check_archive_content(content: bytes, path: str) -> None:
    """Refuses an empty archive and one whose bytes are something else.

    Raises:
        DocumentRejected: EMPTY_FILE or FORMAT_MISMATCH.
    """
    if not content:
        raise DocumentRejected(Reason.EMPTY_FILE, "the file has 0 bytes; export or copy it again")
    plain_tar = path.lower().endswith(".tar") and content[257:262] == b"ustar"
    if not plain_tar and not content.startswith(ARCHIVES.magic):
        raise DocumentRejected(
            Reason.FORMAT_MISMATCH, f"the file is named an archive but is {_what(content)}; rename or pack it again"
        )


def parse_file(content: bytes, path: str, config: IngestConfig) -> ParsedFile:
    """The text of a file, by the parser of its format.

    Raises:
        DocumentRejected: naming the reason; whatever else a library raises becomes UNREADABLE_FILE.
    """
    if not content:
        raise DocumentRejected(Reason.EMPTY_FILE, "the file has 0 bytes; export or copy it again")
    form = format_of(path)
    check_content(content, form)
    module = importlib.import_module(f"services.retrieval.adapters.parsers.{form.module}")
    parse: Parser = module.parse
    try:
        return parse(content, path, config)
    except DocumentRejected:
        raise
    except MemoryError:
        raise DocumentRejected(*needs_memory(config)) from None
    except RecursionError:
        raise DocumentRejected(
            Reason.UNREADABLE_FILE,
            f"the {form.name} file nests tables, boxes or lists too deeply to be read; lay it out flat, or convert it",
        ) from None
    except Exception as error:  # third-party parsers raise anything on damaged input
        raise DocumentRejected(
            Reason.UNREADABLE_FILE,
            f"the {form.name} file is damaged or not {form.name} ({type(error).__name__}); open and save it again",
        ) from error


def needs_memory(config: IngestConfig) -> tuple[Reason, str]:
    """The refusal of a file that is too large for the memory granted to its reader."""
    granted = f"{config.limits.parse_bytes // 1048576} MiB"
    return (
        Reason.TOO_LARGE,
        f"reading the file needs more memory than it is granted ({granted}); split it, "
        "or raise limits.parse_memory_mib in config/ingest.yaml",
    )


def check_content(content: bytes, form: Format) -> None:
    """Refuses a file whose bytes contradict its ending.

    Raises:
        DocumentRejected: NOT_TEXT or FORMAT_MISMATCH.
    """
    if form.magic:
        head = content[:1024]
        if content.startswith(_OLE) and _ENCRYPTED in content:
            raise DocumentRejected(
                Reason.ENCRYPTED_FILE, f"the {form.name} file is protected by a password; save it without one"
            )
        if not any(magic in head if magic == b"%PDF-" else head.startswith(magic) for magic in form.magic):
            raise DocumentRejected(
                Reason.FORMAT_MISMATCH, f"the file is named {form.name} but is {_what(content)}; rename or convert it"
            )
        return
    if looks_binary(content):
        raise DocumentRejected(
            Reason.NOT_TEXT, f"the file is named {form.name} but is {_what(content)}; rename or convert it"
        )


def looks_binary(content: bytes) -> bool:
    """True if the bytes cannot be text in any encoding that is read here."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")) or utf16_without_mark(content):  # zero bytes by right
        return False
    if any(content.startswith(magic) for magic, _ in _KNOWN_MAGIC if magic != b"BM"):
        return True
    sample = content[:_SAMPLE]
    return len(_TEXT_CONTROLS.findall(sample)) > max(_FEW_CONTROLS, 0.01 * len(sample))


def _what(content: bytes) -> str:
    for magic, name in _KNOWN_MAGIC:
        if content.startswith(magic):
            return name
    if looks_binary(content):
        return "binary data"
    return "HTML" if _MARKUP.match(content) else "text"
