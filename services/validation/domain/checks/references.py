"""Articles, sections and standards are named as the cited passage names them, and hold the rule themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.analysis import Analysis
from services.validation.domain.case import Aligned, Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.reading.evidence import Passage, Unit
from services.validation.domain.reading.paragraph_marks import mark_of, mark_over
from services.validation.domain.reading.references import Reference, heads
from services.validation.domain.values.compare import equal, loosely
from services.validation.domain.wording.align import Bag, cover, in_span

_SOURCE_BEFORE = re.compile(
    r"(?:under|pursuant to|according to|per|in|by|as required by|as set out in|as stated in|in accordance with"
    r"|based on|following|see|"
    r"根据|按照|依照|依据|按|据|见|参见|由)\s*(?:the\s+)?(?:《[^》]*》|[\u4e00-\u9fff]{0,12})?\s*$",
    re.I,
)
_SOURCE_AFTER = re.compile(
    r"^\s*+(?:(?:of\s++[^,]{0,40}\s)?(?:sets?|says?|states?|requires?|provides?|lays?|gives?|grants?|prohibits?"
    r"|permits?|allows?|obliges?|limits?|"
    r"defines?|specifies|prescribes?|stipulates?|demands?|caps|covers|mandates?|fixes|governs|contains|regulates"
    r"|bans|forbids|calls|entitles)\b"
    r"|(?:的)?(?:规定|要求|明确|载明|指出|禁止|允许|授权|写明|确定|限定|设定|是|为|中))",
    re.I,
)


@register(
    "references",
    Lock.TRACEABILITY,
    sees="wrong article, section, paragraph, annex, table or standard; a provision named as the source that the"
    " passage only refers to",
    blind="provisions named in words alone ('the next article')",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield MISQUOTED_REFERENCE."""
    for reading in case.reworded:
        passages = [case.passage(c) for c in reading.cited]
        yield from _documents(case, reading, passages)
        for reference in reading.analysis.references:
            problem = _problem(case, reading, reference, passages)
            if problem is not None:
                yield problem


_BOOK = re.compile(r"《(?P<n>[^《》]{2,60})》")


def _documents(case: Case, reading: Reading, passages: Sequence[Passage]) -> Iterator[Finding]:
    """Documents named in 《》 are the cited ones, or named by them."""
    for match in _BOOK.finditer(reading.analysis.text):
        name = match["n"].lower()
        titles = [p.title.low.strip(" 《》") for p in passages]
        if not any(p.title.han for p in passages):
            continue  # how a title reads in Chinese cannot be told from here
        if any(name in t or (len(t) >= _LEAST_TITLE and t in name) for t in titles) or any(
            name in p.low for p in passages
        ):
            continue
        yield Finding(
            IssueType.MISQUOTED_REFERENCE,
            reading.index,
            f"the cited passage is not from {match.group()}",
            RemedyKind.REGENERATE,
            span=(match.start(), match.end()),
            citation=passages[0].citation,
            found=match.group(),
            expected=passages[0].chunk.document.title,
        )


_LEAST_TITLE = 3


def _problem(case: Case, reading: Reading, reference: Reference, passages: Sequence[Passage]) -> Finding | None:
    named = [r for p in passages for u in p.units for r in u.analysis.references] + [
        r for p in passages for r in p.title.references
    ]
    own = [r for p in passages for r in p.own_references]
    known = [r for r in (*named, *own) if _matches(reference, r, passages)]
    if not known and reference.level in _MARKED:
        return _marked_part(case, reading, reference, passages)
    if not known:
        rivals = [r for r in (*own, *named) if _comparable(r, reference)]
        # Without any rival the name came from the question or the document's id and cannot be checked here.
        if not rivals and (_asked(case, reference) or _in_metadata(reference, passages)):
            return None
        return _finding(reading, reference, rivals[0].label() if rivals else "", passages)
    if reference.level == "standard":
        other = _of_other_thing(case, reading, reference, passages)
        if other is not None:
            return _finding(reading, reference, other.label(), passages)
    if not _is_source(reading, reference) or _speaks_of(case, reading, reference, passages):
        return None
    if _referred_to_alike(case, reading, reference, passages):
        return None
    if not any(_comparable(r, reference) for r in own):
        other = _named_as_source(case, reading, reference, passages)
        return _finding(reading, reference, other.label(), passages) if other is not None else None
    if not any(_matches(reference, r, passages) for r in own):
        rival = next(r for r in own if _comparable(r, reference))
        return _finding(reading, reference, rival.label(), passages)
    # A statement that names several provisions is judged stretch by stretch.
    several = sum(r.level != "standard" for r in reading.analysis.references) > 1
    whole = None if several else _holder(case, reading, reference)
    holder = whole or _other_holder(case, reading, reference, passages)
    if holder is not None and not _matches(reference, holder, passages):
        return _finding(reading, reference, holder.label(), passages)
    return _under_other_mark(case, reading, reference, passages) if len(reference.path) > 1 else None


