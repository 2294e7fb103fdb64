"""Real sentences quoted verbatim (never a false alarm) and with one digit changed (always an alarm).

usage: python -m bench.validation_quotes [--data SHARED_DATA] [--per-set 150] [--half 0|1|all] [--show]

Sentences of the regulations, laws and standards are drawn by the hash of their text, cut as the product stores them,
and cited among four other passages of the same document on a day when the document is in force. ``--half`` draws only
sentences whose hash is even or odd, so that rules are mended on one half and reported on the other. "asked" are real
questions with the sentence that holds their marked answer.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from bench.retrieval_data import load_documents, load_queries, normalise
from services.common.domain.document import Chunk, DocumentMetadata
from services.common.domain.verdict import Severity, Verdict
from services.retrieval.domain.documents import PreparedDocument
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.service.prepare import Preparer
from services.validation.adapters.config import default_config
from services.validation.domain.reading.citation_marks import citation_numbers
from services.validation.domain.reading.statements import split_statements
from services.validation.validator import validate_answer

TODAY = date(2026, 11, 30)
SETS = ("cfr1013", "gdpr", "asvs", "nist80053", "laws_zh")
ASKED = ("gdpr", "laws_zh")
_NEIGHBOURS = 4
_LEAST_CHARACTERS = 18
_LONGEST = 600
# Digits inside addresses and markup are neither figures nor names.
_NO_FIGURE = re.compile(r"https?://\S+|\{#[^}]*\}|\([^()]*\.md[^()]*\)")


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of a passage with the passages around it; ``place`` is the passage's position from 1."""

    text: str
    question: str
    chunks: tuple[Chunk, ...]
    place: int
    day: date | None


def _rank(text: str) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest(), 16)


def _count(text: str) -> int:
    """Tokens, roughly: words and Chinese characters."""
    return len(re.findall(r"[A-Za-z0-9]+|[\u4e00-\u9fff]|[^\w\s]", text))


def passages_of(data: Path, name: str) -> Iterator[list[Chunk]]:
    """The chunks of every document of a set, as the product would store them."""
    preparer = Preparer("bench", IngestConfig(), _count, {}.get, "bench")
    for item in load_documents(data, f"{name}/docs"):
        for part in preparer.split(item):
            for prepared in preparer.prepare(part):
                if isinstance(prepared, PreparedDocument):
                    yield [_chunk(prepared, number) for number in range(len(prepared.chunks))]


def _chunk(prepared: PreparedDocument, number: int) -> Chunk:
    draft = prepared.chunks[number]
    metadata: DocumentMetadata = prepared.metadata
    return Chunk(
        f"{metadata.document_id}#{number}",
        metadata,
        prepared.text[draft.start : draft.end],
        ordinal=draft.ordinal,
        heading_path=draft.heading_path,
    )


def quotes_of(data: Path, name: str, wanted: int, half: str) -> list[Quote]:
    """Sentences of a set, those with the smallest hashes."""
    found: list[tuple[int, str, list[Chunk], int]] = []
    seen: set[str] = set()
    for chunks in passages_of(data, name):
        for place, chunk in enumerate(chunks):
            for text in _sentences(chunk.text):
                rank = _rank(text)
                if text in seen or (half != "all" and (rank >> 8) % 2 != int(half)):
                    continue
                seen.add(text)
                found.append((rank, text, chunks, place))
    found.sort(key=lambda item: item[0])
    return [_quote(text, chunks, place, rank) for rank, text, chunks, place in found[:wanted]]


def _sentences(text: str) -> Iterator[str]:
    for statement in split_statements(text):
        body = re.sub(r"[*_`]|\{#[^}]*\}|<[^<>]*>", "", statement.text).strip()
        headed = body.startswith(("#", "|", "!", "[")) or "|" in body
        complete = body.endswith((".", "。", "；", ";")) and not body.endswith(("..", "etc."))
        if headed or not complete or citation_numbers(body) or not _LEAST_CHARACTERS <= len(body) <= _LONGEST:
            continue
        told = re.sub(r"^(?:[-*•]|\d+\.|[(（][0-9a-zA-Z]{1,4}[)）])\s+", "", body)
        if len(told) >= _LEAST_CHARACTERS and len(split_statements(told)) == 1:
            yield told


def _quote(text: str, chunks: Sequence[Chunk], place: int, rank: int) -> Quote:
    others = [c for i, c in enumerate(chunks) if i != place]
    others.sort(key=lambda c: _rank(c.chunk_id + text))
    chosen = others[:_NEIGHBOURS]
    position = rank % (len(chosen) + 1)
    shown = (*chosen[:position], chunks[place], *chosen[position:])
    han = re.search(r"[\u4e00-\u9fff]", text) is not None
    document = chunks[place].document
    day = document.effective_to or document.effective_from
    return Quote(text, "文件是怎么说的？" if han else "What does the document say?", shown, position + 1, day)


