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
    """Runs all or the chosen ones, whatever comes of each; the exit status is that of the first that failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="such as budgets or retrieval; none: all")
    parser.add_argument("--list", action="store_true", help="name them and run none")
    arguments = parser.parse_args()
    known = [module.removeprefix("bench.") for module, _, _ in BENCHMARKS]
    if unknown := set(arguments.names).difference(known):
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    failed = 0
    for name, (module, options, about) in zip(known, BENCHMARKS, strict=True):
        if arguments.list:
            print(f"{name:<17} {about}")
            continue
        if arguments.names and name not in arguments.names:
            continue
        print(f"\n# {name}: {about}\n", flush=True)
        status = subprocess.run([sys.executable, "-m", module, *options]).returncode
        failed = failed or status
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
