"""trirag ingest"""

from __future__ import annotations

import shlex
from contextlib import suppress
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
# Who presses Ctrl-C does not wait long.
CANCEL_SECONDS = 3.0


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
    from cli.render.console import note, print_json
    from cli.render.ingest import Tally, print_summary

    upload = Upload(kb, find_sources(paths, meta))
    tally = Tally(hidden=upload.sources.hidden, sidecars=upload.sources.sidecars)
    with connect(context, TIMEOUT) as client:
        try:
            _run(client, upload, tally)
        except RequestFailed as error:
            if tally.done or (tally.job_id and (error.lost or error.cut)):  # else nothing has begun that could go on
                on = "" if error.reason == "KNOWLEDGE_BASE_DELETED" else f"; {_go_on(paths, kb, meta)}"
                error.message += f" ({_where(tally, upload)}{on})"
            raise
        except KeyboardInterrupt:
            if tally.job_id:
                _cancel(client, tally.job_id)
                note(f"{_where(tally, upload)}: cancelled; {_go_on(paths, kb, meta)}")
            raise
    tally.add_local(upload.rejected)
    if as_json:
        print_json(tally.document())
    else:
        print_summary(tally, kb)
    if tally.rejected:
        raise typer.Exit(EXIT_FAILED)


def _run(client: Client, upload: Upload, tally: Tally) -> None:
    from cli.ingest.stream import IngestStream
    from cli.render.progress import Progress

    expected = upload.expected()
    with Progress("ingesting", "documents", expected) as progress:

        def show() -> None:
            here = len(upload.rejected)
            progress.show(tally.done + here, tally.remark(here), tally.embedded, tally.passages)

        # Sent again from the beginning: the service knows what it has stored, and sees an id that is there twice.
        IngestStream(client, upload, tally, expected, show).run()
    if tally.summary is None:
        raise RequestFailed("the stream ended without a summary; ingest again: what is stored stays as it is")


def _cancel(client: Client, job_id: str) -> None:
    """Tells the service that nobody will come back; it ends an ingest whose connection is gone in any case."""
    from trirag.retrieval.v1 import knowledge_base_pb2 as pb

    with suppress(RequestFailed):
        client.call(client.knowledge_bases.CancelIngestJob, pb.CancelIngestJobRequest(job_id=job_id), CANCEL_SECONDS)


def _where(tally: Tally, upload: Upload) -> str:
    job = f"job {tally.job_id}, " if tally.job_id else ""
    return f"{job}after {tally.done} of {upload.expected()} documents"


def _go_on(paths: list[Path], kb: str, meta: Path | None) -> str:
    given = ["trirag", "ingest", *map(str, paths), "--kb", kb, *(["--meta", str(meta)] if meta else [])]
    return f"`{shlex.join(given)}` goes on from there, what is stored stays as it is"
