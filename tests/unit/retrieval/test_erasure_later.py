"""What is left to be forgotten stands in the catalogue: of replaced texts, of whole knowledge bases, over restarts."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import delete, insert, select

from services.common.errors import Unavailable
from services.retrieval.adapters import catalogue_schema as t
from services.retrieval.adapters.side_rows import side_row
from services.retrieval.domain.ports import FORMER
from services.retrieval.service import erasure
from tests.unit.retrieval.test_erasure import MODEL, Base, text_with


@pytest.fixture
def base(tmp_path: Path) -> Iterator[Base]:
    made = Base(tmp_path)
    yield made
    made.catalogue.close()


def has_former(base: Base) -> None:
    with base.catalogue.database.writing() as connection:
        connection.execute(insert(t.side_collections).values(side_row("kb", FORMER, "c_old", MODEL, time.time(), "")))


def test_vectors_of_replaced_texts_go_and_those_still_used_stay(base: Base) -> None:
    base.put("kept", text_with("something else"))
    kept = base.vectors()
    base.put("gone", text_with("first"))
    base.put("gone", text_with("second"))
    base.writers.erasure.finish()
    assert base.vectors() == 2 * kept
    base.writers.documents.delete("kb", "gone")
    base.writers.erasure.finish()
    assert base.vectors() == kept
    misses = base.cache.misses
    base.put("kept", text_with("something else") + "\n\n## New\n\nMore.")
    assert base.cache.misses - misses <= 2


def test_deleting_one_version_leaves_the_vectors_that_another_one_shares(base: Base) -> None:
    base.put("v1", text_with("same"), title="Policy")
    shared = base.vectors()
    base.put("v2", text_with("same") + "\n\n## New\n\nOne more part.", title="Policy")
    assert base.vectors() > shared
    base.writers.documents.delete("kb", "v2")
    base.writers.erasure.finish()
    assert base.vectors() == shared


def test_vectors_of_a_deleted_knowledge_base_go(base: Base) -> None:
    base.put("gone", text_with("secret"))
    base.writers.bases.delete("kb")
    base.writers.erasure.finish()
    assert base.vectors() == 0


def test_a_restart_between_deletion_and_sweep_loses_nothing(base: Base) -> None:
    base.put("gone", text_with("secret"))
    base.writers.documents.delete("kb", "gone")
    base.catalogue.close()
    again = Base(base.folder, new=False)
    again.writers.erasure.finish()
    assert again.vectors() == 0
    assert [call.args for call in again.store.merge.call_args_list] == [("c",)]
    again.catalogue.close()


@pytest.mark.parametrize("what", ["delete_revision", "merge"])
def test_what_does_not_answer_is_asked_again(base: Base, what: str) -> None:
    has_former(base)
    base.put("gone", text_with("secret"))
    asked = getattr(base.store, what)
    asked.side_effect = Unavailable("STORE", "it does not answer")
    base.writers.documents.delete("kb", "gone")
    with pytest.raises(Unavailable):
        base.writers.erasure.finish()
    asked.side_effect = None
    asked.reset_mock()
    base.writers.erasure.finish()
    asked.assert_called()
    assert base.vectors() == 0


def test_a_document_written_again_meanwhile_keeps_its_rows_beside(base: Base) -> None:
    has_former(base)
    base.put("gone", text_with("secret"))
    base.writers.documents.delete("kb", "gone")
    base.put("gone", text_with("secret"))
    again = base.catalogue.document("kb", "gone")
    assert again is not None
    vectors = base.vectors()
    base.writers.erasure.finish()
    assert base.vectors() == vectors
    removed = [call.args[0].revision for call in base.store.delete_revision.call_args_list]
    assert removed and again.revision not in removed


def test_documents_of_earlier_programs_are_told_of_and_keep_what_they_share(base: Base) -> None:
    base.put("old", text_with("same"), title="Policy")
    shared = base.vectors()
    with base.catalogue.database.writing() as connection:
        connection.execute(delete(t.passage_keys))
    base.put("new", text_with("same"), title="Policy")
    base.writers.documents.delete("kb", "new")
    base.writers.erasure.finish()
    assert base.vectors() == shared
    base.writers.documents.delete("kb", "old")
    base.writers.erasure.finish()
    assert base.vectors() == 0
    with base.catalogue.database.reading() as connection:
        assert connection.execute(select(t.passage_keys)).all() == []


def untold(base: Base) -> None:
    """As programs before this one left the catalogue."""
    with base.catalogue.database.writing() as connection:
        connection.execute(delete(t.passage_keys))


def test_documents_of_earlier_programs_leave_nothing_if_they_go_before_the_first_sweep(base: Base) -> None:
    base.put("deleted", text_with("first"))
    base.put("replaced", text_with("second"))
    untold(base)
    base.writers.documents.delete("kb", "deleted")
    base.put("replaced", "# New\n\nOther words.")
    left = base.vectors()
    base.writers.erasure.finish()
    assert base.vectors() < left
    base.writers.documents.delete("kb", "replaced")
    base.writers.erasure.finish()
    assert base.vectors() == 0


def test_documents_whose_model_is_not_at_hand_do_not_hold_up_others(
    base: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasure, "_PART", 2)
    for name in ("a", "b", "c"):
        base.put(name, text_with(name))
    untold(base)
    text_of, of_stored = base.catalogue.document, {"a", "b"}
    monkeypatch.setattr(base.catalogue, "document", lambda kb, key: None if key in of_stored else text_of(kb, key))
    base.writers.erasure.finish()
    assert base.catalogue.passages.stored_without(9) == [("kb", "a"), ("kb", "b")]
    assert base.catalogue.passages.stored_without(9, ("kb", "a")) == [("kb", "b")]
