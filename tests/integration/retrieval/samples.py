"""Small files of every kind that ingestion must accept or refuse, made here byte by byte."""

from __future__ import annotations

import hashlib
import io
import struct
import zipfile
import zlib

_PAD = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")


def pdf(pages: list[list[str]]) -> bytes:
    """A PDF with the given lines of text on each page; a page without lines is blank, as in a scan."""
    return _assemble(*_objects(pages))


def encrypted_pdf() -> bytes:
    """A PDF that needs a password to be opened (standard handler, revision 2, RC4 with 40 bits)."""
    objects, root = _objects([["secret text"]])
    file_id = b"0123456789abcdef"
    owner = _rc4(hashlib.md5(_PAD).digest()[:5], (b"user" + _PAD)[:32])
    permissions = struct.pack("<i", -4)
    key = hashlib.md5((b"user" + _PAD)[:32] + owner + permissions + file_id).digest()[:5]
    user = _rc4(key, _PAD)
    objects.append(
        b"<< /Filter /Standard /V 1 /R 2 /O <" + owner.hex().encode() + b"> /U <" + user.hex().encode() + b"> /P -4 >>"
    )
    extra = b"/Encrypt %d 0 R /ID [<%s> <%s>]" % (len(objects), file_id.hex().encode(), file_id.hex().encode())
    return _assemble(objects, root, extra)


def png() -> bytes:
    """A PNG of one pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")


def docx(paragraphs: list[str], padding: int = 0) -> bytes:
    """A DOCX; ``padding`` bytes of zeros make it a bomb."""
    body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)
    document = (
        '<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="http://schemas.openxmlformats.org/'
        f'wordprocessingml/2006/main"><w:body>{body}</w:body></w:document>'
    )
    types = (
        '<?xml version="1.0" encoding="UTF-8"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/'
        'content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships'
        '+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument'
        '.wordprocessingml.document.main+xml"/></Types>'
    )
    relations = (
        '<?xml version="1.0" encoding="UTF-8"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
        'relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
        'relationships/officeDocument" Target="word/document.xml"/></Relationships>'
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", types)
        archive.writestr("_rels/.rels", relations)
        archive.writestr("word/document.xml", document)
        if padding:
            archive.writestr("word/media/padding.bin", bytes(padding))
    return buffer.getvalue()


def _objects(pages: list[list[str]]) -> tuple[list[bytes], int]:
    objects = [b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    parent = 2 + 2 * len(pages)
    for lines in pages:
        drawn = "".join(f"({line}) Tj 0 -14 Td " for line in lines)
        content = f"BT /F1 12 Tf 72 720 Td {drawn}ET" if lines else "72 600 200 100 re f"
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content.encode("latin-1")))
        objects.append(
            b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 1 0 R >> >> "
            b"/Contents %d 0 R >>" % (parent, len(objects))
        )
        kids.append(b"%d 0 R" % len(objects))
    objects.append(b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids)))
    objects.append(b"<< /Type /Catalog /Pages %d 0 R >>" % len(objects))
    return objects, len(objects)


def _assemble(objects: list[bytes], root: int, extra: bytes = b"") -> bytes:
    out = b"%PDF-1.4\n"
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    return out + b"trailer << /Size %d /Root %d 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1, root, extra, start,
    )  # fmt: skip


def _rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    i = j = 0
    out = bytearray()
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)
