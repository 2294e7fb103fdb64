"""Counts in how many documents English stems occur, for the word weights of the support score.

usage: python -m bench.validation_word_counts DOCUMENTS.jsonl... > config/validation/word_counts.tsv

One line a stem, most frequent first, at most 4,000: stem, documents in 10,000 that hold it. Words that are not in the
table are rarer than its last line.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path

from services.validation.domain.text import stem

_MOST = 4_000


def main(paths: list[str]) -> int:
    """Print the table."""
    counts: Counter[str] = Counter()
    documents = 0
    for path in paths:
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            documents += 1
            counts.update({stem(w) for w in re.findall(r"[a-z]{2,}", str(json.loads(line).get("text", "")).lower())})
    for word, count in counts.most_common(_MOST):
        print(f"{word}\t{count * 10_000 // max(1, documents)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
