"""Files that no ingest may store, made byte by byte."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

# A PNG of one pixel.
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
# What the PDF standard fills passwords up with.
_PADDING = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")
_PERMISSIONS = -4


def write_bad_files(folder: Path) -> None:
    """An empty PDF, a locked one, a picture that says it is Markdown, and a JSONL whose second line is broken."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "empty.pdf").write_bytes(b"")
    (folder / "locked.pdf").write_bytes(locked_pdf("secret"))
    (folder / "picture.md").write_bytes(PICTURE)
    lines = [
        '{"document_id": "good-1", "title": "One", "text": "The gate opens at six in the morning.", "language": "en"}',
        '{"document_id": "broken", "title": ',
        '{"document_id": "no-day", "title": "Two", "text": "The gate closes at nine.", "published_at": "2024-02-30"}',
        '{"document_id": "good-2", "title": "Three", "text": "食堂中午十二点开门。", "language": "zh"}',
    ]
    (folder / "lines.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def locked_pdf(password: str) -> bytes:
    """A PDF of one empty page under the standard security handler, revision 2 (40-bit RC4)."""
    file_id = hashlib.md5(b"locked").digest()
    secret = (password.encode() + _PADDING)[:32]
    owner = _rc4(hashlib.md5(secret).digest()[:5], secret)
    permissions = _PERMISSIONS.to_bytes(4, "little", signed=True)
    key = hashlib.md5(secret + owner + permissions + file_id).digest()[:5]
    user = _rc4(key, _PADDING)
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 72 72] >>",
        f"<< /Filter /Standard /V 1 /R 2 /O <{owner.hex()}> /U <{user.hex()}> /P {_PERMISSIONS} >>",
    ]
    body = "%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    trailer = f"<< /Size 5 /Root 1 0 R /Encrypt 4 0 R /ID [<{file_id.hex()}> <{file_id.hex()}>] >>"
    end = f"xref\n0 5\n0000000000 65535 f \n{table}trailer\n{trailer}\nstartxref\n{len(body)}\n%%EOF\n"
    return (body + end).encode("ascii")


def _rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out = bytearray()
    i = j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)
