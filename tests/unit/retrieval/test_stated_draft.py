"""A text that introduces itself as a draft is one, whatever its file is called."""

from __future__ import annotations

import pytest

from services.common.domain.document import DocumentMetadata
from services.retrieval.domain.documents import complete_metadata
from services.retrieval.domain.passages.cleaning import clean_text
from services.retrieval.domain.versions.families import is_draft
from services.retrieval.domain.versions.stated_draft import stated_draft


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("# Remote work policy\n\nVersion: 3.0 (draft)\nEffective date: 1 January 2027\n", "3.0 (draft)"),
        ("# Remote work policy\n\nDRAFT - not approved\n\nEmployees may ...", "DRAFT - not approved"),
        ("**Status:** Draft\n", "Draft"),
        ("| Status | Draft |\n", "Draft"),
        ("# 差旅管理办法\n\n版本：V3.0 征求意见稿\n", "V3.0 征求意见稿"),
        ("# 差旅管理办法\n\n（征求意见稿）\n", "征求意见稿"),
    ],
)
def test_the_beginning_of_a_draft_says_so(text: str, told: str) -> None:
    assert stated_draft(text) == told


@pytest.mark.parametrize(
    "text",
    [
        "Draft beer is sold from 17:00.\n",
        "# Draft\n\nThe club chose five players.\n",
        "Version: 2.0\n",
        "The draft was approved.\n",
        "Status: approved; the draft of 2020 is withdrawn\n",
        "草案已通过。\n",
        "Version: 2.0\n" + "x\n" * 1000 + "Status: draft\n",
    ],
)
def test_what_speaks_of_drafts_is_none(text: str) -> None:
    assert stated_draft(text) == ""


def test_a_version_that_was_given_wins_over_what_the_text_says() -> None:
    cleaned = clean_text("# Rules\n\nStatus: draft\n\nNobody may enter hall 3.\n")
    read = complete_metadata(DocumentMetadata("rules"), cleaned, "", "rules.md")
    assert is_draft(read)
    assert "version" in read.extracted_fields
    given = complete_metadata(DocumentMetadata("rules", version="2.0"), cleaned, "", "rules.md")
    assert not is_draft(given)
