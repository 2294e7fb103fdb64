"""trirag perceive"""

from __future__ import annotations

from typing import Annotated

import typer

from cli.options import JsonFlag, OfflineFlag, connect, parse_day, read_text_argument, to_date


def perceive(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="The question; - reads it from standard input.")],
    explain: Annotated[
        bool, typer.Option("--explain", help="Name the rule, file, line and matched text behind every field.")
    ] = False,
    reference_date: Annotated[
        str | None,
        typer.Option("--reference-date", metavar="DATE", help="Day against which `last month` and the like count."),
    ] = None,
    time_zone: Annotated[str, typer.Option("--time-zone", help="IANA name such as Asia/Shanghai; default: UTC.")] = "",
    tenant: Annotated[str, typer.Option("--tenant", help="Tenant layer of the rule packs.")] = "",
    as_json: JsonFlag = False,
    offline: OfflineFlag = False,
) -> None:
    """Show the structure that is read from a question."""
    from trirag.perception.v1 import perception_pb2 as pb

    request = pb.ParseRequest(
        question=read_text_argument("question", question),
        reference_date=to_date(parse_day("--reference-date", reference_date)),
        time_zone=time_zone,
        tenant=tenant,
    )
    if offline:
        from cli.offline import parse

        parsed = parse(request)
    else:
        with connect(context) as client:
            parsed = client.call(client.perception.Parse, request).parsed
    if as_json:
        from cli.render.console import print_json

        print_json(parsed)
    else:
        from cli.render.parsed import print_parsed

        print_parsed(parsed, explain=explain)
