"""What the commands of `python -m cli.local` do."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable

from rich.console import Console

from cli.local import stack, tokens
from cli.local.display import table
from cli.local.envoy_config import EnvoyConfigError
from cli.local.launch import bring_up
from cli.local.processes import parts
from cli.local.standing import standing
from cli.local.topology import TopologyError, load_local_settings
from cli.local.traffic import TrafficError

_EXPECTED = (stack.StackError, EnvoyConfigError, TopologyError, TrafficError)


def guarded(handler: Callable[[argparse.Namespace], int], arguments: argparse.Namespace) -> int:
    """Runs a command; expected failures become lines on stderr and exit status 1."""
    try:
        return handler(arguments)
    except _EXPECTED as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


def up(arguments: argparse.Namespace) -> int:
    """Starts everything and waits. What dies while starting ends the start, and the rest is stopped again."""
    settings = load_local_settings()
    console = Console()
    bring_up(settings, console, wait_for_llm=not arguments.core)
    console.print(
        f"TriRAG is up: gRPC and JSON on {settings.host}:{settings.edge_port}, "
        f"Envoy's statistics on 127.0.0.1:{settings.envoy_admin_port}, logs in {settings.run_dir}/logs",
        highlight=False,
        soft_wrap=True,
    )
    return 0


def down(_arguments: argparse.Namespace) -> int:
    """Stops everything."""
    count = stack.stop(load_local_settings())
    print(f"stopped {count} processes" if count else "nothing was running")
    return 0


def status(arguments: argparse.Namespace) -> int:
    """Prints how every part stands; 0 if all are well."""
    settings = load_local_settings()
    with_vllm = settings.local_llm and stack.was_started(settings, "vllm")
    looks = standing(parts(settings, with_vllm), settings)
    if arguments.json:
        rows = [
            {
                "part": look.part.name,
                "well": look.well,
                "state": look.words,
                "pid": look.state.child if look.state else 0,
                "ports": look.part.ports,
                "starts": look.state.starts if look.state else 0,
            }
            for look in looks
        ]
        print(json.dumps(rows))
    else:
        Console().print(table(looks))
    return 0 if all(look.well for look in looks) else 1


def token(arguments: argparse.Namespace) -> int:
    """Prints a token for development."""
    run = load_local_settings().run_path()
    tokens.ensure_secret(run)
    groups = [group.strip() for group in arguments.groups.split(",") if group.strip()]
    print(tokens.make_token(run, arguments.subject, groups, int(arguments.hours * 3600)))
    return 0


def envoy(_arguments: argparse.Namespace) -> int:
    """Renders Envoy's configuration, has Envoy check it and prints it."""
    print(stack.write_envoy_config(load_local_settings()).read_text(), end="")
    return 0


def install_vllm(_arguments: argparse.Namespace) -> int:
    """Installs the local vLLM; 0 if it is there or not wanted, 1 if it cannot be had."""
    settings = load_local_settings()
    wanted = settings.local_llm
    return 0 if stack.prepare_vllm(settings, lambda line: print(line, flush=True)) or not wanted else 1


def demo(_arguments: argparse.Namespace) -> int:
    """Runs the demonstration."""
    from cli.local import demo as demonstration

    return demonstration.run(load_local_settings(), Console())


def k8s(arguments: argparse.Namespace) -> int:
    """Writes or checks the generated files of k8s/."""
    from cli.local import kubernetes

    return kubernetes.check() if arguments.check else kubernetes.write()
