"""Pictures: what is quoted under an answer, what is marked in evidence, what a progress line says."""

from __future__ import annotations

from types import SimpleNamespace

import cli_samples as samples
import pytest

from cli.render import words
from cli.render.answer import print_answer
from cli.render.progress import Progress
from cli.render.trace import print_trace, print_trace_list
from cli.render.verdict import marked, remedy_words
from trirag.common.v1 import types_pb2
from trirag.orchestrator.v1 import orchestrator_pb2
from trirag.validation.v1 import validation_pb2

Out = pytest.CaptureFixture[str]


def span(start: int, end: int) -> types_pb2.TextSpan:
    return types_pb2.TextSpan(start=start, end=end)


def test_a_source_is_quoted_by_the_sentence_that_carries_the_answer(capsys: Out) -> None:
    response = samples.response()
    response.answer.verdict.CopyFrom(samples.verdict())
    print_answer(response)
    out = capsys.readouterr().out
    assert "“The typical cruise speed of the A320 is 447 kt.”" in out
    assert "180 passengers" not in out


def test_a_refusal_shows_the_three_closest_passages_without_their_heading_lines(capsys: Out) -> None:
    sources = [
        orchestrator_pb2.Source(number=n, chunk=samples.chunk(n, f"## Heading\n\nPassage {n}.")) for n in range(1, 6)
    ]
    answer = orchestrator_pb2.Answer(
        status=orchestrator_pb2.ANSWER_STATUS_REFUSED, text="Not in the documents.", sources=sources
    )
    print_answer(orchestrator_pb2.AskResponse(answer=answer))
    out = capsys.readouterr().out
    assert "Closest passages" in out
    assert "“Passage 3.”" in out and "Passage 4" not in out and "## Heading" not in out
    assert "2 more passages were read" in out
    assert "Confidence" not in out


def test_text_of_a_document_cannot_steer_the_terminal(capsys: Out) -> None:
    response = samples.response()
    response.answer.text = "fine \x1b]0;title\x07 [bold]plain[/bold] [1]"
    response.answer.sources[0].chunk.document.title = "\u202eelttiT"
    print_answer(response)
    out = capsys.readouterr().out
    assert "\x1b" not in out and "\x07" not in out and "\u202e" not in out
    assert "[bold]plain[/bold]" in out


def test_matched_stretches_are_marked_and_neighbours_joined() -> None:
    text = "In 2023 the typical cruise speed was 440 kt."
    spans = [span(12, 19), span(20, 26), span(37, 40), span(0, 2)]
    assert marked(text, 3, len(text), spans, styled=False).plain == ("2023 the «typical cruise» speed was «440» kt.")
    styled = marked(text, 3, len(text), spans)
    assert styled.plain == text[3:]
    assert len(styled.spans) == 2


@pytest.mark.parametrize("kind", [k for k in validation_pb2.RemedyKind.values() if k])
def test_every_remedy_has_words(kind: int) -> None:
    remedy = validation_pb2.Remedy(kind=kind, citation=2, queries=["speed of the B737"])
    assert remedy_words(remedy)


def test_enums_days_and_intervals_in_words() -> None:
    from trirag.perception.v1 import parsed_question_pb2

    assert words.enum_word(parsed_question_pb2.Action, parsed_question_pb2.ACTION_HOW_TO) == "how_to"
    assert words.enum_word(parsed_question_pb2.Action, 99) == "99"
    assert words.days(types_pb2.DayInterval()) == ""
    assert words.milliseconds(12_345) == "12.3 s"


def test_a_failed_ask_says_so_in_the_trail_and_in_the_list(capsys: Out) -> None:
    request = orchestrator_pb2.AskRequest(question="How fast?")
    print_trace(orchestrator_pb2.Trace(trace_id="tr-1", request=request, failure="RETRIEVAL_UNAVAILABLE"))
    print_trace_list([orchestrator_pb2.TraceSummary(trace_id="tr-1", failure="RETRIEVAL_UNAVAILABLE")])
    assert capsys.readouterr().out.count("failed: RETRIEVAL_UNAVAILABLE") == 2


def test_progress_without_a_terminal_is_a_line_now_and_then(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("cli.render.progress.time", SimpleNamespace(monotonic=lambda: now[0]))
    with Progress("ingesting", "documents", 40) as progress:
        for now[0], done in ((1.0, 1), (10.0, 20), (11.0, 21)):
            progress.show(done)
    printed = capsys.readouterr()
    assert printed.err == "trirag: 20 of 40 documents, 2.0 a second, about 10 s left\n"
    assert printed.out == ""


def test_an_issue_of_no_statement_is_shown_too(capsys: Out) -> None:
    from cli.render.verdict import print_verdict

    verdict = validation_pb2.Verdict(
        issues=[
            validation_pb2.Issue(
                type=validation_pb2.ISSUE_TYPE_INCOMPLETE_ANSWER, statement_index=7, message="the price is not answered"
            )
        ]
    )
    print_verdict(verdict, [])
    assert "INCOMPLETE_ANSWER: the price is not answered" in capsys.readouterr().out
