"""Whether the evidence suffices: the needs, what covers them, and what contradicts what."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from cli.render.console import clean, out
from cli.render.words import bar, enum_word
from trirag.validation.v1 import validation_pb2 as pb

STYLES = {
    pb.SUFFICIENCY_LABEL_SUFFICIENT: "bold green",
    pb.SUFFICIENCY_LABEL_INSUFFICIENT: "bold red",
    pb.SUFFICIENCY_LABEL_CONFLICTING: "bold yellow",
}


def print_sufficiency(judgement: Any) -> None:
    """A CheckSufficiencyResponse for people."""
    console = out()
    word = enum_word(pb.SufficiencyLabel, judgement.label)
    head = (word, STYLES.get(judgement.label, "bold"))
    console.print(Text.assemble("The evidence is ", head, "   score ", bar(judgement.score)))
    for need in judgement.needs:
        covered = ", ".join(f"[{position}]" for position in need.covered_by)
        mark = (" ✓ ", "bold green") if covered else (" ✗ ", "bold red")
        console.print(
            Text.assemble(mark, (f"{need.kind}  ", "dim"), clean(need.description), (f"  {covered}", "cyan")),
            soft_wrap=True,
        )
        if not covered:
            for query in need.queries:
                console.print(Text(f"     → search: {clean(query)}", "cyan"), soft_wrap=True)
    for conflict in judgement.conflicts:
        decided = f"decided by {conflict.decided_by}" if conflict.decided_by else "nothing decides"
        values = f"[{conflict.citation_a}] {conflict.value_a}  against  [{conflict.citation_b}] {conflict.value_b}"
        console.print(
            Text.assemble((" ≠ ", "bold yellow"), clean(f"{conflict.about}: {values} ({decided})")), soft_wrap=True
        )
        for citation, sentence in (
            (conflict.citation_a, conflict.sentence_a),
            (conflict.citation_b, conflict.sentence_b),
        ):
            if sentence:
                console.print(Text(f"     [{citation}] “{clean(sentence)}”", "dim"), soft_wrap=True)
