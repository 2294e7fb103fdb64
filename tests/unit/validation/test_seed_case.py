"""The seed case: one outdated side of a comparison."""

from __future__ import annotations

from datetime import date

from services.common.domain.document import Chunk, DocumentMetadata
from services.common.domain.verdict import IssueType, RemedyKind
from services.validation.adapters.config import default_config
from services.validation.validator import validate_answer

ANSWER = "A320's typical cruise speed is 440 kt [1]. B737's is 450 kt [2]. Therefore B737 is faster."


def _chunk(name: str, text: str, published: date) -> Chunk:
    return Chunk(name, DocumentMetadata(name, title=f"{name} data", published_at=published), text)


def _judge(second: date):  # type: ignore[no-untyped-def]
    chunks = (
        _chunk("A320", "The typical cruise speed of the A320 is 440 kt.", date(2023, 3, 1)),
        _chunk("B737", "The typical cruise speed of the B737 is 450 kt.", second),
    )
    question = "Which aircraft was faster in 2023, the A320 or the B737?"
    return validate_answer(question, None, ANSWER, chunks, None, date(2026, 11, 30), default_config())


def test_a_source_older_than_the_period_asked_about_is_outdated() -> None:
    verdict = _judge(date(2020, 5, 1))
    assert not verdict.valid
    outdated = [i for i in verdict.issues if i.type is IssueType.OUTDATED_SOURCE]
    assert [i.statement_index for i in outdated] == [1]
    assert outdated[0].remedy.kind is RemedyKind.RETRIEVE_FRESHER
    assert outdated[0].remedy.queries


def test_the_same_source_of_the_period_is_not_outdated() -> None:
    assert not any(i.type is IssueType.OUTDATED_SOURCE for i in _judge(date(2023, 5, 1)).issues)
