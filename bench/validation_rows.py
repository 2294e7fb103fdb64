"""Further rows for sufficiency, made from the retrieval sets: what the labelled file has none of.

``neighbours``: a question of xquad with its paragraph among others of the same article (sufficient), and with the
others only (insufficient): several passages on one topic that do not contradict each other, in both languages and
across them. ``retrieved``: the eight best passages by BM25 for questions on the GDPR and on Chinese statutes, with and
without the passages that hold the gold text: what a search really returns.
"""

from __future__ import annotations

import html
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.validation_data import bm25_scorer, read_rows, words

Row = dict[str, Any]
# (text, title, document)
Passage = tuple[str, str, str]
PAIRS = ("en", "zh", "zh2en", "en2zh")
_MOST_OTHERS = 4
_RETRIEVED = 8
_PARAGRAPH_WORDS = 110
_ARTICLE = re.compile(r"\n(?=\s*第[一二三四五六七八九十百千零〇]+条)")


def neighbours(data: Path, every: int = 4) -> Iterator[Row]:
    """Two rows for every ``every``-th question of xquad, in each direction; ``key`` names the question."""
    documents = [d for lang in ("en", "zh") for d in read_rows(data / f"xquad/documents-{lang}.jsonl")]
    known = {d["document_id"]: d for d in documents}
    articles: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
    for document in documents:
        articles[document["language"], document["title"]].append(document)
    for pair in PAIRS:
        for number, query in list(enumerate(read_rows(data / f"xquad/queries-{pair}.jsonl")))[::every]:
            gold = known[query["relevant"][0]["document_id"]]
            others = [d for d in articles[gold["language"], gold["title"]] if d is not gold]
            order = random.Random(query["query_id"])
            order.shuffle(others)
            mixed = [gold, *others[: order.randint(0, _MOST_OTHERS)]]
            order.shuffle(mixed)
            key = f"xquad-{number}"
            yield _row(f"xquad_{pair}-{number}-s", key, query, [_passage(d) for d in mixed], "sufficient")
            if others:
                kept = [_passage(d) for d in others[: order.randint(1, _MOST_OTHERS)]]
                yield _row(f"xquad_{pair}-{number}-i", key, query, kept, "insufficient")


def _passage(document: Row) -> Passage:
    return document["text"], document["title"], document["document_id"]


def retrieved(data: Path, every: int = 5) -> Iterator[Row]:
    """What BM25 finds for questions on the GDPR (all) and on Chinese statutes (every ``every``-th)."""
    regulation = [(text, "General Data Protection Regulation", "gdpr") for text in _regulation(data)]
    yield from _searched("gdpr", regulation, read_rows(data / "gdpr/queries.jsonl"))
    questions = [q for q in read_rows(data / "laws_zh/queries.jsonl") if q["type"] != "stale_version"]
    yield from _searched("laws", list(_statutes(data)), questions[::every])


def _searched(name: str, passages: Sequence[Passage], queries: Sequence[Row]) -> Iterator[Row]:
    score = bm25_scorer([text for text, *_ in passages])
    flat = ["".join(text.split()) for text, *_ in passages]
    sets = [set(words(text)) for text, *_ in passages]
    for query in queries:
        asked = set(words(query["query"]))
        near = [i for i, known in enumerate(sets) if len(asked & known) * 3 >= len(asked)]
        best = sorted(near, key=lambda i: -score(query["query"], [passages[i][0]]))[:_RETRIEVED]
        gold = ["".join(r["contains"].split()) for r in query["relevant"] if r.get("contains")]
        holds = {i for i in best if any(g in flat[i] for g in gold)}
        key = f"{name}-{query['query_id']}"
        if holds:
            yield _row(f"{key}-s", key, query, [passages[i] for i in best], "sufficient")
        rest = [passages[i] for i in best if i not in holds]
        if rest:
            yield _row(f"{key}-i", key, query, rest, "insufficient")


def _row(row_id: str, key: str, query: Row, passages: Sequence[Passage], label: str) -> Row:
    chunks = [
        {"chunk_id": f"c{i}", "text": text, "metadata": {"title": title, "document_id": document}}
        for i, (text, title, document) in enumerate(passages)
    ]
    return {
        "id": row_id, "key": key, "question": query["query"], "language": query["language"], "chunks": chunks,
        "label": label,
    }  # fmt: skip


def _regulation(data: Path) -> Iterator[str]:
    """The paragraphs of the HTML regulation, joined to about a hundred words, cut at articles."""
    page = next((data / "gdpr/docs").glob("*.html")).read_text(encoding="utf-8", errors="replace")
    bare = html.unescape(re.sub(r"<[^>]+>", "\n", re.sub(r"(?s)<(script|style).*?</\1>", " ", page)))
    current = ""
    for line in filter(None, (" ".join(part.split()) for part in bare.split("\n"))):
        if current and (re.fullmatch(r"Article \d+", line) or len(current.split()) > _PARAGRAPH_WORDS):
            yield current
            current = ""
        current = f"{current} {line}".strip()
    yield current


def _statutes(data: Path) -> Iterator[Passage]:
    """The articles of the newest version of every statute, with its name."""
    newest = {path.name.split("(")[0]: path for path in sorted((data / "laws_zh/docs").glob("*.md"))}
    for name, path in newest.items():
        for part in _ARTICLE.split(path.read_text(encoding="utf-8"))[1:]:
            yield part.strip(), name, name
