"""trirag rules"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli.errors import EXIT_FAILED, UsageProblem
from cli.options import JsonFlag

app = typer.Typer(help="Test the rule packs of perception.")


@app.command("test")
def test(
    files: Annotated[list[Path] | None, typer.Argument(help="Packs to test; default: all packs of --config.")] = None,
    config: Annotated[Path, typer.Option("--config", help="Folder of the rule packs.")] = Path("config/perception"),
    as_json: JsonFlag = False,
) -> None:
    """Check packs and run the examples of their rules; exit status 1 if one does not hold.

    A pack outside the folder is tested as a layer of its own over it, as a domain or tenant pack would be.
    """
    from cli.render.console import clean, note, print_json
    from services.perception.adapters.rule_packs import RulePackError
    from services.perception.pack_examples import test_packs

    for file in files or ():
        if not file.is_file():
            raise UsageProblem(f"{file}: is no file; name a rule pack (*.yaml)")
    if not config.is_dir():
        raise UsageProblem(f"--config: {config} is no folder; name the folder of the rule packs")
    try:
        report = test_packs(config, tuple(files or ()))
        problems, count, version = [str(f) for f in report.failures], report.examples, report.version
    except RulePackError as error:
        problems, count, version = list(error.problems), 0, ""
    if as_json:
        print_json({"examples": count, "failures": problems, "version": version})
    else:
        for problem in problems:
            print(clean(problem))
    if problems:
        note(f"{len(problems)} problem(s), {count} examples run")
        raise typer.Exit(EXIT_FAILED)
    if not as_json:
        print(f"{count} examples hold; version {version}")
