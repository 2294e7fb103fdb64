"""A workbook by openpyxl, which reads only what the texts of cells need: what else is damaged is no matter."""

from __future__ import annotations

import io
import warnings
import xml.etree.ElementTree as ElementTree
from contextlib import suppress
from typing import Any

from lxml import etree
from openpyxl.packaging.manifest import Manifest
from openpyxl.reader.excel import ExcelReader
from openpyxl.xml.constants import SHARED_STRINGS

from services.retrieval.adapters.parsers.xlsx_strings import shared_strings
from services.retrieval.domain.quality.rejection import DocumentRejected, Reason

# It warns of what it leaves out, cell by cell; what counts is told with the document.
warnings.filterwarnings("ignore", module="openpyxl\\.")


class _Reader(ExcelReader):  # type: ignore[misc]
    package: Manifest
    shared_strings: list[str]

    def read_strings(self) -> None:
        found = self.package.find(SHARED_STRINGS)
        if found is None:
            return
        try:
            with self.archive.open(found.PartName[1:]) as stream:
                self.shared_strings = shared_strings(stream)
        except (ElementTree.ParseError, etree.XMLSyntaxError) as error:
            raise damaged("the texts of the workbook are", error) from None

    def read_properties(self) -> None:
        with suppress(Exception):
            super().read_properties()

    def read_custom(self) -> None:
        """What a file says of itself is not read."""

    def read_theme(self) -> None:
        """Nor are its colours."""


def open_book(content: bytes, *, computed: bool) -> Any:
    """A workbook whose sheets are read row by row; ``computed``: values of formulas, else their sources.

    Raises what openpyxl raises on damaged files, and DocumentRejected.
    """
    reader = _Reader(io.BytesIO(content), read_only=True, data_only=computed, keep_links=False)
    reader.read()
    return reader.wb


def damaged(what: str, error: Exception) -> DocumentRejected:
    """The refusal of a workbook of which half would be lost."""
    return DocumentRejected(
        Reason.UNREADABLE_FILE, f"{what} damaged ({error}), so the rest would be lost; open the file and save it again"
    )
