"""Rows of public sets that share no claim and no question with the labelled files: more to learn from, never reported.

``claims_of``: the claims of WiCE (public repository ryokamoi/wice, commit ddeb6c183665e2a20c5f03c5aa07f03888b9870f,
``data/entailment_retrieval/claim/test.jsonl``; annotations ODC-BY). The labelled claims are of its dev split; its train
split is not at hand, so its test split is learnt from and no figure may be given on it.

``namesakes``: questions of RAMDocs (public repository HanNight/RAMDocs, commit
d44454c9ebb0bf513d8236a03decc9fb58704cad, ``RAMDocs_test.jsonl``; MIT) that several namesakes answer. The labelled rows
hold those with one answer.
"""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.validation_data import read_rows, words

Row = dict[str, Any]
_META, _TITLE = "(meta data) ", "(meta data) TITLE: "
_MOST_WORDS = 400
_MOST_NEIGHBOURS = 12


def claims_of(path: Path) -> Iterator[Row]:
    """A row a claim in the form of the labelled claims: the chunk is what supports it, else what shares most words."""
    for number, row in enumerate(read_rows(path)):
        page = [sentence for sentence in row["evidence"] if not sentence.startswith(_META)]
        place = {sentence: i for i, sentence in enumerate(page)}
        groups = [
            [place[row["evidence"][i]] for i in group if row["evidence"][i] in place]
            for group in row["supporting_sentences"]
        ]
        supporting = min(filter(None, groups), key=len, default=[])
        text = _around(page, supporting) if supporting else _nearest(page, row["claim"])
        title = next((s.removeprefix(_TITLE) for s in row["evidence"] if s.startswith(_TITLE)), "")
        yield {
            "id": f"wice-test-{number}",
            "question": f"What does the source say about {row['meta']['claim_title']}?",
            "language": "en",
            "answer": f"{row['claim'].strip()} [1]",
            "chunks": [{"chunk_id": "c1", "text": text, "metadata": {"title": title}}],
            "label": "valid" if row["label"] == "supported" else "invalid",
            "issues": [],
        }


def _around(page: Sequence[str], supporting: Sequence[int]) -> str:
    """The supporting sentences with as many neighbours as fit; a gap is marked."""
    kept = set(supporting)
    for reach in range(1, _MOST_NEIGHBOURS + 1):
        wider = {j for i in supporting for j in range(i - reach, i + reach + 1) if 0 <= j < len(page)}
        if sum(len(page[j].split()) for j in wider) > _MOST_WORDS:
            break
        kept = wider
    order = sorted(kept)
    parts = [page[order[0]].strip()]
    for before, i in itertools.pairwise(order):
        parts += [page[i].strip()] if i == before + 1 else ["…", page[i].strip()]
    return " ".join(parts)


def _nearest(page: Sequence[str], claim: str) -> str:
    """The window of the page that holds most of the claim's words, the first of equals."""
    asked = set(words(claim))
    best, text = -1, ""
    for start in range(len(page)):
        end, length = start, 0
        while end < len(page) and (end == start or length + len(page[end].split()) <= _MOST_WORDS):
            length += len(page[end].split())
            end += 1
        window = " ".join(sentence.strip() for sentence in page[start:end])
        shared = len(asked & set(words(window)))
        if shared > best:
            best, text = shared, window
    return text


def namesakes(path: Path, labelled: Collection[str]) -> Iterator[Row]:
    """Rows of the questions that are not ``labelled``: the passages of one answer, with noise, with misinformation.

    Right passages and noise are sufficient, with misinformation conflicting, noise alone is insufficient.
    """
    for number, row in enumerate(read_rows(path)):
        by_answer: defaultdict[str, list[str]] = defaultdict(list)
        for document in row["documents"]:
            if document["type"] == "correct":
                by_answer[document["answer"]].append(document["text"])
        if row["question"] in labelled or not by_answer:
            continue
        order = random.Random(row["question"])
        right = by_answer[order.choice(sorted(by_answer))]
        noise, wrong = ([d["text"] for d in row["documents"] if d["type"] == kind] for kind in ("noise", "misinfo"))
        key = f"namesakes-{number}"
        yield _passages(f"{key}-s", key, row, [*right, *noise], "sufficient", order)
        if noise:
            yield _passages(f"{key}-i", key, row, noise, "insufficient", order)
        if wrong:
            yield _passages(f"{key}-c", key, row, [*right, *wrong, *noise], "conflicting", order)


def _passages(row_id: str, key: str, row: Row, texts: Sequence[str], label: str, order: random.Random) -> Row:
    chunks = [
        {"chunk_id": f"c{i}", "text": text, "metadata": {}}
        for i, text in enumerate(order.sample(texts, len(texts)), start=1)
    ]
    return {"id": row_id, "key": key, "question": row["question"], "language": "en", "chunks": chunks, "label": label}
