"""trirag policy"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from cli.errors import EXIT_FAILED, UsageProblem
from cli.options import JsonFlag, connect

app = typer.Typer(help="Read and check the policy that decides what is searched and what is enough.")


@app.command("get")
def get(context: typer.Context, as_json: JsonFlag = False) -> None:
    """Print the policy in force."""
    from cli.render.console import note, print_json
    from trirag.orchestrator.v1 import policy_pb2 as pb

    with connect(context) as client:
        response = client.call(client.policy.GetPolicy, pb.GetPolicyRequest())
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
    from cli.render.console import clean, note, print_json
    from trirag.orchestrator.v1 import policy_pb2 as pb

    request = pb.ValidatePolicyRequest(yaml=_text(file))
    with connect(context) as client:
        response = client.call(client.policy.ValidatePolicy, request)
    if as_json:
        print_json(response)
    else:
        for problem in response.problems:
            line = f":{problem.line}" if problem.line else ""
            print(clean(f"{file}{line}: {problem.field}: {problem.message}"))
        if response.valid:
            print(f"{file}: no problem found")
    if not response.valid:
        note(f"{file}: {len(response.problems)} problem(s); the policy would be refused")
        raise typer.Exit(EXIT_FAILED)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageProblem(f"{file}: {error.strerror or error}; name a readable policy file") from None
    except UnicodeDecodeError:
        raise UsageProblem(f"{file}: is not UTF-8 text; save it as UTF-8") from None
