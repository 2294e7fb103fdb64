"""The two entry points of Validation, pure: no network, no clock, no file. The servicer, the CLI and the
evaluation call these same functions."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from datetime import date
from functools import lru_cache

from services.common.domain.document import Chunk, DocumentMetadata
from services.common.domain.question import ParsedQuestion
from services.common.domain.verdict import Sufficiency, Verdict
from services.validation.domain.analysis import Analyser
from services.validation.domain.config import ValidationConfig
from services.validation.domain.judge import judge
from services.validation.domain.sufficiency import judge_sufficiency


@lru_cache(maxsize=4)
def _analyser(config_id: int, version: str) -> list[Analyser]:
    return []


def analyser_for(config: ValidationConfig) -> Analyser:
    """The analyser of a configuration; one is kept per configuration object, with its cache of read texts."""
    slot = _analyser(id(config), config.version)
    if not slot or slot[0].config is not config:
        slot[:] = [Analyser(config)]
    return slot[0]


def validate_answer(
    question: str,
    parsed: ParsedQuestion | None,
    answer: str,
    chunks: Sequence[Chunk],
    as_of: date | None,
    today: date,
    config: ValidationConfig,
) -> Verdict:
    """Judge an answer against the chunks it cites by position ([1] is ``chunks[0]``).

    ``parsed`` may be None: the question is then read lightly. ``as_of`` is the day asked about, None for ``today``.
    """
    return judge(question, parsed, answer, chunks, as_of, today, config, analyser_for(config))


def check_sufficiency(
    question: str,
    parsed: ParsedQuestion | None,
    chunks: Sequence[Chunk],
    as_of: date | None,
    today: date,
    config: ValidationConfig,
) -> Sufficiency:
    """Judge whether the chunks can carry an answer, what is missing, and what contradicts."""
    return judge_sufficiency(question, parsed, chunks, as_of, today, config, analyser_for(config))


def warm_up(config: ValidationConfig) -> None:
    """One judgement in each language, so that no caller waits for patterns to compile.

    What is loaded by then (dictionaries, patterns, weights) stays for good: it is taken out of the garbage collector's
    rounds, which else hold up one call in a hundred for a tenth of a second.
    """
    for question, sentence in (("How long does it take?", "It takes 5 days."), ("需要多少天？", "需要5天。")):
        chunk = Chunk("warm-up", DocumentMetadata("warm-up"), sentence)
        validate_answer(question, None, f"{sentence} [1]", (chunk,), None, date(2000, 1, 1), config)
        check_sufficiency(question, None, (chunk,), None, date(2000, 1, 1), config)
    gc.collect()
    gc.freeze()
    # A judgement makes tens of thousands of small objects and no cycles to speak of. Many short rounds over the young
    # ones hold up no call (under 1 ms each); a round over 50,000 took as long as a judgement, in one of fifty. The
    # older ones are mostly what is remembered of texts: looking through them is rare.
    gc.set_threshold(2_000, 2_000, 100)
