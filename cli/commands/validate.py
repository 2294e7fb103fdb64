"""trirag validate"""

from __future__ import annotations

from typing import Annotated

import typer

from cli.options import JsonFlag, OfflineFlag, connect


def validate(
    context: typer.Context,
    file: Annotated[
        str,
        typer.Argument(help="JSON: {question, as_of?, answer, chunks: [{chunk_id, text, metadata}]}; - for stdin."),
    ],
    as_json: JsonFlag = False,
    offline: OfflineFlag = False,
) -> None:
    """Judge an answer against the passages it cites."""
    from cli.case_files import read_case, validation_request

    request = validation_request(read_case(file), file)
    if offline:
        from cli.offline import validate_answer

        verdict = validate_answer(request)
    else:
        with connect(context) as client:
            verdict = client.call(client.validation.ValidateAnswer, request).verdict
    if as_json:
        from cli.render.console import print_json

        print_json(verdict)
    else:
        from cli.render.verdict import print_verdict

        print_verdict(verdict, request.chunks)
