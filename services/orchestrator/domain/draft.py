"""A draft answer: statements with the numbers of their sources, and its text with offsets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.common.domain.question import Span
from services.orchestrator.domain.sentences import split_at_marks

CITATION = re.compile(r"\s*\[\d+(?:\s*,\s*\d+)*\]")
# A sentence that is only the number of a list's item.
COUNTER = re.compile(r"[(（]?(?:\d{1,3}|[ivx]{1,5})[.)）、．]", re.IGNORECASE)
FINAL_MARK = re.compile(r"[。！？.!?]+$")


@dataclass(frozen=True, slots=True)
class DraftStatement:
    """One statement. ``citations`` are 1-based source numbers; a lead-in has none."""

    text: str
    citations: tuple[int, ...] = ()
    is_item: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """Statements in order."""

    statements: tuple[DraftStatement, ...]

    def render(self) -> str:
        """One statement a line, citations before the final mark of each sentence."""
        return "\n".join(_render(s) for s in self.statements)

    def spans(self) -> tuple[Span, ...]:
        """Place of each statement in the rendered text, code points."""
        spans, at = [], 0
        for statement in self.statements:
            length = len(_render(statement))
            spans.append(Span(at, at + length))
            at += length + 1
        return tuple(spans)

    def at(self, span: Span) -> int | None:
        """Index of the statement that a span of the rendered text lies in."""
        return next((i for i, s in enumerate(self.spans()) if s.start <= span.start < max(s.end, s.start + 1)), None)

    def trimmed(self) -> Draft:
        """The draft without lead-ins at its end, which lead to nothing."""
        kept = list(self.statements)
        while kept and not kept[-1].citations:
            kept.pop()
        return Draft(tuple(kept))

    @property
    def claims(self) -> int:
        """Statements that cite something."""
        return sum(1 for s in self.statements if s.citations)

    def cited(self) -> frozenset[int]:
        """Every source number that is cited."""
        return frozenset(c for s in self.statements for c in s.citations)


def _render(statement: DraftStatement) -> str:
    text = statement.text.strip()
    if statement.citations:
        marks = "".join(f"[{c}]" for c in statement.citations)
        # A statement of several sentences cites in each of them: a reader must not guess how far a citation reaches.
        text = " ".join(_cited(sentence.strip(), marks) for _, sentence in split_at_marks(text))
    return f"- {text}" if statement.is_item else text


def _cited(sentence: str, marks: str) -> str:
    end = FINAL_MARK.search(sentence)
    return f"{sentence[: end.start()]} {marks}{end.group()}" if end else f"{sentence} {marks}"


def clean_statement(text: str) -> str:
    """What a model wrote as one line of plain text, without its citation marks and the counters of a copied list."""
    plain = " ".join(CITATION.sub("", text).split())
    sentences = [sentence for _, sentence in split_at_marks(plain)]
    told = [sentence for sentence in sentences if not COUNTER.fullmatch(sentence.strip())]
    return "".join(told).strip() if told and len(told) < len(sentences) else plain


def from_statements(pairs: Sequence[tuple[str, Sequence[int]]], source_count: int, limit: int) -> Draft:
    """A draft from a model's statements; source numbers out of range are kept: the verifier must see them."""
    statements: list[DraftStatement] = []
    seen: set[str] = set()
    for text, sources in pairs:
        cleaned = clean_statement(text)
        if not cleaned or cleaned in seen:
            continue
        seen.add(cleaned)
        numbers = tuple(dict.fromkeys(int(n) for n in sources))[:source_count]
        statements.append(DraftStatement(cleaned, numbers))
    return Draft(tuple(statements[:limit]))
