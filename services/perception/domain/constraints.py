"""Constraints other than time: numbers asked for, the named source, exclusions, labels, rewrites."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from services.common.domain.question import Label, Mention, QuantityConstraint, Rewrite
from services.perception.domain.candidates import Candidate
from services.perception.domain.grown_sources import behind_lead_in
from services.perception.domain.matching import Match, Question
from services.perception.domain.numerals import number
from services.perception.domain.rules import Sets
from services.perception.domain.sources import NOUNS, taken_source


def read_quantity(question: Question) -> QuantityConstraint | None:
    """Set if the answer is a number or rests on comparing numbers, or if a superlative says which things are meant."""
    vetoed = [(m.start, m.end) for m in question.matches(Sets.NOT_QUANTITY)]
    asked = [
        m for m in question.matches(Sets.QUANTITY) if not any(m.start < end and start < m.end for start, end in vetoed)
    ]
    superlative, top_n, ranked = _superlative(question)
    if not asked:
        if ranked is None:
            return None
        return QuantityConstraint("", "", superlative, top_n, question.origin(ranked), ranks_only=True)
    best = max(asked, key=lambda m: (m.rule.score, -m.start))
    return QuantityConstraint(
        measure=_text(question, best, "measure"),
        unit=_text(question, best, "unit"),
        superlative=superlative,
        top_n=top_n,
        origin=question.origin(best),
    )


def _superlative(question: Question) -> tuple[str, int, Match | None]:
    """``max`` or ``min``, the count beside it or 0, and what said so."""
    for match in question.matches(Sets.SUPERLATIVE):
        count = number(_text(question, match, "n")) if match.group("n") else 0
        return match.rule.value, count or 0, match
    return "", 0, None


def _text(question: Question, match: Match, name: str) -> str:
    place = match.group(name)
    return question.text.text[place[0] : place[1]].strip() if place else ""


def read_source(
    question: Question, names: Sequence[Candidate], times: Sequence[tuple[int, int]] = ()
) -> Candidate | None:
    """The named source; a rule's stretch is narrowed to the one known name inside it, if there is one.

    Args:
        question: what was asked.
        names: entities and codes, in text order.
        times: time expressions; a period that only dates the source (昨天的纪要) is none of its name.
    """
    matches = question.matches(Sets.SOURCE)
    text = question.text.text
    for match in sorted(matches, key=lambda m: (-m.rule.score, m.start, m.end)):
        if match.rule.value in NOUNS:
            continue
        if "take" in match.rule.options:
            found = taken_source(question, match, names)
            if found is not None:
                return _undated(question, found, times)
            continue
        start, end = match.group("source") or (match.start, match.end)
        end = max([end, *(c.end for c in names if c.start < end < c.end)])  # a name is never cut in two
        start = min([start, *(c.start for c in names if c.start < start < c.end)])
        inside = [c for c in names if start <= c.start and c.end <= end and _fits(match, c)]
        named = match.rule.options.get("named")
        if named == "end":  # the name stands right before what the rule looks for
            inside = [c for c in inside if end - c.end <= text.startswith("》", c.end)]
        if not inside and named:
            continue
        start, end = _narrowed(question, start, end, inside)
        start = _behind_date(text, behind_lead_in(question, start, end), end, times)
        end = next((b for b, e in times if start < b and e == end), end)  # 据新华社去年9月报道
        part = text[start:end]
        lead = len(part) - len(part.lstrip(" \"'《"))
        tail = len(part) - len(part.rstrip(" \"'》,."))
        start, end = start + lead, end - tail
        if start < end:
            origin = match.rule.origin(question.text.surface(match.start, match.end))
            return Candidate(start, end, "source", origin, match.rule.score)
    return None


def _behind_date(text: str, start: int, end: int, times: Sequence[tuple[int, int]]) -> int:
    """Where a source begins behind the period that only dates it (昨天的纪要)."""
    dated = next((e for b, e in times if b == start and e < end and text[e] == "的"), None)
    return dated + 1 if dated is not None else start


def _undated(question: Question, source: Candidate, times: Sequence[tuple[int, int]]) -> Candidate:
    return replace(source, start=_behind_date(question.text.text, source.start, source.end, times))


def _fits(match: Match, name: Candidate) -> bool:
    """True unless the rule's option ``types`` names other types."""
    types = match.rule.options.get("types")
    return not types or name.type in types.split("|")


