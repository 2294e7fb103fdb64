"""trirag ask"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.errors import RequestFailed
from cli.options import (
    ASK_SECONDS,
    AsOfOption,
    JsonFlag,
    KbOptions,
    chosen,
    connect,
    parse_day,
    read_text_argument,
    to_date,
)

if TYPE_CHECKING:
    from cli.client import Client


def ask(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="The question; - reads it from standard input.")],
    kb: KbOptions = None,
    as_of: AsOfOption = None,
    as_json: JsonFlag = False,
    stream: Annotated[bool, typer.Option("--stream", help="Show every step as it happens.")] = False,
    extractive: Annotated[bool, typer.Option("--extractive", help="Quote sentences only; no language model.")] = False,
    request_id: Annotated[
        str, typer.Option("--request-id", help="Makes the call idempotent: the same id gives the same answer.")
    ] = "",
) -> None:
    """Answer a question; every statement is verified, or the answer says what could not be found."""
    from trirag.orchestrator.v1 import orchestrator_pb2 as pb

    request = pb.AskRequest(
        question=read_text_argument("question", question),
        as_of=to_date(parse_day("--as-of", as_of)),
        knowledge_bases=chosen(kb),
        extractive_only=extractive,
        request_id=request_id,
    )
    with connect(context, ASK_SECONDS) as client:
        response = _streamed(client, request) if stream else client.call(client.orchestrator.Ask, request)
    if as_json:
        from cli.render.console import print_json

        print_json(response)
    else:
        from cli.render.answer import print_answer

        print_answer(response)


def _streamed(client: Client, request: Any) -> Any:
    """Tells the steps on stderr and gives the answer."""
    from cli.render.events import print_step
    from trirag.orchestrator.v1 import orchestrator_pb2 as pb

    answer = None
    for event in client.stream(client.orchestrator.AskStream, pb.AskStreamRequest(ask=request)):
        if event.WhichOneof("event") == "answer":
            answer = event.answer
        else:
            print_step(event)
    if answer is None:
        raise RequestFailed("the stream ended before the answer; `trirag doctor` shows what is down", code="UNKNOWN")
    return answer
