"""Sentences of passages, and words as terms."""

from __future__ import annotations

import json

import pytest

from services.orchestrator.domain.concepts import GlossedWord, translation
from services.orchestrator.domain.prompts import MAX_STATEMENT_CHARACTERS, read_one, read_whole
from services.orchestrator.domain.sentences import sentences, terms


def test_forms_of_a_verb_are_one_term() -> None:
    assert terms("decide decides decided deciding") == {"decid"}


def test_a_table_row_brings_no_citation_and_no_link() -> None:
    rows = "| # | Text |\n|---|---|\n| 7.1.1 | Log no secrets. ([C9, C10](https://example.org/x)) See [2]. **L1** |\n"
    (row,) = sentences(rows)
    assert row.text == "#: 7.1.1; Text: Log no secrets. (C9, C10) See. L1"


def test_what_the_length_limit_broke_off_is_left_out() -> None:
    whole = "The token has expired. "
    broken = (whole + "x" * MAX_STATEMENT_CHARACTERS)[:MAX_STATEMENT_CHARACTERS]
    assert read_one(json.dumps({"statement": broken})) == whole.strip()
    assert read_one(json.dumps({"statement": "x" * MAX_STATEMENT_CHARACTERS})) == ""
    assert read_one(json.dumps({"statement": "No full stop"})) == "No full stop"


def test_a_translation_holds_words_and_no_stems() -> None:
    def gloss(_text: str) -> list[GlossedWord]:
        return [GlossedWord("租赁", frozenset({"leas"}), ("rent", "lease"))]

    assert translation("M条例的租赁", gloss) == "M rent lease"
    assert translation("the lease", gloss) == ""


@pytest.mark.parametrize("read", [read_whole, read_one])
@pytest.mark.parametrize("reply", ["", "[]", "5", '{"statements": 5}', '{"a": ' + "[" * 100_000])
def test_a_reply_that_is_not_of_the_schema_is_told_as_such(read, reply):
    with pytest.raises(ValueError, match="not of the schema"):
        read(reply)


def test_a_source_without_end_is_not_of_the_schema():
    with pytest.raises(ValueError, match="not of the schema"):
        read_whole('{"statements": [{"text": "Yes.", "sources": [1e999]}]}')