def _of_other_thing(
    case: Case, reading: Reading, reference: Reference, passages: Sequence[Passage]
) -> Reference | None:
    """The standard that a sentence names which carries the statement clearly better than those that name its own."""
    held: list[tuple[float, Reference]] = []
    mine = 0.0
    for aligned in case.align(reading, reading.cited):
        named = [r for r in aligned.unit.analysis.references if r.level == "standard"]
        if any(_matches(reference, r, passages) for r in named):
            mine = max(mine, aligned.coverage.share)
        elif named:
            held.append((aligned.coverage.share, named[0]))
    share, other = max(held, key=lambda pair: pair[0], default=(0.0, None))
    return other if share >= _CARRIES and share >= mine + _CLEARLY else None


def _named_as_source(
    case: Case, reading: Reading, reference: Reference, passages: Sequence[Passage]
) -> Reference | None:
    """The provision that the sentence which carries the statement names as its source ("Under Article 12, ..."), where
    the passages have the statement's own one elsewhere."""
    if len(reading.analysis.references) > 1:
        return None
    best = next((a for a in case.align(reading, reading.cited) if a.unit.kind == "sentence"), None)
    if best is None or best.coverage.share < _CARRIES:
        return None
    analysis = best.unit.analysis
    named = [r for r in analysis.references if _comparable(r, reference)]
    if any(_matches(reference, r, passages) for r in named):
        return None
    return next((r for r in named if _lays_down(analysis.text, r)), None)


def _lays_down(text: str, reference: Reference) -> bool:
    """ "Under Article 5, ...", "Article 5 requires ..."."""
    opens = reference.start <= _OPENING and _SOURCE_AFTER.match(text[reference.end :]) is not None
    return opens or _SOURCE_BEFORE.search(text[: reference.start]) is not None


def _speaks_of(case: Case, reading: Reading, reference: Reference, passages: Sequence[Passage]) -> bool:
    """ "Articles 13 and 14 do not apply where ...": the sentence of the passage opens with the reference as well."""
    best = next((a for a in case.align(reading, reading.cited) if a.unit.kind == "sentence"), None)
    return (
        best is not None
        and best.coverage.share >= _CARRIES
        and reading.analysis.references[0].start <= _OPENING
        and any(r.start <= _OPENING and _matches(reference, r, passages) for r in best.unit.analysis.references)
    )


def _referred_to_alike(case: Case, reading: Reading, reference: Reference, passages: Sequence[Passage]) -> bool:
    """The sentence that the statement follows has the reference too, after the same words: "tasks referred to in
    Article 39", 依照本法第四十条规定."""
    before = _words_before(reading.analysis, reference)
    return any(
        _matches(reference, r, passages) and _words_before(a.unit.analysis, r) == before
        for a in case.align(reading, reading.cited)[:2]
        if a.coverage.share >= _CARRIES
        for r in a.unit.analysis.references
    )


def _words_before(analysis: Analysis, reference: Reference) -> tuple[bool, str]:
    """What leads to a reference, two words or characters of Chinese, and whether the sentence opens with it."""
    low = analysis.low[: reference.start].strip()
    if analysis.han:
        return len(low) <= _LEAD_HAN, low[-2:]
    words = low.split()
    return len(words) <= _LEAD, " ".join(words[-2:])


