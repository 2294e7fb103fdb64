"""A sentence of the evidence told word for word, but for one place that turns it into another."""

from __future__ import annotations

from collections.abc import Iterator

from services.common.domain.verdict import Lock, RemedyKind
from services.validation.domain.case import Case, Finding
from services.validation.domain.checks import register
from services.validation.domain.wording.altered import alterations
from services.validation.domain.wording.edits import followed


@register(
    "altered",
    Lock.TRACEABILITY,
    sees="in a sentence else told in the passage's words: all for some, a word for its opposite, a denial or only put"
    " in or left out, a possibility told as certain, one proper name for another",
    blind="the same in sentences told in other words; opposites that config/validation/lexicon.yaml does not list",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield NEGATION_MISMATCH, MODALITY_MISMATCH, ENTITY_MISMATCH, UNSUPPORTED_STATEMENT."""
    for reading in case.reworded:
        found = None if case.discloses(reading) else followed(case, reading)
        if found is None:
            continue
        for alteration in alterations(case, reading, found):
            mine, theirs = (" ".join(w.surface for w in side) for side in (alteration.mine, alteration.theirs))
            words = alteration.mine or ()
            yield Finding(
                alteration.type, reading.index, f"the passage has {theirs!r} where this has {mine!r}",
                RemedyKind.REGENERATE, span=(words[0].start, words[-1].end) if words else None,
                citation=found.unit.citation, evidence=(found.unit.start, found.unit.end), found=mine, expected=theirs,
            )  # fmt: skip
