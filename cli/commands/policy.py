"""trirag policy"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.errors import EXIT_FAILED, RequestFailed
from cli.options import JsonFlag, connect
from cli.text_files import read_text

if TYPE_CHECKING:
    from cli.client import Client
    from trirag.orchestrator.v1 import policy_pb2

app = typer.Typer(help="Read, check and change the policy that decides what is searched and what is enough.")


NoteOption = Annotated[str, typer.Option("--note", metavar="WORDS", help="Why, for the history.")]


@app.command("get")
def get(
    context: typer.Context,
    version: Annotated[str, typer.Option("--version", metavar="VERSION", help="An earlier one of `history`.")] = "",
    as_json: JsonFlag = False,
) -> None:
    """Print the policy in force, or an earlier one."""
    from cli.render.console import note, print_json
    from trirag.orchestrator.v1 import policy_pb2 as pb

    with connect(context) as client:
        response = client.call(client.policy.GetPolicy, pb.GetPolicyRequest(version=version))
    if as_json:
        print_json(response)
        return
    sys.stdout.write(response.yaml if response.yaml.endswith("\n") else response.yaml + "\n")
    note(f"policy version {response.version}")
    if response.pending_error:
        note(f"the file on disk is not in force: {response.pending_error}")


@app.command("validate")
def validate(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="Policy file.")],
    as_json: JsonFlag = False,
) -> None:
    """Check a policy file without applying it; exit status 1 if it has a problem."""
    from cli.render.console import print_json

    with connect(context) as client:
        response = _checked(client, file, read_text(file, "a readable policy file"), silent=as_json)
    if as_json:
        print_json(response)
    elif response.valid:
        print(f"{file}: no problem found")
    if not response.valid:
        raise typer.Exit(EXIT_FAILED)


@app.command("apply")
def apply(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="Policy file.")],
    note: NoteOption = "",
    edited: Annotated[
        str,
        typer.Option(
            "--from", metavar="VERSION", help="Version that the edit began from; another one in force is kept."
        ),
    ] = "",
    as_json: JsonFlag = False,
) -> None:
    """Put a policy in force; exit status 1 if it has a problem, and nothing is changed then."""
    from cli.render.console import print_json
    from trirag.orchestrator.v1 import insight_pb2
    from trirag.orchestrator.v1 import policy_pb2 as pb

    text = read_text(file, "a readable policy file")
    with connect(context) as client:
        former = client.call(client.policy.GetPolicy, pb.GetPolicyRequest()).version
        checked = _checked(client, file, text, silent=as_json)
        if not checked.valid:
            if as_json:
                print_json(checked)
            raise typer.Exit(EXIT_FAILED)
        request = insight_pb2.UpdatePolicyRequest(yaml=text, etag=edited or former, note=note)
        response = client.call(client.policy.UpdatePolicy, request)
    if as_json:
        print_json(response)
        return
    if response.version == former:
        print(f"{file}: is in force already (version {former})")
        return
    print(f"policy {response.version} is in force; `trirag policy rollback {former}` goes back")


@app.command("history")
def history(
    context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", min=1, max=200, metavar="N", help="At most so many.")] = 20,
    as_json: JsonFlag = False,
) -> None:
    """List the policies that came into force, the latest first, with who applied them and why."""
    from cli.render.console import print_json
    from cli.render.policy import print_history
    from trirag.orchestrator.v1 import policy_pb2 as pb

    with connect(context) as client:
        response = client.call(client.policy.ListPolicyVersions, pb.ListPolicyVersionsRequest(page_size=limit))
    (print_json if as_json else print_history)(response)


@app.command("rollback")
def rollback(
    context: typer.Context,
    version: Annotated[str, typer.Argument(metavar="[VERSION]", help="Of `history`; default: the one before.")] = "",
    note: NoteOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Put an earlier policy in force again."""
    from cli.render.console import print_json
    from trirag.orchestrator.v1 import insight_pb2

    with connect(context) as client:
        chosen = version or _one_before(client)
        request = insight_pb2.RollbackPolicyRequest(version=chosen, note=note)
        response = client.call(client.policy.RollbackPolicy, request)
    if as_json:
        print_json(response)
        return
    print(f"policy {chosen} is in force again; before it was {response.former_version}")


def _one_before(client: Client) -> str:
    """The last version that is another than the one in force."""
    from trirag.orchestrator.v1 import policy_pb2 as pb

    listed = client.call(client.policy.ListPolicyVersions, pb.ListPolicyVersionsRequest(page_size=200)).versions
    others = [v.version for v in listed if v.version != listed[0].version]
    if not others:
        raise RequestFailed("there is no policy before the one in force; `trirag policy history` lists them")
    return str(others[0])


def _checked(client: Client, file: Path, text: str, silent: bool) -> policy_pb2.ValidatePolicyResponse:
    """Whether a policy may be applied; its problems are printed unless ``silent``."""
    from cli.render.console import clean, note
    from trirag.orchestrator.v1 import policy_pb2 as pb

    response: pb.ValidatePolicyResponse = client.call(client.policy.ValidatePolicy, pb.ValidatePolicyRequest(yaml=text))
    if not silent:
        for problem in response.problems:
            line = f":{problem.line}" if problem.line else ""
            print(clean(f"{file}{line}: {problem.field}: {problem.message}"))
    if not response.valid:
        note(f"{file}: {len(response.problems)} problem(s); the policy would be refused")
    return response
