"""Whether the retrieved passages can carry an answer: needs, what covers them, what contradicts, a score."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from services.common.domain.document import Chunk
from services.common.domain.question import ParsedQuestion
from services.common.domain.verdict import Need, Sufficiency, SufficiencyLabel
from services.validation.domain.align import cover
from services.validation.domain.analysis import Analyser
from services.validation.domain.case import Case
from services.validation.domain.config import ValidationConfig
from services.validation.domain.support import probability


def judge_sufficiency(
    question: str, parsed: ParsedQuestion | None, chunks: Sequence[Chunk], as_of: date | None, today: date,
    config: ValidationConfig, analyser: Analyser,
) -> Sufficiency:  # fmt: skip
    """Judge the evidence; see ``validator.check_sufficiency``."""
    case = Case(question, parsed, "", chunks, as_of, today, config, analyser)
    terms = case.question.analysis.terms
    everything = [p.citation for p in case.passages]
    best_sentence = max((cover(terms, case.bags.unit(u)).share for u in case.units(everything)), default=0.0)
    best_chunk = max((cover(terms, case.bags.cited([c])).share for c in everything), default=0.0)
    features = {"best_sentence": best_sentence, "best_chunk": best_chunk, "answer_type": 1.0}
    score, _ = probability(config.sufficiency, features)
    covered = tuple(c for c in everything if cover(terms, case.bags.cited([c])).share >= 0.5)
    enough = score >= config.sufficiency.thresholds["sufficient"]
    need = Need("n1", question, "answer", covered, () if covered else (question,))
    label = SufficiencyLabel.SUFFICIENT if enough and chunks else SufficiencyLabel.INSUFFICIENT
    return Sufficiency(label, score if chunks else 0.0, (need,), ())
