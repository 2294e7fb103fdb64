"""trirag sufficiency"""

from __future__ import annotations

from typing import Annotated

import typer

from cli.options import JsonFlag, OfflineFlag, connect


def sufficiency(
    context: typer.Context,
    file: Annotated[
        str, typer.Argument(help="JSON: {question, as_of?, chunks: [{chunk_id, text, metadata}]}; - for stdin.")
    ],
    as_json: JsonFlag = False,
    offline: OfflineFlag = False,
) -> None:
    """Judge whether passages suffice to answer a question, and whether they contradict each other."""
    from cli.case_files import read_case, sufficiency_request

    request = sufficiency_request(read_case(file), file)
    if offline:
        from cli.offline import check_sufficiency

        judgement = check_sufficiency(request)
    else:
        with connect(context) as client:
            judgement = client.call(client.validation.CheckSufficiency, request)
    if as_json:
        from cli.render.console import print_json

        print_json(judgement)
    else:
        from cli.render.sufficiency import print_sufficiency

        print_sufficiency(judgement)