def asked_of(data: Path, name: str, wanted: int, half: str) -> list[Quote]:
    """The questions of a set that one article answers, each with the sentences that hold the marked answer."""
    documents = {chunks[0].document.document_id: chunks for chunks in passages_of(data, name) if chunks}
    found: list[tuple[int, Quote]] = []
    for query in load_queries(data, [f"{name}/queries.jsonl"]):
        rank = _rank(query.text)
        if len(query.relevant) != 1 or (half != "all" and (rank >> 8) % 2 != int(half)):
            continue
        chunks = documents.get(query.relevant[0].document_id, [])
        for place, chunk in enumerate(chunks):
            told = [t for t in _sentences(chunk.text) if query.relevant[0].contains in normalise(t)]
            if told:
                quote = _quote(told[0], chunks, place, rank)
                found.append((rank, replace(quote, question=query.text, day=query.as_of or quote.day)))
                break
    found.sort(key=lambda item: item[0])
    return [quote for _, quote in found[:wanted]]


def judge(quote: Quote, text: str) -> Verdict:
    """The verdict on a sentence cited to its passage."""
    end = re.search(r"[.。；;]$", text)
    stem, mark = (text[: end.start()], end.group()) if end else (text, "")
    answer = f"{stem} [{quote.place}]{mark.replace('；', '。').replace(';', '.')}"
    return validate_answer(quote.question, None, answer, quote.chunks, quote.day, TODAY, default_config())


def changed_digits(quote: Quote) -> Iterator[tuple[str, str, str]]:
    """The sentence with one digit changed, once for every figure: (sentence, figure, changed figure).

    The new figure stands nowhere in the passages shown.
    """
    masked = _NO_FIGURE.sub(lambda m: " " * len(m.group()), quote.text)
    known = " ".join(c.text for c in quote.chunks)
    for match in re.finditer(r"\d+", masked):
        rank = _rank(quote.text + str(match.start()))
        digits = match.group()
        place = rank % len(digits)
        for step in range(1, 10):
            digit = str((int(digits[place]) + (rank // 16 + step) % 9 + 1) % 10)
            changed = digits[:place] + digit + digits[place + 1 :]
            if (
                digit != digits[place]
                and not changed.startswith("0")
                and not re.search(rf"(?<!\d){changed}(?!\d)", known)
            ):
                yield quote.text[: match.start()] + changed + quote.text[match.end() :], digits, changed
                break


def measure(
    name: str, quotes: Sequence[Quote], show: bool, digits: bool = True
) -> dict[str, float | int | str | dict[str, int]]:
    """False alarms on the sentences, catches on their changed figures."""
    alarms: Counter[str] = Counter()
    wrong = tried = caught = 0
    for quote in quotes:
        verdict = judge(quote, quote.text)
        issues = [i for i in verdict.issues if i.severity is Severity.BLOCK]
        if issues:
            wrong += 1
            alarms.update({f"{i.check_id} {i.type.value}" for i in issues})
            if show:
                print(f"[{name}] ALARM {quote.text}")
                for issue in issues:
                    print(f"      {issue.check_id} {issue.type.value}: {issue.message}")
        for text, old, new in changed_digits(quote) if digits else ():
            tried += 1
            if judge(quote, text).valid:
                if show:
                    print(f"[{name}] MISSED {old} -> {new}: {text}")
            else:
                caught += 1
    return {
        "set": name,
        "sentences": len(quotes),
        "false_alarms": wrong,
        "false_alarm_rate": round(wrong / max(1, len(quotes)), 4),
        "figures_changed": tried,
        "caught": caught,
        "catch_rate": round(caught / max(1, tried), 4),
        "alarms_by_check": dict(alarms.most_common()),
    }


def main() -> None:
    """Print one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("TRIRAG_SHARED_DATA", default)))
    parser.add_argument("--per-set", type=int, default=150)
    parser.add_argument("--half", choices=("0", "1", "all"), default="all")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    results = [
        measure(name, quotes_of(options.data, name, options.per_set, options.half), options.show) for name in SETS
    ]
    asked = [
        measure(f"{name} questions", asked_of(options.data, name, options.per_set, options.half), options.show, False)
        for name in ASKED
    ]
    total = sum(int(str(r["sentences"])) for r in results)
    tried = sum(int(str(r["figures_changed"])) for r in results)
    print(
        json.dumps(
            {
                "sets": results,
                "sentences": total,
                "false_alarm_rate": round(sum(int(str(r["false_alarms"])) for r in results) / max(1, total), 4),
                "figures_changed": tried,
                "catch_rate": round(sum(int(str(r["caught"])) for r in results) / max(1, tried), 4),
                "asked": asked,
            },
            indent=2,
            ensure_ascii=False,
        )
    )


if __name__ == "__main__":
    main()
