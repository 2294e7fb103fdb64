"""Words that carry no fact of their own: of comparing, computing and citing, of the question, idioms."""

from __future__ import annotations

import re

from services.validation.domain.analysis import Term
from services.validation.domain.case import Case, Reading
from services.validation.domain.reading.patterns import Pattern


def structural(case: Case, reading: Reading, term: Term) -> bool:
    """Words of comparing, computing, citing and disclosing carry no fact of their own; nor do words of the question."""
    lexicon = case.config.lexicon
    if (
        term.word.surface in lexicon.more_words
        or term.word.surface in lexicon.meta_words
        or term.key in lexicon.meta_words
        or term.key in case.question.analysis.keys
    ):
        return True
    analysis = reading.analysis
    if any(c.start < term.end and term.start < c.end for c in analysis.cues):
        return True
    if any(m.start() < term.end and term.start < m.end() for m in lexicon.hedge.finditer(analysis.low)):
        return True
    if any(m.start() < term.end and term.start < m.end() for m in _IDIOM.finditer(analysis.low)):
        return True
    return _is_denominator(reading, term)


def _is_denominator(reading: Reading, term: Term) -> bool:
    """Litres per second, 每小时: what a rate is told per is judged with its value."""
    beside = any(
        q.amount is not None and (0 <= term.start - q.end <= _BESIDE or 0 <= q.start - term.end <= _BESIDE)
        for q in reading.analysis.quantities
    )
    return beside and _PER.search(reading.analysis.low[: term.start]) is not None


_PER = re.compile(r"(?:\b(?:per|an?|each|every)\s|/\s?|每)$")
_BESIDE = 6
_IDIOM = Pattern(
    r"\bon the (?:one|other) hand\b|\bby the way\b|\bas a rule\b|\bin the (?:end|meantime|first place)\b"
    r"|\bin (?:fact|short)\b"
    r"|\bat the same time\b|\bin other words\b|\bon top of (?:that|this|it)\b|\bto begin with\b|\bof (?:its"
    r"|their) kind\b"
    r"|\bis the subject of\b|\bdeals? with\b"
    r"|\bis (?:dealt with|laid down|set out|governed|covered|regulated) (?:in|by)\b"
    r"|\bt(?:ake|akes|aking|aken|ook) place\b"
    r"|\bfor (?:example|instance)\b|\bat (?:present|least|most|first|last|length|large)\b"
    r"|\bin (?:particular|general|addition|practice|principle|detail|effect|full|itself|themselves)\b"
    r"|\ba lot\b|\blots of\b|\bof course\b|\bin this (?:case|way)\b|\bin turn\b|\bat all\b|\bin return\b|\bso far\b"
    r"|\b(?:get|gets|getting|got|be|is|are|stay|stays) in touch\b"
)