# "In accordance with" and 按照本办法 open a sentence.
_LEAD, _LEAD_HAN = 3, 5


_MARKED = ("paragraph", "item")


def _marked_part(case: Case, reading: Reading, reference: Reference, passages: Sequence[Passage]) -> Finding | None:
    """ "Paragraph 3" is the line that opens with (3); wrong if the rule clearly stands under another mark."""
    marks = {m for p in passages for u in p.units if (m := mark_of(u.analysis.text))}
    if not marks or reference.path[0].lower() not in marks:
        rivals = [r for p in passages for u in p.units for r in u.analysis.references if r.level == reference.level]
        return _finding(reading, reference, rivals[0].label() if rivals else "", passages) if rivals or marks else None
    return _under_other_mark(case, reading, reference, passages)


def _under_other_mark(
    case: Case, reading: Reading, reference: Reference, passages: Sequence[Passage]
) -> Finding | None:
    """The rule clearly stands in the line with another mark than the one the reference ends with."""
    aligned = [a for a in case.align(reading, reading.cited) if a.unit.kind == "sentence"]
    if not aligned or aligned[0].coverage.share < _CARRIES:
        return None
    under = {mark_over(case.passage(a.unit.citation), a.unit) for a in aligned if _ties(a, aligned[0])}
    found = under.pop() if len(under) == 1 else ""
    wrong = found and found != reference.path[-1].lower()
    return _finding(reading, reference, f"({found})", passages) if wrong else None


def _other_holder(case: Case, reading: Reading, reference: Reference, passages: Sequence[Passage]) -> Reference | None:
    """The provision that carries a loosely told statement clearly better than the one it names."""
    span = _told_under(reading, reference)
    terms = in_span(reading.analysis.terms, *span)
    values = [q for q in reading.analysis.quantities if span[0] <= q.start < span[1]]
    if len(terms) < _FEWEST:
        return None
    parts: dict[tuple[str, ...], tuple[Reference, list[Unit]]] = {}
    for passage in passages:
        for unit in passage.units:
            over = None if unit.kind == "heading" else governing(passage, unit, reference)
            if over is not None:
                parts.setdefault(over.path, (over, []))[1].append(unit)
    scores = []
    for over, units in parts.values():
        held = [q for u in units for q in u.analysis.quantities]
        hits = sum(any(equal(*loosely(q, e)) for e in held) for q in values) / len(values) if values else 0.0
        scores.append((cover(terms, Bag.of(u.analysis for u in units)).share + _VALUE_HELD * hits, over))
    scores.sort(key=lambda pair: -pair[0])
    named = max((s for s, over in scores if _matches(reference, over, passages)), default=None)
    if not scores or named is None or scores[0][0] < _HELD or scores[0][0] < named + _CLEARLY:
        return None
    second = max((s for s, over in scores if over is not scores[0][1]), default=0.0)
    return scores[0][1] if scores[0][0] >= second + _CLEARLY / 2 else None


def _told_under(reading: Reading, reference: Reference) -> tuple[int, int]:
    """The stretch of a statement that a reference stands for: from it to the next one, or up to it from the last."""
    others = [r for r in reading.analysis.references if r.level != "standard"]
    if len(others) == 1:
        return 0, len(reading.analysis.text)
    before = max((r.end for r in others if r.end <= reference.start), default=0)
    after = min((r.start for r in others if r.start >= reference.end), default=len(reading.analysis.text))
    stop = _PART_END.search(reading.analysis.text, reference.end, after)
    after = stop.start() if stop else after
    opens = not in_span(reading.analysis.terms, before, reference.start)
    first = min(r.start for r in others) == reference.start
    if opens or (first and len(in_span(reading.analysis.terms, 0, reference.start)) <= 1):
        return reference.end, after
    return 0, 0


