"""trirag explain"""

from __future__ import annotations

from typing import Annotated

import typer

from cli.options import AsOfOption, JsonFlag, KbOptions, chosen, connect, parse_day, read_text_argument, to_date


def explain(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="The question; - reads it from standard input.")],
    kb: KbOptions = None,
    as_of: AsOfOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Show how a question is understood and what would be searched; nothing is retrieved."""
    from trirag.orchestrator.v1 import orchestrator_pb2 as pb

    request = pb.ExplainPlanRequest(
        question=read_text_argument("question", question),
        as_of=to_date(parse_day("--as-of", as_of)),
        knowledge_bases=chosen(kb),
    )
    with connect(context) as client:
        response = client.call(client.orchestrator.ExplainPlan, request)
    if as_json:
        from cli.render.console import print_json

        print_json(response)
    else:
        from cli.render.plan import print_explanation

        print_explanation(response)
