"""Learns how much doubt a word leaves that its passages lack, and writes ``config/validation/word_model.yaml``.

usage: python -m bench.validation_words TOKENS.jsonl [--write]

TOKENS.jsonl is the file ``data/non_supported_tokens/train.jsonl`` of the public repository ryokamoi/wice (commit
ddeb6c183665e2a20c5f03c5aa07f03888b9870f, annotations ODC-BY): sentences of Wikipedia with the words marked that the
cited page does not support. Its claims are of the train split; the claims that Validation reports on are of dev.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.validation_data import auroc, chance, learn
from services.common.domain.document import Chunk, DocumentMetadata
from services.validation.adapters.config import DEFAULT_DIRECTORY, default_config
from services.validation.domain.reading.evidence import Passage, read_chunks
from services.validation.domain.wording.align import Bag
from services.validation.domain.wording.doubt import MARKS, marks_of, matches_of
from services.validation.validator import analyser_for

_NEIGHBOURS = 3
_MOST_WORDS = 450
_FOLDS = 5
_RIDGE = 0.005
_TITLE = "(meta data) TITLE: "
Row = tuple[int, dict[str, float], bool]


def passage(row: dict[str, Any]) -> Passage | None:
    """The supporting sentences with three neighbours on either side, at most 450 words; None if there are none."""
    evidence: list[str] = row["evidence"]
    supporting = {i for group in row["supporting_sentences"] for i in group}
    kept = sorted(
        {j for i in supporting for j in range(i - _NEIGHBOURS, i + _NEIGHBOURS + 1) if 0 <= j < len(evidence)}
    )
    if not kept:
        return None
    text = " ".join(" ".join(evidence[i] for i in kept).split()[:_MOST_WORDS])
    title = next((line.removeprefix(_TITLE) for line in evidence[:3] if line.startswith(_TITLE)), "")
    config = default_config()
    return read_chunks([Chunk("c", DocumentMetadata("d", title=title), text)], analyser_for(config), config.limits)[0]


def unsupported(row: dict[str, Any]) -> list[tuple[int, int]]:
    """The places of the tokens marked as unsupported."""
    spans, position = [], 0
    for token, marked in zip(row["claim_tokens"], row["non_supported_spans"], strict=True):
        start = max(position, row["claim"].find(token, position))
        position = start + len(token)
        if marked:
            spans.append((start, position))
    return spans


def word_rows(path: Path) -> Iterator[Row]:
    """(number of the sentence, every mark, whether the word is unsupported)."""
    config = default_config()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        row = json.loads(line)
        found = passage(row)
        if found is None:
            continue
        analysis = analyser_for(config).analyse(row["claim"])
        units = [u for u in found.units if u.kind != "header"]
        whole = Bag.of([found.title, *(u.analysis for u in found.units)])
        matches = matches_of(analysis.terms, whole, [Bag.of([u.analysis]) for u in units])
        wrong = unsupported(row)
        for start, end, marks in marks_of(analysis, matches, units, config.word_weights, across_languages=False):
            label = any(a < end and start < b for a, b in wrong)
            yield number, dict.fromkeys(MARKS, 0.0) | marks, label


def main() -> int:
    """Print the AUROC of five folds by sentence; with ``--write`` learn on all and write the model."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("tokens", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = list(word_rows(options.tokens))
    scores, labels = [], []
    for fold in range(_FOLDS):
        intercept, weights = learn([(f, y) for n, f, y in rows if n % _FOLDS != fold], MARKS, ridge=_RIDGE)
        held_out = [(f, y) for n, f, y in rows if n % _FOLDS == fold]
        scores += [chance(intercept, weights, f) for f, _ in held_out]
        labels += [y for _, y in held_out]
    print(f"words: {len(rows)}, unsupported {sum(labels)}, AUROC of {_FOLDS} folds {auroc(scores, labels):.3f}")
    if options.write:
        intercept, weights = learn([(f, y) for _, f, y in rows], MARKS, ridge=_RIDGE)
        lines = [
            "# Chance that a word, value or time of a statement is not supported, by what marks it",
            "# (domain/wording/doubt.py).",
            "# chance = 1 / (1 + exp(-(intercept + sum(weight * mark)))); a mark is 0 or 1, but absent_rare in [-0.5,",
            "# 0.5] and beside, absent_beside, which count neighbours (0 to 2).",
            "# Learnt by bench/validation_words.py; readable on purpose.",
            f"intercept: {intercept:.3f}",
            "weights:",
            *(f"  {mark}: {weights[mark]:.3f}" for mark in MARKS),
        ]
        (DEFAULT_DIRECTORY / "word_model.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
