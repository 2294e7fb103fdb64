"""trirag kb migrate, rollback, migration, migration-drop"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.errors import RequestFailed
from cli.options import JsonFlag, connect

Name = Annotated[str, typer.Argument(metavar="NAME", help="Knowledge base.")]
# Embedding decides, as in an ingest; what is broken off goes on when it is run again.
TIMEOUT = 6 * 3600.0


def migrate(
    context: typer.Context,
    name: Name,
    embedder: Annotated[str, typer.Option("--embedder", metavar="KEY", help="Embedder of config/embedders.yaml.")],
    queries: Annotated[
        Path | None,
        typer.Option("--queries", metavar="FILE", help="Queries to compare beside the recorded ones, one a line."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Copy and compare, and do not switch.")] = False,
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Switch however little the results overlap, without queries, and to the same model."
        ),
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Move a knowledge base to another embedder.

    Its texts are embedded into a new collection while searches go on in the old one; then both are asked the same
    queries, and if the results are alike enough, searches switch. Run again after a break it goes on.
    """
    from cli.query_file import read_queries
    from cli.render.migration import print_report, print_result
    from trirag.retrieval.v1 import migration_pb2 as pb

    request = pb.MigrateKnowledgeBaseRequest(
        name=name,
        embedder=embedder,
        queries=read_queries(queries) if queries else [],
        dry_run=dry_run,
        force=force,
    )
    with connect(context, TIMEOUT) as client:
        followed = _follow(client.stream(client.knowledge_bases.MigrateKnowledgeBase, request), as_json)
    if as_json and followed.error is None:
        _print_json(followed)
    elif followed.report is not None and not as_json:
        print_report(followed.report)
    if followed.error is not None:
        raise followed.error
    if not as_json:
        print_result(followed.result, name)


def rollback(context: typer.Context, name: Name, as_json: JsonFlag = False) -> None:
    """Return to the embedder before the last migration, with all that was written since."""
    from cli.render.migration import print_result
    from trirag.retrieval.v1 import migration_pb2 as pb

    request = pb.RollbackKnowledgeBaseRequest(name=name)
    with connect(context, TIMEOUT) as client:
        followed = _follow(client.stream(client.knowledge_bases.RollbackKnowledgeBase, request), as_json)
    if followed.error is not None:
        raise followed.error
    if as_json:
        _print_json(followed)
    else:
        print_result(followed.result, name)


def migration(context: typer.Context, name: Name, as_json: JsonFlag = False) -> None:
    """Show which collections a knowledge base has, how far a migration is, and the last comparison."""
    from cli.render.console import print_json
    from cli.render.migration import print_status
    from trirag.retrieval.v1 import migration_pb2 as pb

    with connect(context) as client:
        response = client.call(client.knowledge_bases.GetMigration, pb.GetMigrationRequest(name=name))
    (print_json if as_json else print_status)(response)


def migration_drop(
    context: typer.Context,
    name: Name,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask; it is not asked either where stdin is no terminal.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Drop the collections beside the one in use: an unwanted copy, and what a rollback would return to."""
    from cli.commands.kb import confirm
    from cli.render.console import clean, print_json
    from trirag.retrieval.v1 import migration_pb2 as pb

    confirm(f"Drop all collections of {name} but the one in use? There is nothing to roll back to then.", yes)
    with connect(context) as client:
        response = client.call(client.knowledge_bases.DropMigration, pb.DropMigrationRequest(name=name))
    if as_json:
        print_json(response)
    else:
        print(clean(f"{response.dropped_collections} collection(s) of {name} dropped"))


def register(app: typer.Typer) -> None:
    """Adds the commands to `trirag kb`."""
    app.command("migrate")(migrate)
    app.command("rollback")(rollback)
    app.command("migration")(migration)
    app.command("migration-drop")(migration_drop)


@dataclass(slots=True)
class _Followed:
    """What a stream brought: the report may come before an error."""

    report: Any = None
    result: Any = None
    error: RequestFailed | None = None


def _follow(events: Iterator[Any], quiet: bool) -> _Followed:
    """Shows progress until the stream ends."""
    from cli.render.migration import Steps

    followed = _Followed()
    with Steps(quiet) as steps:
        try:
            for event in events:
                kind = event.WhichOneof("event")
                if kind == "progress":
                    steps.show(event.progress)
                elif kind == "report":
                    followed.report = event.report
                else:
                    followed.result = event.result
        except RequestFailed as error:
            followed.error = error
    if followed.error is None and followed.result is None:
        followed.error = RequestFailed("the stream ended without a result; run the command again, it goes on from here")
    return followed


def _print_json(followed: _Followed) -> None:
    from cli.render.console import print_json, to_dict

    document = {"result": to_dict(followed.result)}
    if followed.report is not None:
        document["report"] = to_dict(followed.report)
    print_json(document)