# A section or a version of a document is not what it is called.
_PLACE_IN_DOCUMENT = ("clause", "version")
_MAKERS = ("organization", "place", "person", "name", "product", "model_number", "part_number")
_OWN_WORK = re.compile(r"的?(?:\d{4}年?)?[\u4e00-\u9fff]{1,16}")
_OF = re.compile(r" ?(?:of|in|from) (?:the |our |this )?|的?")


def _narrowed(question: Question, start: int, end: int, inside: Sequence[Candidate]) -> tuple[int, int]:
    """The document rather than a place in it: "section 4 of the quality manual" is the quality manual."""
    documents = [c for c in inside if c.type not in _PLACE_IN_DOCUMENT]
    if documents and documents[0].type in _MAKERS and _OWN_WORK.match(question.text.text, documents[0].end, end):
        return start, end  # "世界银行的报告" is the report, not the bank
    if documents:
        return documents[0].start, documents[0].end
    if not inside:
        return start, end
    clause = inside[0]
    if clause.type == "version":
        return start, end
    owner = _OF.match(question.text.text, clause.end, end)
    if clause.start == start and owner is not None and owner.end() < end and owner.end() > clause.end:
        return owner.end(), end
    return clause.start, clause.end


def read_exclusions(question: Question, names: Sequence[Candidate] = ()) -> tuple[Mention, ...]:
    """What the answer must leave out: the name that the stretch begins with, or all of it."""
    found = []
    for match in question.matches(Sets.EXCLUSION):
        start, end = match.group("excluded") or (match.start, match.end)
        rest = question.text.text
        end = next((c.end for c in names if c.start == start and c.end < end and rest[c.end] == " "), end)
        found.append(Candidate(start, end, "exclusion", question.origin(match)).mention(question.text))
    return tuple(found)


def read_labels(question: Question, actions: Sequence[str]) -> tuple[Label, ...]:
    """Labels by rule; a rule's option ``action`` ties it to the question's primary action.

    A superlative is one of them ("top three suppliers" asks for no number, but the three matter).
    """
    found: dict[tuple[str, str], Label] = {}
    for match in question.matches(Sets.LABEL):
        wanted = match.rule.options.get("action")
        if wanted and (not actions or actions[0] not in wanted.split("|")):
            continue
        name = match.rule.options.get("name", "label")
        found.setdefault((name, match.rule.value), Label(name, match.rule.value, question.origin(match)))
    for match in question.matches(Sets.SUPERLATIVE)[:1]:
        count = number(_text(question, match, "n")) if match.group("n") else None
        value = f"{match.rule.value} {count}" if count else match.rule.value
        found.setdefault(("superlative", value), Label("superlative", value, question.origin(match)))
    return tuple(found.values())


def rewrite(question: Question) -> tuple[Rewrite, ...]:
    """Added queries: every rewrite rule applied alone, and all colloquial ones together."""
    text = question.text.text
    found: list[Rewrite] = []
    together = text
    able = {rule.id: patterns for rule, patterns in question.able(Sets.REWRITE)}
    for rule in question.rules_for(Sets.REWRITE):
        target = rule.options.get("to", "")
        changed = together if rule.value == "colloquial" else text
        patterns = able.get(rule.id, ()) if changed is text else [own.compiled() for own in rule.patterns]
        matched = ""
        for pattern in patterns:
            hit = pattern.search(changed)
            if hit is not None and rule.holds_for(text):
                matched = matched or hit.group()
                changed = pattern.sub(target, changed)
        if not matched or changed == text:
            continue
        if rule.value == "colloquial":
            together = changed
        found.append(Rewrite(_tidy(changed), rule.value, rule.origin(matched)))
    last = {(r.kind, r.text): r for r in found}
    return tuple(last.values())


def _tidy(text: str) -> str:
    return re.sub(r" {2,}", " ", text).strip()
