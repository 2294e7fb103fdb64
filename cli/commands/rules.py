"""trirag rules"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.errors import EXIT_FAILED, UsageProblem
from cli.options import JsonFlag

app = typer.Typer(help="Test the rule packs of perception.")

_PLACE = re.compile(r"(?P<file>[^:\n]+):(?P<line>\d+): (?P<message>.*)", re.DOTALL)


@app.callback()
def group() -> None:
    """Test the rule packs of perception."""


@app.command("test")
def test(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE...", help="Packs, of the shipped ones or your own.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Run the examples of rule packs, in this process; without a FILE those of every shipped pack.

    Exit status 1 if a pack is malformed, an example does not hold, or a rule has too few examples.
    """
    from cli.offline import packs_root
    from cli.render.console import clean, note, print_json
    from services.common.errors import FailedPrecondition
    from services.perception.adapters.rule_packs import RulePackError
    from services.perception.pack_examples import test_packs

    _check_readable(files or [])
    try:
        report = test_packs(packs_root(), tuple(files or ()))
    except RulePackError as error:
        examples, version, failures = 0, "", [_problem(problem) for problem in error.problems]
    except FailedPrecondition as error:
        raise UsageProblem(error.message) from None
    else:
        examples, version = report.examples, report.version
        failures = [
            {"file": f.file, "line": f.line, "rule_id": f.rule_id, "message": f.message} for f in report.failures
        ]
    if as_json:
        print_json({"examples": examples, "failures": failures, "version": version})
    else:
        for failure in failures:
            rule = f"rule {failure['rule_id']}: " if failure["rule_id"] else ""
            print(clean(f"{failure['file']}:{failure['line']}: {rule}{failure['message']}"))
        if not failures:
            print(f"{examples} examples hold (rules version {version})")
    if failures:
        note(f"{len(failures)} problem(s) in the rule packs")
        raise typer.Exit(EXIT_FAILED)


def _check_readable(files: list[Path]) -> None:
    for file in files:
        try:
            with file.open("rb"):
                pass
        except OSError as error:
            raise UsageProblem(f"{file}: {error.strerror or error}; name a rule pack") from None


def _problem(text: str) -> dict[str, Any]:
    """A problem that the loader tells as ``file:line: message``, in the form of a failed example."""
    place = _PLACE.fullmatch(text)
    if place is None:
        return {"file": "", "line": 0, "rule_id": "", "message": text}
    return {"file": place["file"], "line": int(place["line"]), "rule_id": "", "message": place["message"]}
