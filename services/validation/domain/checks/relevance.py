"""The answer speaks of what the question names: a true quotation about something else is no answer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.analysis import Term
from services.validation.domain.case import REFUSAL, Case, Finding
from services.validation.domain.checks import register
from services.validation.domain.reading.names import Name, shape
from services.validation.domain.wording.align import Bag, match

_FOUND = 0.5


@register(
    "relevance",
    Lock.COMPLETENESS,
    sees="an identifier or numbered thing of the question that neither the answer nor a cited passage names; answers"
    " whose cited passages share no content word with the question",
    blind="statements beside the point that share the question's words",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield INCOMPLETE_ANSWER at the last claim."""
    claims = case.claims
    if not claims or any(r.role == REFUSAL for r in case.readings):
        return
    cited = sorted({c for r in claims for c in r.cited})
    low = " ".join([case.answer.lower(), *(case.bags.cited([c]).low for c in cited), *_identities(case, cited)])
    missing = _unnamed(case, cited, low) or _beside_the_point(case, cited)
    if missing:
        yield Finding(
            IssueType.INCOMPLETE_ANSWER,
            claims[-1].index,
            f"the question asks about {missing}, of which neither the answer nor its sources speak",
            RemedyKind.RETRIEVE_MISSING,
            expected=missing,
            queries=(case.question.text,),
        )


def _identities(case: Case, cited: list[int]) -> Iterator[str]:
    """What documents are called beside their text."""
    for citation in cited:
        document = case.passage(citation).chunk.document
        yield f"{document.document_id} {document.title} {document.version} {document.source_uri}".lower()


def _unnamed(case: Case, cited: list[int], low: str) -> str:
    """A strict name of the question that stands nowhere, while the cited passages name a rival of its kind."""
    squeezed = _squeeze(low)
    present = {shape(n) for u in case.units(cited) for n in u.analysis.names if n.strict}
    present |= {shape(n) for c in cited for n in case.passage(c).title.names if n.strict}
    for name in case.question.analysis.names:
        if name.strict and _key(name) not in squeezed and shape(name) in present:
            return name.surface
    return ""


def _beside_the_point(case: Case, cited: list[int]) -> str:
    """The question's content words, if the answer and its passages have none of them."""
    lexicon = case.config.lexicon
    asked = [t for t in case.question.analysis.terms if t.weight >= 1 and t.key not in lexicon.meta_words]
    told = Bag.of([r.analysis for r in case.readings])
    passages = case.bags.cited(cited)
    if len(asked) < _LEAST_ASKED or any(_stands(t, told) or _stands(t, passages) for t in asked):
        return ""
    return ", ".join(t.word.surface for t in asked[:3])


_LEAST_ASKED = 2


def _stands(term: Term, bag: Bag) -> bool:
    return match(term, bag) >= _FOUND


def _key(name: Name) -> str:
    return _squeeze(name.surface.lower())


def _squeeze(text: str) -> str:
    return re.sub(r"[-_/.\s]", "", text)
