"""What was filled into the form of a PDF. Its fields lie over the pages and in none of their texts."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from services.retrieval.adapters.parsers.pdf_shades import Box

_FIELD = 20  # the kind of annotations in PDFium
_HIDDEN = 0x2 | 0x20  # flags of an annotation: hidden, or not shown on a screen
_CHECKBOX, _RADIO, _CHOICES = 2, 3, (4, 5)  # kinds of fields in PDFium
_TEXT = 6
_MOST_FIELDS = 5_000
_LONGEST = 20_000  # bytes


@dataclass(frozen=True, slots=True)
class Value:
    """What stands in a field, and where, in the file's coordinates: left, bottom, right, top. ``is_mark``: a tick,
    whose label stands on the right."""

    box: Box
    text: str
    is_mark: bool


def values_of(document: Any, page: Any) -> Iterator[Value]:
    """The fields of a page that are shown and not empty; boxes to be ticked with their state. None without a form."""
    import pypdfium2.raw as pdfium

    if document.formenv is None:
        return
    for index in range(min(pdfium.FPDFPage_GetAnnotCount(page), _MOST_FIELDS)):
        field = pdfium.FPDFPage_GetAnnot(page, index)
        try:
            if pdfium.FPDFAnnot_GetSubtype(field) == _FIELD and not pdfium.FPDFAnnot_GetFlags(field) & _HIDDEN:
                value = _value(document.formenv, field)
                if value is not None:
                    yield value
        finally:
            pdfium.FPDFPage_CloseAnnot(field)


def _value(form: Any, field: Any) -> Value | None:
    import pypdfium2.raw as pdfium

    kind = pdfium.FPDFAnnot_GetFormFieldType(form, field)
    rect = pdfium.FS_RECTF()
    if not pdfium.FPDFAnnot_GetRect(field, rect):
        return None
    box = (rect.left, min(rect.bottom, rect.top), rect.right, max(rect.bottom, rect.top))
    if kind in (_CHECKBOX, _RADIO):
        return Value(box, "☒" if pdfium.FPDFAnnot_IsChecked(form, field) else "☐", True)
    if kind != _TEXT and kind not in _CHOICES:
        return None
    length = min(pdfium.FPDFAnnot_GetFormFieldValue(form, field, None, 0), _LONGEST)
    buffer = (ctypes.c_ushort * (length // 2 + 1))()
    pdfium.FPDFAnnot_GetFormFieldValue(form, field, buffer, length)
    text = " ".join(bytes(buffer)[:length].decode("utf-16-le", "replace").replace("\x00", "").split())
    return Value(box, text, False) if text else None
