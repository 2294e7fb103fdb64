"""`python -m bench`: every benchmark, one after another, as tables; `--list` names them."""

from __future__ import annotations

import argparse
import subprocess
import sys

# Module, arguments, what it prints.
BENCHMARKS = (
    ("bench.budgets", [], "the design's budgets, one row each"),
    ("bench.perception", [], "parsing against a whole spaCy pipeline with dateparser"),
    ("bench.retrieval", ["--chunks", "10000", "--skip-ingest"], "search by type, alone and sixteen at once"),
    ("bench.validation_speed", [], "judging at the sizes of the budgets, alone and sixteen at once"),
)


def main() -> int:
    """Runs all or the chosen ones; the exit status is that of the first that failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="such as budgets or retrieval; none: all")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    failed = 0
    for module, options, about in BENCHMARKS:
        name = module.removeprefix("bench.")
        if arguments.list:
            print(f"{name:<12} {about}")
            continue
        if arguments.names and name not in arguments.names:
            continue
        print(f"\n# {name}: {about}\n", flush=True)
        failed = failed or subprocess.run([sys.executable, "-m", module, *options]).returncode
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