_PART_END = re.compile("[;；]")
# A provision holds a loosely told statement if this share of words and values stands under it, and this much more
# than under the one named.
_HELD, _CLEARLY, _VALUE_HELD, _FEWEST = 0.45, 0.25, 0.4, 2


def _holder(case: Case, reading: Reading, reference: Reference) -> Reference | None:
    """The provision of the reference's level under which the sentence stands that clearly carries the statement."""
    aligned = [a for a in case.align(reading, reading.cited) if a.unit.kind == "sentence"]
    if not aligned or aligned[0].coverage.share < _CARRIES:
        return None
    under = {governing(case.passage(a.unit.citation), a.unit, reference) for a in aligned if _ties(a, aligned[0])}
    return under.pop() if len(under) == 1 else None


def _ties(a: Aligned, best: Aligned) -> bool:
    return a.coverage.share >= best.coverage.share - _TIE


_CARRIES, _TIE = 0.6, 0.1


def governing(passage: Passage, unit: Unit, like: Reference) -> Reference | None:
    """The last provision of a level that opens a line at or before a unit; else the one that the title names."""
    found: Reference | None = None
    for other in passage.units:
        if other.start > unit.start:
            break
        opening = [r for r in other.analysis.references if heads(other.analysis.text, r) and _comparable(r, like)]
        found = opening[0] if opening else found
    return found or next((r for r in passage.title.references if _comparable(r, like)), None)


# A heading mark and a space may stand before a provision that opens a sentence.
_OPENING = 4
_LOOSE = {"section", "article", "requirement", "rule"}


def _comparable(a: Reference, b: Reference) -> bool:
    return a.level == b.level or ({a.level, b.level} <= _LOOSE and ("." in a.path[0]) == ("." in b.path[0]))


def _matches(answer: Reference, evidence: Reference, passages: Sequence[Passage]) -> bool:
    """Equal, or coarser than the evidence (Article 17 for 17(2)); finer only if the passage shows the paragraph."""
    if {answer.level, evidence.level} <= _LOOSE and evidence.path[0].startswith(answer.path[0] + "."):
        return True  # Section 5 for what stands under 5.1
    if answer.level != evidence.level and not _comparable(answer, evidence):
        return False
    if answer.level == "standard":
        mine, theirs = answer.path[0], evidence.path[0]
        return mine == theirs or theirs.startswith(mine + ":") or (mine.startswith(theirs + ":") and ":" not in theirs)
    a, e = answer.path, evidence.path
    if a[: len(e)] == e[: len(a)]:
        if len(a) <= len(e):
            return True
        marks = {m for p in passages for u in p.units if (m := mark_of(u.analysis.text))}
        return any(f"({part})" in p.low or part in marks for p in passages for part in a[len(e) :])
    return False


def _asked(case: Case, reference: Reference) -> bool:
    return any(r.level == reference.level and r.path == reference.path for r in case.question.analysis.references)


def _in_metadata(reference: Reference, passages: Sequence[Passage]) -> bool:
    return any(reference.path[0].lower() in p.chunk.document.document_id.lower() for p in passages)


def _is_source(reading: Reading, reference: Reference) -> bool:
    """The sentence names the reference as what lays down the rule."""
    text = reading.analysis.text
    first = min(r.start for r in reading.analysis.references) == reference.start
    before = text[: reference.start]
    if _SOURCE_AFTER.match(text[reference.end :]):
        return True
    return first and (
        bool(_SOURCE_BEFORE.search(before))
        or not before.strip()
        or text[reference.end : reference.end + 1] in ("，", ",", ":", "：")
    )


def _finding(reading: Reading, reference: Reference, expected: str, passages: Sequence[Passage]) -> Finding:
    found = reading.analysis.text[reference.start : reference.end]
    return Finding(
        IssueType.MISQUOTED_REFERENCE,
        reading.index,
        f"{found} is not the provision of the cited passage" + (f"; it is {expected}" if expected else ""),
        RemedyKind.REGENERATE,
        span=(reference.start, reference.end),
        citation=passages[0].citation,
        found=found,
        expected=expected,
    )
