"""A file of queries: one a line, or JSONL with a query or a question in each line."""

from __future__ import annotations

import json
from pathlib import Path

from cli.errors import UsageProblem
from cli.text_files import read_text

MOST = 2000
LONGEST = 4000


def read_queries(path: Path) -> list[str]:
    """The queries of a file, each once, in its order.

    Raises:
        UsageProblem: the file cannot be read, a line has no query in it, or there are too many.
    """
    found: dict[str, None] = {}
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if line.strip():
            found[_query(line.strip(), f"{path}:{number}")] = None
    if not found:
        raise UsageProblem(f"{path}: has no query in it; write one a line")
    if len(found) > MOST:
        raise UsageProblem(f"{path}: has {len(found)} queries, at most {MOST} are compared; take a sample")
    return list(found)


def _query(line: str, where: str) -> str:
    query = line
    if line.startswith("{"):
        try:
            record = json.loads(line)
        except (json.JSONDecodeError, RecursionError):
            raise UsageProblem(f"{where}: begins like JSON and is none; mend or remove the line") from None
        query = record.get("query") or record.get("question")
        if not isinstance(query, str) or not query.strip():
            raise UsageProblem(f"{where}: has no text in `query` or `question`")
    if len(query) > LONGEST:
        raise UsageProblem(f"{where}: has {len(query)} characters, a query has at most {LONGEST}")
    return query
