"""Sources are in force on the day asked about, not replaced, no drafts, and as new as the question wants."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.reading.evidence import Passage
from services.validation.domain.sources.editions import newer_edition
from services.validation.domain.sources.timeline import TIMELESS_TYPES, Standing, Status, is_draft


@register(
    "timeliness",
    Lock.TIMELINESS,
    sees="expired, future, superseded and draft sources on the day asked about; sources older than the period or the "
    "edition that the question names; older editions, by the year in the title, of what a newer one tells otherwise",
    blind="supersession by documents that were not retrieved",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield OUTDATED_SOURCE, SUPERSEDED_SOURCE, NOT_YET_EFFECTIVE."""
    day = case.as_of or _asked_day(case) or case.today
    for reading in case.readings:
        if not reading.is_claim:
            continue
        for citation in reading.cited:
            passage = case.passage(citation)
            finding = _stale(case, reading, passage, case.timeline(day).status(passage), day)
            finding = finding or _wrong_period(case, reading, passage) or _old_edition(case, reading, passage, day)
            if finding is not None:
                yield finding


def _asked_day(case: Case) -> date | None:
    """The last day of the period that the question names, where that is past or it names a single day."""
    period = case.question.period
    if period is None or period.end is None:
        return None
    return (
        period.end
        if period.end <= case.today or period.start == period.end
        else max(period.start or case.today, case.today)
    )


def _stale(case: Case, reading: Reading, passage: Passage, state: Status, day: date) -> Finding | None:
    if state.standing is Standing.CURRENT:
        return None
    if state.standing is Standing.DRAFT:
        return _draft(case, reading, passage, state)
    if _tells_its_time(case, reading, passage, state) or _beside_successor(case, reading, state):
        return None
    kind = {
        Standing.EXPIRED: IssueType.SUPERSEDED_SOURCE if state.successor else IssueType.OUTDATED_SOURCE,
        Standing.FUTURE: IssueType.NOT_YET_EFFECTIVE,
        Standing.SUPERSEDED: IssueType.SUPERSEDED_SOURCE,
    }[state.standing]
    return _finding(reading, passage, kind, f"[{passage.citation}] on {day}: {state.reason}", state.successor)


def _finding(reading: Reading, passage: Passage, kind: IssueType, message: str, successor: int) -> Finding:
    return Finding(
        kind, reading.index, message, RemedyKind.RECITE if successor else RemedyKind.RETRIEVE_FRESHER,
        citation=passage.citation, found=passage.chunk.document.document_id,
        expected=f"[{successor}]" if successor else "a source in force", recite=successor,
        queries=(reading.statement.body.strip(),),
    )  # fmt: skip


def _draft(case: Case, reading: Reading, passage: Passage, state: Status) -> Finding | None:
    if case.config.lexicon.draft.search(reading.analysis.low) or _told_as_planned(reading, passage):
        return None
    # A passage of the text in force, cited beside the draft, carries the statement by itself.
    others = [p for p in case.passages if not is_draft(p.chunk.document, p.text, case.config.lexicon)]
    published = passage.chunk.document.published_at
    newer = [
        p
        for p in others
        if published and (p.chunk.document.published_at or p.chunk.document.effective_from or date.min) > published
    ]
    kind = IssueType.SUPERSEDED_SOURCE if state.successor or newer else IssueType.NOT_YET_EFFECTIVE
    return _finding(
        reading, passage, kind, f"[{passage.citation}] is a draft and the statement does not say so", state.successor
    )


_PLANNED = re.compile(r"\b(?:planned|upcoming|forthcoming|scheduled)\b|计划|预告|即将")
_PROPOSED = re.compile(r"\b(?:drafts?|proposals?|proposed|consultation)\b|草案|征求意见|草稿|送审")


def _told_as_planned(reading: Reading, passage: Passage) -> bool:
    """The source is planned, not proposed, and the statement says from when it applies."""
    document = passage.chunk.document
    start = document.effective_from
    title = f"{document.title} {document.version} {passage.text[:_HEAD]}".lower()
    if start is None or _PROPOSED.search(title) or not _PLANNED.search(title):
        return False
    stated = [i for m in reading.analysis.moments if (i := m.interval()) is not None]
    return any(first <= start <= last or first >= start for first, last in stated)


