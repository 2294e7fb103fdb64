"""Laws and bodies that a statement names are named by the passages it cites."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register

# California Consumer Privacy Act, European Data Protection Board, Data Protection Act 2018.
_BODY = re.compile(
    r"\b(?P<words>(?:(?!(?:The|This|That|Under|Our|A|An)\b)[A-Z][a-z]+(?:-[A-Z]?[a-z]+)? "
    r"(?:(?:and|of|for|on|in|the) )*){1,6})"
    r"(?P<kind>Act|Regulation|Directive|Code|Law|Board|Commission|Authority|Agency|Committee|Convention|Treaty|Tribunal)"
    r"\b(?: (?:of )?(?P<year>(?:19|20)\d\d))?"
)
_JOINING = frozenset(("and", "of", "for", "on", "in", "the"))
# Of a word so much has to stand in the passage: Consumers and Consumer's are the consumer.
_BEGINNING = 6


@register(
    "bodies",
    Lock.TRACEABILITY,
    sees="English names of laws and bodies of which the cited passages and their titles lack a word",
    blind="abbreviations, names of other kinds, passages in Chinese",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield ENTITY_MISMATCH. That the question names the law too is no evidence of what it says."""
    for reading in case.reworded:
        yield from _not_named(case, reading)


def _not_named(case: Case, reading: Reading) -> Iterator[Finding]:
    named = list(_BODY.finditer(reading.statement.body))
    bag = case.bags.cited(reading.cited)
    if not named or bag.han:
        return
    low = " ".join((bag.low, *(case.passage(citation).title.low for citation in reading.cited)))
    for match in named:
        parts = [word for word in match["words"].lower().split() if word not in _JOINING]
        parts += [part.lower() for part in (match["kind"], match["year"]) if part]
        if all(re.search(rf"\b{re.escape(part[:_BEGINNING])}", low) for part in parts):
            continue
        yield Finding(
            IssueType.ENTITY_MISMATCH,
            reading.index,
            f"the cited evidence does not name the {match.group()}",
            RemedyKind.REGENERATE,
            citation=reading.cited[0],
            found=match.group(),
        )
