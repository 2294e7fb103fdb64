"""Files of one title and largely the same text are versions by the time of their modification; nothing else is."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from datetime import date
from itertools import permutations
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from services.common.domain.document import DocumentMetadata
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.domain.documents import PreparedDocument
from services.retrieval.domain.embedding import EmbedderIdentity
from services.retrieval.domain.ingest_config import HealthThresholds, IngestConfig
from services.retrieval.domain.passages.chunks import ChunkDraft
from services.retrieval.domain.ports import StoredText
from services.retrieval.domain.quality.findings import Finding, collect_findings
from services.retrieval.service.snapshot import Snapshots
from services.retrieval.service.writing import make_writers

MODEL = EmbedderIdentity("m", "1", 8, 512)
TITLES = {"en": "Leave of staff", "zh": "员工请假制度"}
RULES = {
    "en": [
        "Staff may take {days} days of leave in a year.",
        "A request is made in writing two weeks before the first day.",
        "The head of the department answers it within three days.",
        "Leave that was not taken may be moved to the next year once.",
        "Who falls ill while on leave gets those days back with a certificate.",
        "Leave without pay is granted for urgent family matters.",
        "Public holidays that fall into the leave are not counted.",
        "The personnel office keeps a record of all days that were taken.",
        "A refusal gives its reasons and is told to the works council.",
        "These rules hold for all who have worked here for six months.",
    ],
    "zh": [
        "员工每年可以享受{days}天带薪年假。",
        "请假应当提前两周以书面形式提出申请。",
        "部门负责人应当在三日内对申请作出答复。",
        "当年未休完的假期可以结转到下一年度一次。",
        "休假期间生病的，凭证明可以补回相应的天数。",
        "因家中有急事的，可以申请无薪假期。",
        "法定节假日不计入请假天数。",
        "人事部门负责登记所有已经使用的假期。",
        "不予批准的，应当说明理由并告知工会。",
        "本制度适用于工作满六个月的全体员工。",
    ],
}
OTHER = {
    "en": "Pumps are stopped before their seals are changed. The valve is closed and locked with a tag. " * 3,
    "zh": "更换密封件之前应当先停泵。阀门应当关闭并上锁挂牌。检修人员应当佩戴防护用品。" * 3,
}


def rules(language: str, days: int, *more: str) -> str:
    """The text of a version: the days differ, and perhaps a sentence is new."""
    return " ".join([*RULES[language], *more]).format(days=days)


class Base:
    """A knowledge base with a store that forgets all rows."""

    def __init__(self, folder: Path) -> None:
        self.catalogue = Catalogue(f"sqlite:///{folder / 'catalogue.db'}")
        embedder = Mock(identity=MODEL)
        embedder.embed_passages = lambda texts: np.zeros((len(texts), 8), np.float32)
        embedder.count_tokens = lambda text: len(text) // 4
        guard: Any = Mock()
        guard.check.return_value = embedder
        segmenter: Any = Mock()
        segmenter.stem = lambda word: word
        segmenter.segment = list
        store: Any = Mock()
        self.documents = make_writers(
            self.catalogue, Snapshots(self.catalogue), store, guard, segmenter, IngestConfig()
        ).documents
        self.catalogue.add_knowledge_base("kb", "c", MODEL)

    def put(self, *items: tuple[str, str, float], language: str = "en", **fields: Any) -> None:
        """Writes files, all in one group: id, text, time of modification."""
        record = self.catalogue.knowledge_base("kb")
        assert record is not None
        self.documents.write("kb", [_prepared(*i, language, fields) for i in items], MODEL, record.created_at)

    def in_force(self) -> set[str]:
        _, documents = self.catalogue.documents("kb")
        return {key for key, document in documents.items() if document.window.contains(date(2026, 11, 30))}

    def findings(self, kind: str) -> list[Finding]:
        _, documents = self.catalogue.documents("kb")
        found = collect_findings(list(documents.values()), self.catalogue.signatures("kb"), HealthThresholds())
        return [finding for finding in found if finding.kind == kind]


def _prepared(
    document_id: str, text: str, modified: float, language: str, fields: Mapping[str, Any]
) -> PreparedDocument:
    described = {"title": TITLES[language], "language": language, "doc_type": "manual", **fields}
    metadata = DocumentMetadata(
        document_id,
        "kb",
        file_name=f"{document_id}.md",
        file_modified=modified,
        checksum=hashlib.sha256(text.encode()).hexdigest(),
        **described,
    )
    return PreparedDocument(document_id, metadata, text, (), (ChunkDraft(0, 0, len(text), (), 1, ""),), text, (), {})


@pytest.fixture
def base(tmp_path: Path) -> Iterator[Base]:
    made = Base(tmp_path)
    yield made
    made.catalogue.close()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("together", [True, False])
def test_the_one_modified_last_is_in_force_whatever_came_first(base: Base, language: str, together: bool) -> None:
    versions = [("leave", rules(language, 12), 100.0), ("urlaub", rules(language, 15), 200.0)]
    for number, order in enumerate(permutations(versions)):
        base.put(*order, language=language) if together else [base.put(item, language=language) for item in order]
        assert base.in_force() == {"urlaub"}, number
        [told] = base.findings("VERSION_BY_TIME")
        assert told.document_ids == ("urlaub", "leave")
        for document_id, _, _ in versions:
            base.documents.delete("kb", document_id)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_third_version_follows_and_its_deletion_or_change_gives_the_days_back(base: Base, language: str) -> None:
    base.put(("a", rules(language, 12), 100.0), language=language)
    base.put(("c", rules(language, 20, RULES[language][1] + " 15."), 300.0), language=language)
    base.put(("b", rules(language, 15), 200.0), language=language)
    assert base.in_force() == {"c"}
    base.documents.delete("kb", "c")
    assert base.in_force() == {"b"}
    base.put(("b", OTHER[language], 400.0), language=language)
    assert base.in_force() == {"a", "b"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_two_documents_that_share_only_their_title_both_stay(base: Base, language: str) -> None:
    base.put(("a", rules(language, 12), 100.0), ("b", OTHER[language], 200.0), language=language)
    assert base.in_force() == {"a", "b"}
    assert not base.findings("VERSION_BY_TIME") and not base.findings("UNDECIDED_VERSIONS")


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "The rules hold for the works in Hamburg.", "The rules hold for the works in Leipzig."),
        ("en", "Before each flight of the A320 the crew reads them.", "Before each flight of the A330 they read them."),
        ("zh", "本制度适用于上海工厂。", "本制度适用于北京工厂。"),
        ("zh", "操作P-101泵之前应当阅读。", "操作P-205泵之前应当阅读。"),
    ],
)
def test_the_same_rules_for_two_sites_or_models_both_stay(base: Base, language: str, one: str, other: str) -> None:
    base.put(
        ("a", rules(language, 12, one), 100.0), ("b", rules(language, 12, other), 200.0), language=language
    )  # fmt: skip
    assert base.in_force() == {"a", "b"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_equal_or_missing_times_are_told_and_nothing_is_guessed(base: Base, language: str) -> None:
    base.put(("a", rules(language, 12), 100.0), ("b", rules(language, 15), 100.0), language=language)
    assert base.in_force() == {"a", "b"}
    assert [told.document_ids for told in base.findings("UNDECIDED_VERSIONS")] == [("a", "b")]
    base.put(("b", rules(language, 15), 0.0), language=language)
    assert base.in_force() == {"a", "b"}


def test_dates_and_versions_go_before_the_time(base: Base) -> None:
    base.put(("a", rules("en", 12), 900.0), version="3.0")
    base.put(("b", rules("en", 15), 100.0), version="4.0")
    assert base.in_force() == {"b"}
    base.put(("a", rules("en", 12), 900.0), effective_from=date(2024, 1, 1))
    base.put(("b", rules("en", 15), 100.0), effective_from=date(2025, 1, 1))
    assert base.in_force() == {"b"}


def test_a_time_against_the_days_that_the_texts_state_decides_nothing(base: Base) -> None:
    base.put(("a", rules("en", 12), 900.0), updated_at=date(2020, 1, 1))
    base.put(("b", rules("en", 15), 100.0), updated_at=date(2024, 1, 1))
    assert base.in_force() == {"a", "b"}
    assert base.findings("UNDECIDED_VERSIONS")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"authority": 5}, {"authority": 2}),
        ({"access_groups": ()}, {"access_groups": ("board",)}),
        ({"doc_type": "manual"}, {"doc_type": "report"}),
        ({"title": "Notice"}, {"title": "Notice"}),
    ],
)
def test_no_later_copy_hides_what_it_may_not(base: Base, first: dict[str, Any], second: dict[str, Any]) -> None:
    base.put(("a", rules("en", 12), 100.0), **first)
    base.put(("b", rules("en", 15), 200.0), **second)
    assert base.in_force() == {"a", "b"}


def test_the_same_text_twice_is_a_duplicate_and_no_version(base: Base) -> None:
    base.put(("a", rules("en", 12), 100.0), ("b", rules("en", 12), 200.0))
    assert base.in_force() == {"a", "b"}
    assert base.findings("DUPLICATE") and not base.findings("VERSION_BY_TIME")


def test_retiring_the_later_one_does_not_bring_the_earlier_back_and_undoing_restores_it(base: Base) -> None:
    base.put(("a", rules("en", 12), 100.0), ("b", rules("en", 15), 200.0))
    base.documents.retire("kb", "b", date(2026, 1, 1))
    assert base.in_force() == set()
    base.documents.retire("kb", "b", None)
    assert base.in_force() == {"b"}
    base.documents.retire("kb", "a", date(2020, 1, 1))
    base.documents.retire("kb", "a", None)
    assert base.in_force() == {"b"}


@pytest.mark.parametrize("change", [{"title": "Leave of temporary workers"}, {"access_groups": ("board",)}])
@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
@pytest.mark.parametrize("changed", ["a", "b"])
def test_what_was_found_holds_only_while_titles_and_readers_are_the_same(
    base: Base, change: dict[str, Any], order: tuple[str, str], changed: str
) -> None:
    files = {"a": ("a", rules("en", 12), 100.0), "b": ("b", rules("en", 15), 200.0)}
    for document_id in order:
        base.put(files[document_id])
    assert base.in_force() == {"b"}
    base.put(files[changed], **change)
    assert base.in_force() == {"a", "b"}
    assert not base.findings("VERSION_BY_TIME") and not base.findings("UNDECIDED_VERSIONS")
    base.put(files[changed])
    assert base.in_force() == {"b"}


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "Site: Berlin.", "Site: Hamburg."),
        ("en", "Record of the inspection for May 2024.", "Record of the inspection for June 2024."),
        ("en", "Customer no. 4711", "Customer no. 5822"),
        ("zh", "适用部门：财务部。", "适用部门：生产部。"),
    ],
)
def test_one_list_for_two_sites_customers_or_months_stays_in_force_for_each(
    base: Base, language: str, one: str, other: str
) -> None:
    base.put(("a", rules(language, 12, one), 100.0), ("b", rules(language, 12, other), 200.0), language=language)
    assert base.in_force() == {"a", "b"}
    assert not base.findings("VERSION_BY_TIME")


def test_where_it_is_in_doubt_nothing_is_put_out_of_force_and_it_is_told(base: Base) -> None:
    one, other = "Record of the inspection on 3 May 2024.", "Record of the inspection on 4 June 2024."
    base.put(("a", rules("en", 12, one), 100.0), ("b", rules("en", 12, other), 200.0))
    assert base.in_force() == {"a", "b"}
    assert [told.document_ids for told in base.findings("UNDECIDED_VERSIONS")] == [("a", "b")]
    base.put(("b", rules("en", 12, other), 200.0), supersedes="a")
    assert base.in_force() == {"b"} and not base.findings("UNDECIDED_VERSIONS")


def test_a_long_chain_of_versions_is_linked_to_its_neighbours_and_each_text_is_read_once(
    base: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    text = base.catalogue.text

    def counted(knowledge_base: str, document_id: str) -> StoredText | None:
        read.append(document_id)
        return text(knowledge_base, document_id)

    monkeypatch.setattr(base.catalogue, "text", counted)
    for number in range(13):
        base.put((f"d{number:02}", f"{OTHER['en']} {rules('en', 17 + number)}", 100.0 + number))
    _, documents = base.catalogue.documents("kb")
    assert max(len(document.metadata.alike) for document in documents.values()) <= 8
    assert base.in_force() == {"d12"}
    for number in (10, 11, 12):
        base.documents.delete("kb", f"d{number}")
    assert base.in_force() == {"d09"}
    assert len(read) == 12 + 1 + 1  # to republish what got another window; to compare only the first
