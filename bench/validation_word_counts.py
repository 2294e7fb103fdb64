"""Counts in how many documents English stems occur, for the word weights of the support score.

    python -m bench.validation_word_counts DOCUMENTS.jsonl... > config/validation/word_counts.tsv

One line a stem, most frequent first, at most 4,000: stem, documents in 10,000 that hold it. Words that are not in the
table are rarer than its last line.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from pathlib import Path

from services.validation.domain.reading.text import stem

_MOST = 4_000


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", type=Path, nargs="+", metavar="DOCUMENTS.jsonl", help="rows with a text")
    counts: Counter[str] = Counter()
    documents = 0
    for path in parser.parse_args().documents:
        for line in path.read_text(encoding="utf-8").splitlines():
            documents += 1
            counts.update({stem(w) for w in re.findall(r"[a-z]{2,}", str(json.loads(line).get("text", "")).lower())})
    for word, count in counts.most_common(_MOST):
        print(f"{word}\t{count * 10_000 // max(1, documents)}")


if __name__ == "__main__":
    main()
