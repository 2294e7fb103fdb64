"""trirag ingest"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.errors import EXIT_FAILED, RequestFailed
from cli.options import JsonFlag, KbOption, connect

if TYPE_CHECKING:
    from cli.client import Client
    from cli.ingest.messages import Upload
    from cli.render.ingest import Tally

# Embedding decides: some ten passages a second on two cores.
TIMEOUT = 6 * 3600.0


def ingest(
    context: typer.Context,
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Folders, files, or JSONL of documents.")],
    kb: KbOption,
    meta: Annotated[
        Path | None, typer.Option("--meta", metavar="FILE", help="Sidecar; default: the nearest meta.yaml.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Store documents in a knowledge base, which is made if it does not exist.

    Exit status 1 if a document was rejected; the others are stored then.
    """
    from cli.ingest.messages import Upload
    from cli.ingest.sources import find_sources
    from cli.render.console import print_json
    from cli.render.ingest import Tally, print_summary

    upload = Upload(kb, find_sources(paths, meta))
    tally = Tally(hidden=upload.sources.hidden, sidecars=upload.sources.sidecars)
    with connect(context, TIMEOUT) as client:
        _run(client, upload, tally)
    tally.add_local(upload.rejected)
    if as_json:
        print_json(tally.document())
    else:
        print_summary(tally, kb)
    if tally.rejected:
        raise typer.Exit(EXIT_FAILED)


def _run(client: Client, upload: Upload, tally: Tally) -> None:
    from cli.render.progress import Progress
    from cli.resume import resumed

    expected = upload.expected()
    # Sent again from the beginning: the service knows what it has stored, and sees a document_id that is there twice.
    stream = resumed(client, client.knowledge_bases.Ingest, lambda: upload.messages(expected), tally.begin_again)
    with Progress("ingesting", "documents", expected) as progress:
        try:
            for event in stream:
                tally.add(event)
                rejected = len(tally.rejected) + len(upload.rejected)
                progress.show(tally.done + len(upload.rejected), f"{rejected} rejected" if rejected else "")
        except RequestFailed as error:
            if tally.done:
                error.message += (
                    f" (after {tally.done} of {expected} documents; ingest again: what is stored stays as it is)"
                )
            raise
    if tally.summary is None:
        raise RequestFailed("the stream ended without a summary; ingest again: what is stored stays as it is")