_HEAD = 200


def tells_its_time(case: Case, reading: Reading, citation: int) -> bool:
    """The statement says when the value of a cited source applies, so that a stale source is the right one."""
    passage = case.passage(citation)
    lexicon = case.config.lexicon
    if lexicon.draft.search(reading.analysis.low) and is_draft(passage.chunk.document, passage.text, lexicon):
        return True
    day = case.as_of or _asked_day(case) or case.today
    return _tells_its_time(case, reading, passage, case.timeline(day).status(passage))


def _tells_its_time(case: Case, reading: Reading, passage: Passage, state: Status) -> bool:
    """The statement says when its value applies, so a stale or future source is the right one."""
    document = passage.chunk.document
    analysis = reading.analysis
    lexicon = case.config.lexicon
    stated = [i for m in analysis.moments if (i := m.interval()) is not None]
    start, end = document.effective_from, document.effective_to
    if state.standing is Standing.FUTURE:
        return any(
            (start is not None and i[0] <= start <= i[1]) or (start is not None and i[0] >= start) for i in stated
        )
    for first, last in stated:
        inside = (start is None or last >= start) and (end is None or first <= end)
        bounded = end is not None or start is not None or lexicon.history.search(analysis.low) is not None
        if inside and bounded and (end is not None or first < (case.as_of or case.today)):
            return True
    told_as_past = lexicon.history.search(analysis.low) is not None
    version = document.version and document.version.lower() in analysis.low and len(document.version) >= 3
    edition = version and any(word in analysis.low for word in ("version", "edition", "revision", "版", "rev"))
    return told_as_past or bool(edition)


def _beside_successor(case: Case, reading: Reading, state: Status) -> bool:
    """ "Raised from 10 to 12 [1][2]": old and new are both cited and told as a change."""
    lexicon = case.config.lexicon
    change = lexicon.increase.search(reading.analysis.low) or lexicon.decrease.search(reading.analysis.low)
    changed = change or _CHANGED.search(reading.analysis.low)
    return bool(state.successor and state.successor in reading.cited and changed)


_CHANGED = re.compile(r"chang|\bfrom [^,;.]{1,30} to\b|调[整到至为]|改[为成到]|[由从][^，。；]{1,20}[到至为]")


def _old_edition(case: Case, reading: Reading, passage: Passage, day: date) -> Finding | None:
    """A later edition, told apart by the year in its title alone, gives another value."""
    newer = newer_edition(case, reading, passage, day)
    if newer is None:
        return None
    other, _, value = newer
    title = other.chunk.document.title
    return _finding(
        reading, passage, IssueType.OUTDATED_SOURCE,
        f"[{passage.citation}] is an older edition; {title} says {value.surface}", other.citation,
    )  # fmt: skip


def _wrong_period(case: Case, reading: Reading, passage: Passage) -> Finding | None:
    """The question names a period or an edition, and the source is older than that."""
    wanted = case.question.source_period or case.question.period
    document = passage.chunk.document
    published = document.published_at or document.updated_at
    if wanted is None or wanted.start is None or published is None or published >= wanted.start:
        return None
    dated = document.doc_type in TIMELESS_TYPES or document.effective_from or document.effective_to
    if dated and case.question.source_period is None:
        return None
    for unit in passage.units:
        for moment in (*unit.analysis.moments, *passage.title.moments):
            interval = moment.interval()
            if interval and interval[1] >= wanted.start and case.question.source_period is None:
                return None
    if any((i := m.interval()) is not None and i[1] < wanted.start for m in reading.analysis.moments):
        return None
    return _finding(
        reading, passage, IssueType.OUTDATED_SOURCE,
        f"[{passage.citation}] dates from {published}, before the period asked about ({wanted.start.year})", 0,
    )  # fmt: skip
