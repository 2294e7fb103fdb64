"""The policies that came into force, as a table."""

from __future__ import annotations

from cli.render.console import clean, out
from cli.render.words import table, when
from trirag.orchestrator.v1 import insight_pb2 as pb


def print_history(response: pb.ListPolicyVersionsResponse) -> None:
    """The latest first; the one in force is marked."""
    grid = table("version", "since", "by", "why")
    for each in response.versions:
        version = f"{each.version} (in force)" if each.in_force else each.version
        grid.add_row(version, when(each.applied_at), clean(each.subject or "the file was changed"), clean(each.note))
    out().print(grid)
