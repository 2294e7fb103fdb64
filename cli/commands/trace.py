"""trirag trace"""

from __future__ import annotations

from typing import Annotated

import typer

from cli.options import JsonFlag, connect

LIST = "list"
MAX_PAGE = 200


def trace(
    context: typer.Context,
    trace_id: Annotated[str, typer.Argument(metavar="ID|list", help="Id that `ask` printed, or list.")],
    limit: Annotated[int, typer.Option("--limit", help="With list: how many, newest first.", min=1)] = 20,
    as_json: JsonFlag = False,
) -> None:
    """Show how an answer came about, or list the stored trails."""
    if trace_id == LIST:
        _list(context, limit, as_json)
        return
    from trirag.orchestrator.v1 import orchestrator_pb2 as pb

    with connect(context) as client:
        found = client.call(client.orchestrator.GetTrace, pb.GetTraceRequest(trace_id=trace_id)).trace
    if as_json:
        from cli.render.console import print_json

        print_json(found)
    else:
        from cli.render.trace import print_trace

        print_trace(found)


def _list(context: typer.Context, limit: int, as_json: bool) -> None:
    from trirag.orchestrator.v1 import orchestrator_pb2 as pb

    traces: list[pb.TraceSummary] = []
    token = ""
    with connect(context) as client:
        while len(traces) < limit:
            size = min(limit - len(traces), MAX_PAGE)
            request = pb.ListTracesRequest(page_size=size, page_token=token)
            page = client.call(client.orchestrator.ListTraces, request)
            traces.extend(page.traces)
            token = page.next_page_token
            if not token:
                break
    if as_json:
        from cli.render.console import print_json

        print_json(pb.ListTracesResponse(traces=traces, next_page_token=token))
    else:
        from cli.render.trace import print_trace_list

        print_trace_list(traces)
