"""The `trirag` command: every subcommand is one file of cli/commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from cli.commands import (
    ask,
    doctor,
    evaluate,
    explain,
    ingest,
    kb,
    perceive,
    policy,
    rules,
    search,
    sufficiency,
    trace,
    validate,
)
from cli.errors import EXIT_FAILED, EXIT_OK, EXIT_USAGE, CliError
from cli.options import GlobalOptions
from cli.render.console import note

EXIT_INTERRUPTED = 130

app = typer.Typer(
    name="trirag",
    help="Answers questions from your own documents and never lets an unverified sentence out.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("ask")(ask.ask)
app.command("ingest")(ingest.ingest)
app.command("search")(search.search)
app.command("perceive")(perceive.perceive)
app.command("explain")(explain.explain)
app.command("validate")(validate.validate)
app.command("sufficiency")(sufficiency.sufficiency)
app.command("trace")(trace.trace)
app.command("doctor")(doctor.doctor)
app.add_typer(kb.app, name="kb")
app.add_typer(policy.app, name="policy")
app.add_typer(rules.app, name="rules")
app.add_typer(evaluate.app, name="eval")


@app.callback(invoke_without_command=True)
def options(
    context: typer.Context,
    url: Annotated[
        str | None, typer.Option("--url", help="Where TriRAG listens; default: $TRIRAG_URL or 127.0.0.1:8080.")
    ] = None,
    timeout: Annotated[float | None, typer.Option("--timeout", help="Longest wait for an answer, in seconds.")] = None,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Answers questions from your own documents and never lets an unverified sentence out."""
    if version:
        from importlib.metadata import PackageNotFoundError
        from importlib.metadata import version as installed

        try:
            print(f"trirag {installed('trirag')}")
        except PackageNotFoundError:
            print("trirag (not installed as a package)")
        raise typer.Exit(EXIT_OK)
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit(EXIT_USAGE)
    context.obj = GlobalOptions(url, timeout)


def run(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and gives its exit status; whatever goes wrong is one line on stderr."""
    # gRPC's own log lines would stand between ours; it reads this once, when it is first imported.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    command = typer.main.get_command(app)
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        status = command.main(given, prog_name="trirag", standalone_mode=False)
        if status == EXIT_INTERRUPTED:
            note("stopped")
        return status if isinstance(status, int) else EXIT_OK
    except CliError as error:
        note(error.message)
        return error.status
    except typer.TyperException as error:
        note(_usage_line(error))
        return EXIT_USAGE
    except typer.Abort:
        note("stopped")
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of a pipe has gone; Python must not complain about it once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_FAILED
    except ModuleNotFoundError as error:
        remedy = "`make protos` makes it" if (error.name or "").startswith("trirag") else "`make install` installs it"
        note(f"the module {error.name} is missing; {remedy}")
        return EXIT_FAILED
    except Exception as error:
        if os.environ.get("TRIRAG_DEBUG"):
            raise
        note(f"a fault of trirag itself: {type(error).__name__}: {error}; TRIRAG_DEBUG=1 shows where")
        return EXIT_FAILED


def _usage_line(error: typer.TyperException) -> str:
    message = error.format_message().strip().rstrip(".")
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "trirag"
    return f"{message[:1].lower()}{message[1:]}; see `{path} --help`"


def main() -> None:
    """Entry point of the package."""
    sys.exit(run())


if __name__ == "__main__":
    main()
