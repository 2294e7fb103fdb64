"""trirag eval"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.commands.search import SearchKind
from cli.errors import EXIT_FAILED, UsageProblem
from cli.options import ASK_SECONDS, JsonFlag, KbOptions, OfflineFlag, chosen, connect

app = typer.Typer(help="Measure on labelled rows; prints one JSON document.")

FileArgument = Annotated[Path, typer.Argument(metavar="FILE.jsonl", help="Labelled rows.")]
PredictionsOption = Annotated[
    Path | None, typer.Option("--predictions", metavar="FILE", help="Write one prediction a row.")
]
ReportOption = Annotated[
    Path | None, typer.Option("--report", metavar="DIR", help="Write figures, a readable report and what went wrong.")
]
ConcurrencyOption = Annotated[
    int, typer.Option("--concurrency", min=1, max=64, help="Rows under way at once; 1 gives honest latencies.")
]


@app.command("perception")
def perception(
    context: typer.Context,
    file: FileArgument,
    predictions: PredictionsOption = None,
    report: ReportOption = None,
    concurrency: ConcurrencyOption = 1,
    offline: OfflineFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """How well questions are parsed."""
    from cli.evaluate import measure
    from cli.evaluate import perception as kind
    from cli.evaluate.rows import read_rows

    rows = read_rows(file, kind.ID, kind.REQUIRED)
    with _judge(context, "parse", offline) as parse:
        well = measure.evaluated(kind, rows, kind.predictor(parse), concurrency, measure.Output(predictions, report))
    _end(well)


@app.command("validation")
def validation(
    context: typer.Context,
    file: FileArgument,
    predictions: PredictionsOption = None,
    report: ReportOption = None,
    concurrency: ConcurrencyOption = 1,
    offline: OfflineFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """How well answers are judged."""
    from cli.evaluate import measure
    from cli.evaluate import validation as kind
    from cli.evaluate.rows import read_rows

    rows = read_rows(file, kind.ID, kind.REQUIRED)
    with _judge(context, "validate", offline) as validate:
        well = measure.evaluated(kind, rows, kind.predictor(validate), concurrency, measure.Output(predictions, report))
    _end(well)


@app.command("sufficiency")
def sufficiency(
    context: typer.Context,
    file: FileArgument,
    predictions: PredictionsOption = None,
    report: ReportOption = None,
    concurrency: ConcurrencyOption = 1,
    offline: OfflineFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """How well the sufficiency of evidence is judged."""
    from cli.evaluate import measure
    from cli.evaluate import sufficiency as kind
    from cli.evaluate.figures import risk_coverage
    from cli.evaluate.rows import read_rows

    rows = read_rows(file, kind.ID, kind.REQUIRED)

    def curve(said: dict[str, dict[str, Any]]) -> list[tuple[float, float]]:
        return risk_coverage(*kind.certainty(rows, said))

    with _judge(context, "check", offline) as check:
        output = measure.Output(predictions, report)
        well = measure.evaluated(kind, rows, kind.predictor(check), concurrency, output, curve)
    _end(well)


@app.command("calibrate")
def calibrate(
    context: typer.Context,
    file: FileArgument,
    target: Annotated[
        float, typer.Option("--target-accuracy", min=0.0, max=1.0, help="Accuracy wanted of what is accepted.")
    ] = 0.95,
    known: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="Predictions of an earlier evaluation; nothing is asked."),
    ] = None,
    predictions: PredictionsOption = None,
    report: ReportOption = None,
    concurrency: ConcurrencyOption = 1,
    offline: OfflineFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """How far confidences can be trusted, and the threshold for a wanted accuracy, as an entry for the policy.

    FILE is a labelled file of validation or of sufficiency. Exit status 1 if no threshold reaches the accuracy.
    """
    from cli.evaluate import calibrate as calibration
    from cli.evaluate import measure
    from cli.evaluate.rows import read_rows
    from cli.evaluate.runner import run_rows

    rows = read_rows(file, calibration.ID, calibration.REQUIRED)
    kind = calibration.kind_of(rows)
    failed = False
    if known is not None:
        said = calibration.read_predictions(kind, read_rows(known, calibration.ID, (kind.field,)))
    else:
        with _judge(context, kind.call, offline) as judge:
            run = run_rows(rows, calibration.ID, kind.evaluation.predictor(judge), concurrency)
        said, failed = run.predictions, bool(run.failures)
    if not any(row[calibration.ID] in said for row in rows):
        raise UsageProblem(f"{known or file}: holds no prediction for a row of {file}")
    reached = measure.calibrated(kind, rows, said, target, measure.Output(predictions, report, as_json))
    _end(reached and not failed)


@app.command("retrieval")
def retrieval(
    context: typer.Context,
    file: FileArgument,
    kb: Annotated[
        str | None, typer.Option("--kb", metavar="NAME", help="Default: the name of the set the file belongs to.")
    ] = None,
    kind_of_search: Annotated[
        SearchKind | None, typer.Option("--type", help="How to search; default: hybrid, reranked.")
    ] = None,
    types: Annotated[
        str | None,
        typer.Option("--types", metavar="A,B", help="Compare: dense, keyword, hybrid, two_stage, rerank; a table."),
    ] = None,
    rerank: Annotated[bool, typer.Option("--rerank", help="Order the hits by the reranker.")] = False,
    all_versions: Annotated[
        bool, typer.Option("--all-versions", help="Also versions that are not in force on the day asked about.")
    ] = False,
    all_versions_for: Annotated[
        list[str] | None, typer.Option("--all-versions-for", metavar="TYPE", help="The same for rows of this type.")
    ] = None,
    predictions: PredictionsOption = None,
    report: ReportOption = None,
    concurrency: ConcurrencyOption = 1,
    as_json: JsonFlag = False,
) -> None:
    """How well passages are found."""
    from cli.commands.search import raise_for_status, search_type
    from cli.evaluate import measure
    from cli.evaluate import retrieval as kind
    from cli.evaluate.rows import read_rows
    from cli.evaluate.searches import read_ways
    from trirag.retrieval.v1 import retrieval_pb2 as pb

    if types is not None and (kind_of_search is not None or rerank):
        raise UsageProblem("--types: names all ways to search; leave out --type and --rerank")
    ways = read_ways(types) if types is not None else []
    rows = read_rows(file, kind.ID, kind.REQUIRED)
    output = measure.Output(predictions, report, as_json)
    with connect(context) as client:

        def search(task: Any) -> Any:
            result = client.call(client.retrieval.Search, pb.SearchRequest(tasks=[task])).results[0]
            raise_for_status(result)
            return result

        def predictor(wanted: str, rerank: bool = False) -> Callable[[dict[str, Any]], dict[str, Any]]:
            template = pb.SearchTask(
                task_id="eval",
                type=pb.SearchType.Value(wanted),
                filter=pb.SearchFilter(include_superseded=all_versions),
                top_k=kind.DEPTH,
                rerank=rerank,
            )
            return kind.predictor(search, template, kb or kind.default_knowledge_base(file), all_versions_for or ())

        if ways:
            predictors = {way: predictor(way.search_type) for way in ways}
            well = measure.compared(rows, predictors, concurrency, output)
        else:
            predict = predictor(search_type(kind_of_search), rerank)
            well = measure.evaluated(kind, rows, predict, concurrency, output)
    _end(well)


@app.command("answers")
def answers(
    context: typer.Context,
    file: FileArgument,
    kb: KbOptions = None,
    extractive: Annotated[bool, typer.Option("--extractive", help="Quote sentences only; no language model.")] = False,
    predictions: PredictionsOption = None,
    report: ReportOption = None,
    concurrency: ConcurrencyOption = 1,
    as_json: JsonFlag = False,
) -> None:
    """How well questions are answered."""
    from cli.evaluate import answers as kind
    from cli.evaluate import measure
    from cli.evaluate.rows import read_rows
    from cli.render.console import note

    rows = read_rows(file, kind.ID, kind.REQUIRED)
    grouped = sum(bool(row.get("groups")) for row in rows)
    with connect(context, ASK_SECONDS) as client:
        if grouped and not client.settings.token:
            note(f"{grouped} rows are for callers with access groups, and TRIRAG_TOKEN is not set")
        predict = kind.predictor(
            lambda request: client.call(client.orchestrator.Ask, request), chosen(kb), extractive=extractive
        )
        well = measure.evaluated(kind, rows, predict, concurrency, measure.Output(predictions, report))
    _end(well)


@contextmanager
def _judge(context: typer.Context, what: str, offline: bool) -> Iterator[Callable[[Any], Any]]:
    """The call that judges one request: in this process or by a service."""
    if offline:
        from cli import offline as local

        yield getattr(local, {"parse": "parse", "validate": "validate_answer", "check": "check_sufficiency"}[what])
        return
    with connect(context) as client:
        yield {
            "parse": lambda request: client.call(client.perception.Parse, request).parsed,
            "validate": lambda request: client.call(client.validation.ValidateAnswer, request).verdict,
            "check": lambda request: client.call(client.validation.CheckSufficiency, request),
        }[what]


def _end(well: bool) -> None:
    """Exit status 1 if a row failed, or a threshold that was asked for is not to be had."""
    if not well:
        raise typer.Exit(EXIT_FAILED)
