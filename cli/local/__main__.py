"""`python -m cli.local`: the commands behind `make up`, `make down` and `make demo`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable


def _run(arguments: argparse.Namespace) -> int:
    # Imports nothing else: one of these processes runs for every part of the stack.
    from cli.local.supervise import main

    return main(arguments.name)


def _command(name: str) -> Callable[[argparse.Namespace], int]:
    def call(arguments: argparse.Namespace) -> int:
        from cli.local import commands

        handler: Callable[[argparse.Namespace], int] = getattr(commands, name)
        return commands.guarded(handler, arguments)

    return call


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(prog="python -m cli.local", description=__doc__)
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    up = commands.add_parser("up", help="install what is missing, start everything, wait until it is well")
    up.add_argument("--core", action="store_true", help="do not wait for the language model server")
    up.set_defaults(call=_command("up"))
    down = commands.add_parser("down", help="stop everything")
    down.set_defaults(call=_command("down"))
    status = commands.add_parser("status", help="how every part stands; exit status 1 unless all are well")
    status.add_argument("--json", action="store_true", help="one JSON document")
    status.set_defaults(call=_command("status"))
    demo = commands.add_parser("demo", help="start, ingest the examples, ask, print verified answers, stop")
    demo.set_defaults(call=_command("demo"))
    token = commands.add_parser("token", help="print a token that this checkout's Envoy accepts")
    token.add_argument("--subject", default="dev", help="who is calling")
    token.add_argument("--groups", default="", help="groups, separated by commas")
    token.add_argument("--hours", type=float, default=8.0, help="how long it is good")
    token.set_defaults(call=_command("token"))
    envoy = commands.add_parser("envoy", help="render and check Envoy's configuration; print it")
    envoy.set_defaults(call=_command("envoy"))
    k8s = commands.add_parser("k8s", help="write the files that kustomize takes from config/ and envoy/")
    k8s.add_argument("--check", action="store_true", help="only tell whether they are up to date")
    k8s.set_defaults(call=_command("k8s"))
    install = commands.add_parser("vllm", help="install the local vLLM and export its model")
    install.set_defaults(call=_command("install_vllm"))
    run = commands.add_parser("run", help="keep one part running (a line of the Procfile)")
    run.add_argument("name")
    run.set_defaults(call=_run)
    return top


def main() -> int:
    """Entry point. Returns the exit status."""
    arguments = parser().parse_args()
    status: int = arguments.call(arguments)
    return status


if __name__ == "__main__":
    sys.exit(main())
