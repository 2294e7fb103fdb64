"""trirag kb jobs, watch, cancel, retire: what goes on in a knowledge base, and what is in force."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.errors import EXIT_FAILED, RequestFailed, UsageProblem
from cli.options import JsonFlag, connect, parse_day, to_date

Name = Annotated[str, typer.Argument(metavar="NAME", help="Knowledge base.")]
JobId = Annotated[str, typer.Argument(metavar="JOB_ID", help="Id of the ingest, as `kb jobs` shows it.")]
# As long as an ingest may take.
WATCH_TIMEOUT = 6 * 3600.0


def jobs(context: typer.Context, name: Name, as_json: JsonFlag = False) -> None:
    """List the ingests of a knowledge base, latest first."""
    from cli.render.console import print_json
    from cli.render.jobs import print_jobs
    from trirag.retrieval.v1 import knowledge_base_pb2 as pb

    with connect(context) as client:
        request = pb.ListIngestJobsRequest(knowledge_base=name)
        response = client.call(client.knowledge_bases.ListIngestJobs, request)
    (print_json if as_json else print_jobs)(response)


def watch(context: typer.Context, job_id: JobId, as_json: JsonFlag = False) -> None:
    """Follow an ingest to its end. Exit status 1 if it did not end well.

    Leaving (Ctrl-C) does not end the ingest.
    """
    from cli.render.console import print_json
    from cli.render.jobs import JobProgress, print_job
    from cli.resume import resumed
    from trirag.retrieval.v1 import knowledge_base_pb2 as pb

    job = None
    with connect(context, WATCH_TIMEOUT) as client:
        request = pb.WatchIngestJobRequest(job_id=job_id)
        stream = resumed(client, client.knowledge_bases.WatchIngestJob, lambda: request)
        try:
            with JobProgress() as progress:
                for event in stream:
                    job = event.job
                    progress.show(job)
        except RequestFailed as error:
            if error.lost or error.cut:
                error.message += f"; `trirag kb watch {job_id}` watches on"
            raise
    if job is None:
        raise RequestFailed("the stream ended without a state; watch again")
    (print_json if as_json else print_job)(job)
    if job.state != pb.INGEST_JOB_STATE_DONE:
        raise typer.Exit(EXIT_FAILED)


def cancel(context: typer.Context, job_id: JobId, as_json: JsonFlag = False) -> None:
    """End a running ingest. What it stored stays, and the same ingest run again goes on from there."""
    from cli.render.console import clean, print_json
    from trirag.retrieval.v1 import knowledge_base_pb2 as pb

    with connect(context) as client:
        response = client.call(client.knowledge_bases.CancelIngestJob, pb.CancelIngestJobRequest(job_id=job_id))
    if as_json:
        print_json(response)
    else:
        print(clean(f"{job_id} was asked to end; `trirag kb watch {job_id}` tells when it has"))


def retire(
    context: typer.Context,
    name: Name,
    document_id: Annotated[str, typer.Argument(metavar="DOCUMENT_ID")],
    since: Annotated[
        str | None, typer.Option("--from", metavar="DATE", help="First day out of force, YYYY-MM-DD; default: today.")
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Put it back into force.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Take a document out of force. It stays stored, and ingesting it again does not bring it back."""
    from cli.render.console import clean, print_json
    from cli.render.words import day
    from trirag.retrieval.v1 import knowledge_base_pb2 as pb

    if undo and since is not None:
        raise UsageProblem("--undo and --from exclude each other")
    request = pb.RetireDocumentRequest(
        knowledge_base=name, document_id=document_id, undo=undo, retired_at=to_date(parse_day("--from", since))
    )
    with connect(context) as client:
        response = client.call(client.knowledge_bases.RetireDocument, request)
    if as_json:
        print_json(response)
    elif undo:
        print(clean(f"{document_id} is no longer retired"))
    else:
        print(clean(f"{document_id} is out of force from {day(response.document.retired_at)} on"))


def register(app: typer.Typer) -> None:
    """Adds the commands to `trirag kb`."""
    app.command("jobs")(jobs)
    app.command("watch")(watch)
    app.command("cancel")(cancel)
    app.command("retire")(retire)
