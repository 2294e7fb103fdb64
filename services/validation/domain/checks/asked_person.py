"""Who asks who somebody is gets that person: a passage that knows no such office is no answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.analysis import Term
from services.validation.domain.case import REFUSAL, Case, Finding
from services.validation.domain.checks import register
from services.validation.domain.wording.align import Bag, in_span, match

# "Who is the chief editor of the paper?", 公司的董事长是谁？ What a relative clause tells is for other checks.
_WHO_IS = (
    re.compile(
        r"\bwho(?:'s| is| was| are| were) (?:the|our|your|its|their) (?P<office>[\w'-]+"
        r"(?: (?!(?:of|at|for|in|on|to)\b)[\w'-]+){0,3})(?: (?:of|at|for|in|on|to)\b[^?]{0,60})?\s*(?:\?|$)",
        re.I,
    ),
    re.compile(r"(?P<office>[\u4e00-\u9fffA-Za-z]{2,12})(?:现在|目前)?是谁"),
    re.compile(r"谁(?:现在|目前)?是(?P<office>[\u4e00-\u9fffA-Za-z]{2,12})"),
)
# Offices that somebody holds by name. Who owns, approves or answers for something is told in too many words: by what
# he does, by his department, in a passive.
_HELD_BY_NAME = re.compile(
    r"c[efiot]o|(?:vice-?)?president|chair(?:man|woman|person)?|director|officer|minister|mayor|chancellor|governor"
    r"|dean|rector|founder|.*(?:董事长|总经理|总裁|首席\w{1,4}官|校长|院长|市长|省长|部长|局长|行长|主席|会长|理事长|秘书长|创始人"
    r"|法定代表人)"
)
_FOUND = 0.5


@register(
    "asked_person",
    Lock.COMPLETENESS,
    sees="who is asked for by an office (the CEO, 董事长) that neither the answer nor a cited passage mentions, in an"
    " answer that names nobody",
    blind="answers that name somebody else; who owns, approves or answers for something; other languages",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield INCOMPLETE_ANSWER at the last claim."""
    claims = case.claims
    office = _office(case)
    if not claims or not office or any(r.role == REFUSAL for r in case.readings):
        return
    cited = sorted({c for r in claims for c in r.cited})
    if any(u.analysis.han != case.question.analysis.han for u in case.units(cited)):
        return  # offices have too many names for a dictionary
    bags = [Bag.of([r.analysis for r in claims]), case.bags.cited(cited)]
    bags += [case.title_bag(case.passage(c)) for c in cited]
    head = office[-1]
    if any(match(head, bag) >= _FOUND for bag in bags) or _abbreviated(case, cited, office) or _names_somebody(case):
        return
    asked = case.question.analysis.text[office[0].start : head.end]
    yield Finding(
        IssueType.INCOMPLETE_ANSWER,
        claims[-1].index,
        f"the question asks who is {asked}; neither the answer nor its sources say so",
        RemedyKind.RETRIEVE_MISSING,
        expected=asked,
        queries=(case.question.text,),
    )


def _office(case: Case) -> Sequence[Term]:
    """The words of the office that the question names; none where it asks otherwise, or for no such office."""
    analysis = case.question.analysis
    for pattern in _WHO_IS:
        found = pattern.search(analysis.text)
        if found is not None and _HELD_BY_NAME.fullmatch(found["office"].lower().split()[-1]):
            return in_span(analysis.terms, found.start("office"), found.end("office"))
    return ()


def _abbreviated(case: Case, cited: Sequence[int], office: Sequence[Term]) -> bool:
    """CEO for chief executive officer, or the reverse, stands in the answer or a cited passage."""
    low = " ".join([case.answer.lower(), *(case.bags.cited([c]).low for c in cited)])
    head = office[-1].word.surface
    initials = "".join(t.word.surface[0] for t in office)
    spelt_out = r"\W+(?:of\W+|the\W+)*".join(rf"{re.escape(letter)}\w+" for letter in head)
    short = head.isascii() and _SHORTEST <= len(head) <= _LONGEST and re.search(rf"\b{spelt_out}", low)
    return bool(short) or (len(initials) >= _SHORTEST and re.search(rf"\b{re.escape(initials)}\b", low) is not None)


_SHORTEST, _LONGEST = 2, 5


def _names_somebody(case: Case) -> bool:
    """A claim has a proper name that the question does not have; Chinese names are not told from words."""
    asked = {n.key for n in case.question.analysis.names}
    return any(n.kind == "proper" and n.key not in asked for r in case.claims for n in r.analysis.names)
