"""What would be searched, and why."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from cli.render.console import clean, out, shorten
from cli.render.parsed import print_parsed
from cli.render.words import day, enum_word, table
from trirag.retrieval.v1 import retrieval_pb2

QUERY_LENGTH = 100


def print_explanation(response: Any) -> None:
    """An ExplainPlanResponse for people."""
    console = out()
    if response.HasField("parsed"):
        print_parsed(response.parsed, explain=False)
    if response.degraded:
        console.print(Text("! perception is down: the question would be searched as it is", "yellow"))
    console.print()
    version = response.policy_version or response.plan.policy_version
    console.print(Text(f"Plan (policy {version}, answers written {response.plan.generation_strategy})", "bold"))
    shown = table("priority", "weight", "where", "how", "query", "why", right=("priority", "weight"))
    for task in response.plan.tasks:
        shown.add_row(
            str(task.priority),
            f"{task.weight:.2f}",
            clean(task.search.knowledge_base),
            Text("\n".join([search_word(task.search), *filter_words(task.search.filter)])),
            Text(shorten(task.search.query, QUERY_LENGTH)),
            Text("\n".join(clean(reason) for reason in task.reasons) or clean(task.route_id), "dim"),
        )
    console.print(shown)
    if response.plan.decisions:
        console.print()
        console.print(Text("Conditions of the policy", "bold"))
        for decision in response.plan.decisions:
            mark = (" ✓ ", "green") if decision.matched else (" · ", "dim")
            console.print(
                Text.assemble(mark, clean(decision.rule_id), (f"  {clean(decision.condition)}", "dim")), soft_wrap=True
            )


def search_word(task: Any) -> str:
    """dense, keyword, hybrid or two_stage, with the number of hits wanted."""
    kind = enum_word(retrieval_pb2.SearchType, task.type)
    return f"{'hybrid' if kind == 'unspecified' else kind} {task.top_k or 10}"


def filter_words(search_filter: Any) -> list[str]:
    """Each filter that is set, in words."""
    said = []
    if day(search_filter.in_force_on):
        said.append(f"in force on {day(search_filter.in_force_on)}")
    if search_filter.include_superseded:
        said.append("any version")
    for name in ("doc_types", "languages", "versions", "document_ids"):
        values = getattr(search_filter, name)
        if values:
            said.append(f"{name.removesuffix('s').replace('_', ' ')} {', '.join(values)}")
    if search_filter.min_authority:
        said.append(f"authority ≥ {search_filter.min_authority}")
    if search_filter.HasField("published"):
        from cli.render.words import days

        said.append(f"published {days(search_filter.published)}")
    if search_filter.heading:
        said.append(f"under “{search_filter.heading}”")
    return [clean(word) for word in said]
