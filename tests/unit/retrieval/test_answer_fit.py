"""Whether a passage has the form of an answer, and what the reranker makes of it."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from services.common.domain.document import DocumentMetadata
from services.common.domain.time import DayInterval
from services.retrieval.adapters.segmenter import Segmenter
from services.retrieval.adapters.units_config import load_units
from services.retrieval.domain.ports import ChunkRow
from services.retrieval.domain.ranking.answer_fit import Version, Wanted, asks_when, date_fit, in_force_then
from services.retrieval.domain.ranking.lexical import analyze
from services.retrieval.domain.ranking.rerank import FEATURES, RerankWeights
from services.retrieval.domain.ranking.translation import NoTranslator
from services.retrieval.domain.versions.families import LAST_DAY, Window
from services.retrieval.service.reranking import Candidate, FeatureReranker

ALL = RerankWeights(dict.fromkeys(FEATURES, 1.0))


@pytest.fixture(scope="module")
def reranker() -> FeatureReranker:
    units = load_units(Path(__file__).resolve().parents[3] / "config" / "validation" / "units.yaml")
    return FeatureReranker(ALL, Segmenter(), NoTranslator(), units)


def _version(document_id: str, supersedes: str) -> DocumentMetadata:
    return DocumentMetadata(document_id, title=f"Thresholds {document_id}", supersedes=supersedes)


def _candidate(
    text: str, window: Window | None = None, language: str = "en", document: DocumentMetadata | None = None
) -> Candidate:
    row = ChunkRow(
        document.document_id if document else "d", "r", 0, text, " ".join(analyze(text, Segmenter())), (), 0,
        len(text), 0, len(text), 0, 20, 0.0, (),
        "other", language, 3, "", 0, window or Window(), "public",
    )  # fmt: skip
    return Candidate(row, "", 0.5, 1, 0.0, 0, document)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("When did Tesla die?", True),
        ("In what year was it founded?", True),
        ("The sport was started when?", True),
        ("When does the rule come into force?", True),
        ("华沙证券交易所是什么时候建立的？", True),
        ("他哪一年去世？", True),
        ("What happens when a user is idle?", False),
        ("When must an assessment be made?", False),
        ("How many days is it?", False),
        ("几个人参加？", False),
    ],
)
def test_a_date_is_asked_for(question: str, asked: bool) -> None:
    assert asks_when(question) is asked


def _in(year: int, month: int = 0) -> DayInterval:
    return DayInterval(date(year, month or 1, 1), date(year, month or 12, 28 if month else 31))


def test_days_within_the_period_fit_it_and_days_around_it_half() -> None:
    wanted = Wanted(periods=(_in(2017, 3),))
    assert date_fit(wanted, "It was signed on 2017-03-05.") == 1.0
    assert date_fit(wanted, "It was signed in 2017.") == 0.5
    assert date_fit(wanted, "It was signed in 2018.") == 0.0
    assert date_fit(Wanted(periods=(_in(2017), _in(2019))), "In 2017 it was signed.") == 0.5
    assert date_fit(Wanted(), "It was signed in 2017.") == 0.0


def test_the_day_of_the_question_is_no_news() -> None:
    assert date_fit(Wanted(when=True), "He died in 1943.") == 1.0
    assert date_fit(Wanted(when=True), "He died young.") == 0.0
    asked = Wanted(when=True, periods=(_in(1920),))
    assert date_fit(asked, "The games of 1920.") == 0.5
    assert date_fit(asked, "The games of 1920; he died in 1943.") == 1.0


def test_the_documents_own_days_fit_too() -> None:
    wanted = Wanted(periods=(_in(2017),))
    published = date(2017, 5, 1)
    assert date_fit(wanted, "It was signed.", [DayInterval(published, published)]) == 1.0
    assert date_fit(Wanted(when=True), "It was signed.", [DayInterval(published, published)]) == 0.0


FIRST, MIDDLE = date(2010, 1, 1).toordinal(), date(2017, 10, 1).toordinal()


def test_of_two_versions_the_one_fits_that_was_in_force_longer() -> None:
    wanted = Wanted(periods=(_in(2017),))
    versions = [Version("f", Window(FIRST, MIDDLE - 1)), Version("f", Window(MIDDLE, LAST_DAY)), Version("", Window())]
    assert in_force_then(wanted, versions) == [1.0, pytest.approx(92 / 273), 1.0]
    assert in_force_then(Wanted(periods=(_in(2012),)), versions) == [1.0, 0.0, 1.0]
    assert in_force_then(Wanted(periods=(DayInterval(date(2018, 1, 1), None),)), versions) == [0.0, 1.0, 1.0]
    assert in_force_then(Wanted(), versions) == [0.0, 0.0, 0.0]


def test_a_version_without_a_first_day_counts_from_its_publication() -> None:
    versions = [Version("f", Window(end=MIDDLE)), Version("f", Window(), MIDDLE + 1)]
    assert in_force_then(Wanted(periods=(_in(2012),)), versions) == [1.0, 0.0]


def test_nothing_is_held_against_a_document_whose_versions_all_came_later() -> None:
    versions = [Version("f", Window(FIRST, MIDDLE)), Version("f", Window(MIDDLE + 1)), Version("", Window(MIDDLE))]
    assert in_force_then(Wanted(periods=(_in(1915),)), versions) == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("question", "feature", "fitting", "other"),
    [
        ("How long are records kept?", "units", "Records are kept for six months.", "Records are kept in the archive."),
        ("How many points did they lose?", "units", "They lost 308 points.", "They lost points in 2015."),
        ("审计记录应当保存多久？", "units", "审计记录保存六个月。", "审计记录于2015年3月保存在机房。"),
        ("有多少所大学？", "units", "纽卡斯尔有两所大学。", "纽卡斯尔有大学。"),
        ("Who won the cup in March 2000?", "date_fit", "On 5 March 2000 Polonia won.", "In 1999 Polonia won."),
        ("交易所是什么时候建立的？", "date_fit", "交易所建立于一八一七年。", "交易所建立于华沙。"),
    ],
)
def test_a_hit_says_that_it_has_the_form_of_an_answer(
    reranker: FeatureReranker, question: str, feature: str, fitting: str, other: str
) -> None:
    language = "en" if question.isascii() else "zh"
    first, second = reranker.rerank(
        question, [_candidate(fitting, language=language), _candidate(other, language=language)]
    )
    assert first.parts[feature] == 1.0
    assert feature not in second.parts


def test_a_hit_says_that_its_version_was_in_force_then(reranker: FeatureReranker) -> None:
    text = "The threshold is set each year."
    old = _candidate(text, Window(FIRST, date(2013, 12, 31).toordinal()), document=_version("t1", ""))
    new = _candidate(text, Window(date(2014, 1, 1).toordinal()), document=_version("t2", "t1"))
    other = _candidate(text, Window(date(2014, 1, 1).toordinal()), document=_version("t3", ""))
    scored = reranker.rerank("What was the threshold in May 2013?", [old, new, other])
    assert [item.parts.get("in_force_then") for item in scored] == [1.0, None, 1.0]
    assert scored[0].score > scored[1].score
    scored = reranker.rerank("What is the threshold?", [old, new, other])
    assert all("in_force_then" not in item.parts for item in scored)
