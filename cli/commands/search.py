"""trirag search"""

from __future__ import annotations

import enum
from typing import Annotated, Any

import typer

from cli.errors import RequestFailed
from cli.options import AsOfOption, JsonFlag, KbOption, connect, parse_day, read_text_argument, to_date


class SearchKind(enum.StrEnum):
    """How to search."""

    DENSE = "dense"
    KEYWORD = "keyword"
    HYBRID = "hybrid"
    TWO_STAGE = "two_stage"


def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="The query; - reads it from standard input.")],
    kb: KbOption,
    top_k: Annotated[int, typer.Option("--top-k", help="Passages wanted, 1 to 200.")] = 10,
    kind: Annotated[SearchKind | None, typer.Option("--type", help="How to search; default: hybrid, reranked.")] = None,
    as_of: AsOfOption = None,
    all_versions: Annotated[
        bool, typer.Option("--all-versions", help="Also versions that are not in force that day.")
    ] = False,
    rerank: Annotated[bool, typer.Option("--rerank", help="Order the hits by the reranker.")] = False,
    parents: Annotated[bool, typer.Option("--parents", help="Show the whole sections that passages are from.")] = False,
    max_per_document: Annotated[
        int, typer.Option("--max-per-document", min=0, max=200, help="Hits of one document at most; 0: any number.")
    ] = 0,
    novelty: Annotated[
        float, typer.Option("--novelty", min=0.0, max=1.0, help="What being unlike the hits before weighs, 0 to 1.")
    ] = 0.0,
    merge_same_text: Annotated[
        bool, typer.Option("--merge-same-text", help="Show a text that versions or copies share once.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Search one knowledge base."""
    from trirag.retrieval.v1 import retrieval_pb2 as pb

    task = pb.SearchTask(
        task_id="cli",
        query=read_text_argument("query", query),
        type=pb.SearchType.Value(search_type(kind)),
        knowledge_base=kb,
        filter=pb.SearchFilter(in_force_on=to_date(parse_day("--as-of", as_of)), include_superseded=all_versions),
        top_k=_checked_top_k(top_k),
        rerank=rerank,
        expand_parent=parents,
        diversity=pb.Diversity(max_per_document=max_per_document, novelty=novelty, merge_same_text=merge_same_text),
    )
    with connect(context) as client:
        response = client.call(client.retrieval.Search, pb.SearchRequest(tasks=[task]))
    result = response.results[0]
    raise_for_status(result)
    if as_json:
        from cli.render.console import print_json

        print_json(response)
    else:
        from cli.render.hits import print_hits

        print_hits(result, result.embedding_model or response.embedding_model)


def search_type(kind: SearchKind | None) -> str:
    """Name of the type on the wire; none is the service's best, hybrid and reranked."""
    return "SEARCH_TYPE_UNSPECIFIED" if kind is None else f"SEARCH_TYPE_{kind.name}"


def _checked_top_k(top_k: int) -> int:
    # 0 means "the default" on the wire, and negative numbers do not fit the shell's idea of a count.
    if not 1 <= top_k <= 200:
        raise typer.BadParameter(f"{top_k} is not from 1 to 200", param_hint="--top-k")
    return top_k


def raise_for_status(result: Any) -> None:
    """Raises RequestFailed unless the task was searched."""
    from trirag.retrieval.v1 import retrieval_pb2 as pb

    if result.status != pb.TASK_STATUS_OK:
        code = pb.TaskStatus.Name(result.status).removeprefix("TASK_STATUS_")
        raise RequestFailed(result.message or f"the search ended with {code}", code=code)
