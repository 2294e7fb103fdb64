"""trirag kb"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.commands.kb_ingests import register as register_ingests
from cli.commands.kb_migration import register as register_migration
from cli.errors import CliError
from cli.options import JsonFlag, connect

app = typer.Typer(help="List, inspect, migrate and delete knowledge bases and their documents.")
register_migration(app)
register_ingests(app)
Name = Annotated[str, typer.Argument(metavar="NAME", help="Knowledge base.")]
YesFlag = Annotated[
    bool, typer.Option("--yes", "-y", help="Do not ask; it is not asked either where stdin is no terminal.")
]
PAGE = 1000
HEALTH_TIMEOUT = 120.0


@app.command("list")
def list_(context: typer.Context, as_json: JsonFlag = False) -> None:
    """List the knowledge bases."""
    from cli.render.knowledge_bases import print_knowledge_bases
    from trirag.retrieval.v1 import knowledge_base_pb2 as pb

    with connect(context) as client:
        response = client.call(client.knowledge_bases.ListKnowledgeBases, pb.ListKnowledgeBasesRequest())
    _show(response, as_json, print_knowledge_bases)


@app.command("delete")
def delete(context: typer.Context, name: Name, yes: YesFlag = False, as_json: JsonFlag = False) -> None:
    """Delete a knowledge base with all it holds."""
    from trirag.retrieval.v1 import knowledge_base_pb2 as pb

    confirm(f"Delete the knowledge base {name} with every document in it?", yes)
    with connect(context) as client:
        request = pb.DeleteKnowledgeBaseRequest(name=name)
        response = client.call(client.knowledge_bases.DeleteKnowledgeBase, request)
    _done(response, as_json, f"{name} deleted with {response.deleted_documents} document(s)")


@app.command("health")
def health(
    context: typer.Context,
    name: Name,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write the report as a page.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Report figures and findings on what is stored, what was refused, and what conflicts."""
    from cli.render.health import print_health
    from trirag.retrieval.v1 import knowledge_base_pb2 as pb

    with connect(context, HEALTH_TIMEOUT) as client:
        request = pb.GetHealthReportRequest(knowledge_base=name)
        response = client.call(client.knowledge_bases.GetHealthReport, request)
    if html is not None:
        _write_page(html, response)
    if as_json or html is None:
        _show(response, as_json, print_health)


@app.command("documents")
def documents(
    context: typer.Context,
    name: Name,
    limit: Annotated[int, typer.Option("--limit", help="How many at most.", min=1)] = 1000,
    as_json: JsonFlag = False,
) -> None:
    """List the documents of a knowledge base."""
    from cli.render.console import note
    from cli.render.knowledge_bases import print_documents
    from trirag.retrieval.v1 import knowledge_base_pb2 as pb

    found: list[Any] = []
    token = ""
    with connect(context) as client:
        while len(found) < limit:
            request = pb.ListDocumentsRequest(
                knowledge_base=name, page_size=min(PAGE, limit - len(found)), page_token=token
            )
            page = client.call(client.knowledge_bases.ListDocuments, request)
            found.extend(page.documents)
            token = page.next_page_token
            if not token:
                break
    _show(pb.ListDocumentsResponse(documents=found, next_page_token=token), as_json, print_documents)
    if token:
        note(f"there are more than {limit}; raise --limit to see them")


@app.command("delete-document")
def delete_document(
    context: typer.Context,
    name: Name,
    document_id: Annotated[str, typer.Argument(metavar="DOCUMENT_ID")],
    yes: YesFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Delete one document with every trace of it."""
    from trirag.retrieval.v1 import knowledge_base_pb2 as pb

    confirm(f"Delete {document_id} from {name}?", yes)
    with connect(context) as client:
        request = pb.DeleteDocumentRequest(knowledge_base=name, document_id=document_id)
        response = client.call(client.knowledge_bases.DeleteDocument, request)
    _done(response, as_json, f"{document_id} deleted with {response.deleted_chunks} chunk(s)")


def _write_page(path: Path, response: Any) -> None:
    from datetime import datetime

    from cli.render.console import note
    from cli.render.health_html import health_page

    try:
        path.write_text(health_page(response, datetime.now()), "utf-8")
    except OSError as error:
        raise CliError(f"{path}: {error.strerror or error}; name a file that can be written") from None
    note(f"wrote {path}")


def _show(response: Any, as_json: bool, printer: Callable[[Any], None]) -> None:
    from cli.render.console import print_json

    (print_json if as_json else printer)(response)


def _done(response: Any, as_json: bool, sentence: str) -> None:
    from cli.render.console import clean, print_json

    if as_json:
        print_json(response)
    else:
        print(clean(sentence))


def confirm(question: str, yes: bool) -> None:
    """Asks on a terminal, unless ``yes``. Raises CliError if the answer is no."""
    if yes or not sys.stdin.isatty():
        return
    from cli.render.console import clean

    if not typer.confirm(clean(question), err=True):
        raise CliError("nothing was deleted")
