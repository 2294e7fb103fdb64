"""Separate questions inside one text, and each of them made self-contained."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.common.domain.question import Origin, OriginKind, Part, ScoredAction
from services.perception.domain.candidates import Candidate
from services.perception.domain.matching import Question, run_rule
from services.perception.domain.rules import Sets
from services.perception.domain.text import is_cjk

_SENTENCE_END = re.compile(r"(?:[?？]++|[。！；]|[!;](?= ?[A-Z\u4e00-\u9fff]|$))[\"')\]》]?|(?<=[a-z0-9)]{2})\.(?= |$)")
_PRONOUN = re.compile(
    r"(?<![A-Za-z])(?:it|they|them|this one|that one)(?![A-Za-z'])|它们?|其(?![他它中实余])", re.IGNORECASE
)


# People ask a few things at once; a text with more marks than this is a list, a log or an attack.
MAX_PARTS = 12


def split(question: Question) -> list[tuple[int, int]]:
    """The stretches that ask one thing each, covering the text; never empty."""
    text = question.text.text
    cuts = sorted({*_sentence_cuts(question), *_clause_cuts(question), *_blank_cuts(question)})[: MAX_PARTS - 1]
    stretches: list[tuple[int, int]] = []
    start = 0
    for end in [*cuts, len(text)]:
        if end > start:
            stretches.append((start, end))
            start = end
    return _merge_context(question, stretches, _verb_cuts(question)) or [(0, len(text))]


def _sentence_cuts(question: Question) -> list[int]:
    vetoed = [(m.start, m.end) for m in question.matches(Sets.NOT_SPLIT)]
    ends = [m.end() for m in _SENTENCE_END.finditer(question.text.text)]
    return [end for end in ends if not any(start < end <= stop for start, stop in vetoed)]


def _clause_cuts(question: Question) -> list[int]:
    vetoed = [(m.start, m.end) for m in question.matches(Sets.NOT_SPLIT)]
    cuts: list[int] = []
    for match in question.matches(Sets.SPLIT):
        if len(cuts) >= MAX_PARTS:
            break
        if match.rule.value != "boundary":
            continue
        place = match.group("cut")
        cut = place[0] if place else match.end
        word = match.rule.options.get("cut")
        if word == "token":
            cut = [t.start for t in question.analysis.tokens if match.start <= t.start < match.end][-2]
        elif word:
            cut = question.text.text.rfind(f" {word} ", match.start, match.end)
        if any(start <= cut < end for start, end in vetoed):
            continue
        if match.rule.options.get("sure") or _asks(question, 0, cut):
            cuts.append(cut)
    return cuts


# With more blanks than this they stand between words, not between questions.
_MOST_BLANKS = 2
_SHORTEST_QUESTION = 4


def _blank_cuts(question: Question) -> list[int]:
    """Where a blank stands between two Chinese questions in place of a mark (护照丢了怎么办 补办要几天)."""
    text = question.text
    gaps = [
        at
        for at in range(1, len(text.text))
        if text.starts[at] > text.ends[at - 1]
        and is_cjk(text.text[at - 1])
        and is_cjk(text.text[at])
        and text.original[text.ends[at - 1] : text.starts[at]].isspace()
    ]
    if len(gaps) > _MOST_BLANKS:
        return []
    long = (at for at in gaps if min(at, len(text.text) - at) >= _SHORTEST_QUESTION)
    return [at for at in long if _asks(question, 0, at) and _asks(question, at, len(text.text))]


def _asks(question: Question, start: int, end: int) -> bool:
    """True if the stretch itself asks: a question word, a question mark, a request."""
    text = question.text.text
    return any(
        run_rule(rule, text, start, end, patterns=patterns) for rule, patterns in question.able(Sets.SPLIT, "cue")
    )


def _verb_cuts(question: Question) -> frozenset[int]:
    """Where a second verb shares the first one's question word (如何申请和使用): it asks without a cue of its own."""
    starts = [t.start for t in question.analysis.tokens]
    return frozenset(
        [s for s in starts if match.start <= s < match.end][-2]
        for match in question.matches(Sets.SPLIT)
        if match.rule.options.get("cut") == "token"
    )


def _merge_context(
    question: Question, stretches: list[tuple[int, int]], asking: frozenset[int]
) -> list[tuple[int, int]]:
    """Statements that only set the scene belong to the question after them, else to the one before.

    A stretch that begins in ``asking`` asks without a word that says so.
    """
    merged: list[tuple[int, int]] = []
    pending: int | None = None
    for start, end in stretches:
        begin = start if pending is None else pending
        if (start in asking or _asks(question, start, end)) and not _restates(question, start, end):
            merged.append((begin, end))
            pending = None
        else:
            pending = begin
    if pending is not None:
        tail = (pending, len(question.text.text))
        if merged:
            merged[-1] = (merged[-1][0], tail[1])
        else:
            merged.append(tail)
    return merged


def _restates(question: Question, start: int, end: int) -> bool:
    """True for a request whose question follows ("请问一下。…?", "Tell me this: …")."""
    text = question.text.text
    return any(
        run_rule(rule, text, start, end, patterns=patterns) for rule, patterns in question.able(Sets.SPLIT, "lead_in")
    )


def describe(
    question: Question,
    stretches: Sequence[tuple[int, int]],
    actions: Sequence[Sequence[ScoredAction]],
    subjects: Sequence[Candidate],
    times: Sequence[tuple[int, int]],
) -> tuple[Part, ...]:
    """Each stretch as a question that can be searched alone.

    Args:
        subjects: entities and codes, in text order.
        times: time expressions of the whole question.
    """
    parts = []
    for index, ((start, end), ranked) in enumerate(zip(stretches, actions, strict=True)):
        text = question.text.text[start:end].strip(" ,，、;；")
        if index:
            text = _carry_over(question, text, (start, end), subjects, times)
        origin = Origin(OriginKind.RULE, "parts.split", matched_text=question.text.surface(start, end))
        parts.append(Part(text, question.text.span(start, end), ranked[0].action, origin))
    return tuple(parts)


def _carry_over(
    question: Question,
    text: str,
    stretch: tuple[int, int],
    subjects: Sequence[Candidate],
    times: Sequence[tuple[int, int]],
) -> str:
    """Name in this part what earlier parts named: the subject, if it names none, and the time."""
    start, end = stretch
    source = question.text.text
    shared: list[str] = []
    if not any(start <= s.start < end for s in subjects):
        earlier = [source[s.start : s.end] for s in subjects if s.start < start]
        if earlier and _PRONOUN.search(text):
            text = _PRONOUN.sub(lambda _: earlier[0], text, count=1)
        elif earlier:
            shared.append(earlier[0])
    if not any(start <= s < end for s, _ in times):
        shared.extend(source[s:e] for s, e in times[:1] if s < start)
    if not shared:
        return text
    return f"{text} ({', '.join(dict.fromkeys(shared))})"
