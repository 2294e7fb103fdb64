"""When a time of the answer is a time of the evidence, and the times that a document's own metadata give."""

from __future__ import annotations

from services.validation.domain.reading.evidence import Passage
from services.validation.domain.times.moments import EITHER, Moment, covers

# Kinds of times that tell days.
DAYS = ("day", "decade", "month")


def metadata_moments(passage: Passage) -> list[Moment]:
    """Title, headings, and the dates of the document's own metadata are evidence too."""
    document = passage.chunk.document
    days = (document.published_at, document.effective_from, document.effective_to, document.updated_at)
    return [*passage.title.moments, *(Moment("day", 0, 0, d.year, d.month, d.day) for d in days if d is not None)]


def agree(answer: Moment, evidence: Moment) -> bool:
    """The answer's time is the evidence's, or wider, or an edge of the year told as its day."""
    if covers(answer, evidence):
        return True
    if answer.kind == "clock" and evidence.kind == "clock":
        day = 720 if EITHER in (answer.edge, evidence.edge) else 1440
        return answer.sub % day == evidence.sub % day
    # "2023-07" said as "July" is covered above; an edge of the year says the day: end of 2023 is 31 December.
    a, e = answer.interval(), evidence.interval()
    if a and e and answer.edge and evidence.kind == "day":
        return e[0] == (a[1] if answer.edge == "end" else a[0])
    if a and e and evidence.edge and answer.kind == "day":
        return a[0] == (e[1] if evidence.edge == "end" else e[0])
    return False
