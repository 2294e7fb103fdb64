"""Questions that name the day they ask about, to be asked of every version: what the words alone must decide.

The rows with a day of the versioned sets. Where a question does not say its day, the day is put before it, in one of a
few forms by turns; questions about "now" are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from bench.retrieval_data import SETS, Query, Relevant, load_queries
from bench.retrieval_quality import wants_every

_CFR = "dated cfr1013"
DATED: dict[str, tuple[str, str]] = {
    # name: knowledge base, documents
    _CFR: ("cfr1013", "cfr1013/docs"),
    **{f"dated {name}": SETS[name][:2] for name in ("nist80053", "asvs", "laws_zh-versions")},
}
_NOW = re.compile(r"现在|目前|today|now\b|currently", re.IGNORECASE)
_SAID = re.compile(r"(?:19|20)\d\d\s*年|\b(?:in|on|of)\s+(?:\w+\s+)?(?:19|20)\d\d", re.IGNORECASE)


def dated_queries(data: Path, name: str) -> list[Query]:
    """The questions of one of ``DATED``."""
    rows = _cfr_queries(data) if name == _CFR else load_queries(data, SETS[name.removeprefix("dated ")][2])
    asked = [row for row in rows if row.as_of is not None and not wants_every(row) and not _NOW.search(row.text)]
    return [replace(row, text=_with_day(row, number)) for number, row in enumerate(asked)]


def _with_day(query: Query, number: int) -> str:
    day = query.as_of
    if day is None or _SAID.search(query.text):
        return query.text
    forms: Sequence[str]
    if query.text.isascii():
        forms = (f"On {day.day} {day:%B} {day.year}: ", f"In {day:%B} {day.year}: ", f"On {day.isoformat()}: ")
    else:
        forms = (f"{day.year}年{day.month}月{day.day}日，", f"{day.year}年{day.month}月，")
    return forms[number % len(forms)] + query.text


def _cfr_queries(data: Path) -> Iterator[Query]:
    """The amounts that depend on the day: the version in force must be found, and in it the amount."""
    for line in (data / "cfr1013/answers.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if row.get("as_of") and row.get("must_cite") and row["type"].startswith("as_of"):
            amount = row["answers"][0] if row["answers"][0].startswith("$") else ""
            relevant = tuple(Relevant(document_id, amount) for document_id in row["must_cite"])
            yield Query(row["id"], row["question"], date.fromisoformat(row["as_of"]), relevant, row["type"])
