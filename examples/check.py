#!/usr/bin/env python3
"""Checks the example corpus and its questions. Standard library only; exit status 1 if anything is wrong.

Run: python3 examples/check.py
"""

import datetime
import fnmatch
import html.parser
import json
import re
import sys
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
CORPUS = ROOT / "corpus"
SUFFIXES = {".md", ".txt", ".html", ".docx", ".jsonl"}
DATES = ("published_at", "effective_from", "effective_to")
FIELDS = {
    "document_id", "title", "language", "doc_type", "authority", "version",
    "published_at", "effective_from", "effective_to", "supersedes", "access_groups",
}  # fmt: skip
REQUIRED = ("document_id", "title", "language", "doc_type", "authority", "version", "published_at")
DOC_TYPES = {"regulation", "manual", "how_to", "faq", "report", "note"}
TYPES = {
    "comparison", "how_to", "growth", "as_of_superseded", "as_of_current", "refuse", "cross_lingual",
    "conflict", "access", "error_code", "list", "quantify", "verify", "multi_part",
}  # fmt: skip
ACTIONS = {
    "lookup", "compare", "explain", "how_to", "list", "summarize",
    "quantify", "verify", "troubleshoot", "recommend",
}  # fmt: skip
QUESTION_KEYS = {
    "id", "question", "kb", "language", "as_of", "groups", "expect", "answers", "must_cite",
    "cite", "must_not_cite", "derived", "action", "type", "shows", "demo",
}  # fmt: skip

Row = dict[str, Any]
problems: list[str] = []


def bad(where: object, what: str) -> None:
    problems.append(f"{where}: {what}")


def squeeze(text: str) -> str:
    """Text as accepted strings are compared: without white space and case."""
    return re.sub(r"\s+", "", text).casefold()


class _Text(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


def read_text(path: Path) -> str:
    if path.suffix == ".docx":
        with zipfile.ZipFile(path) as archive:
            xml = archive.read("word/document.xml").decode("utf-8")
        return re.sub(r"<[^>]+>", "", re.sub(r"</w:p>", "\n", xml))
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        parser = _Text()
        parser.feed(text)
        return " ".join(parser.parts)
    return text


def parse_date(where: object, value: object) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(str(value))
    except ValueError:
        bad(where, f"not a date: {value!r}")
        return None


def load_jsonl(path: Path) -> list[Row]:
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError as error:
            bad(f"{path.name}:{number}", f"not JSON: {error}")
    return rows


def load_meta(folder: Path) -> list[Row]:
    """Entries of meta.yaml. Each stands on one line in YAML flow style, which is JSON too."""
    entries = []
    for number, line in enumerate((folder / "meta.yaml").read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        where = f"{folder.name}/meta.yaml:{number}"
        try:
            entry = json.loads(line.removeprefix("- "))
        except json.JSONDecodeError as error:
            bad(where, f"not one flow-style entry: {error}")
            continue
        if set(entry) != {"match", "set"}:
            bad(where, f"keys are {sorted(entry)}, not match and set")
            continue
        for key in set(entry["set"]) - FIELDS:
            bad(where, f"unknown field {key}")
        entries.append({"where": where, **entry})
    return entries


def load_folder(folder: Path) -> list[Row]:
    documents = []
    entries = load_meta(folder)
    files = sorted(p for p in folder.rglob("*") if p.is_file() and p.name != "meta.yaml")
    names = {path: path.relative_to(folder).as_posix() for path in files}
    for entry in entries:
        if not any(fnmatch.fnmatchcase(name, entry["match"]) for name in names.values()):
            bad(entry["where"], f"{entry['match']} matches no file")
    for path, name in names.items():
        if path.suffix not in SUFFIXES:
            bad(path.relative_to(ROOT), f"unexpected kind of file {path.suffix}")
        elif path.suffix == ".jsonl":
            documents += [
                {"kb": folder.name, "where": f"{name} {row.get('document_id')}", **row} for row in load_jsonl(path)
            ]
        else:
            record: Row = {
                "kb": folder.name,
                "where": path.relative_to(ROOT).as_posix(),
                "text": read_text(path),
            }
            for entry in entries:
                if fnmatch.fnmatchcase(name, entry["match"]):
                    record.update(entry["set"])
            documents.append(record)
    return documents


def check_documents(documents: list[Row]) -> dict[str, Row]:
    by_id: dict[str, Row] = {}
    for document in documents:
        where = document["where"]
        for key in REQUIRED:
            if not document.get(key):
                bad(where, f"has no {key}")
        if not document.get("text", "").strip():
            bad(where, "has no text")
        identifier = document.get("document_id", "")
        if identifier in by_id:
            bad(where, f"document_id {identifier} is taken by {by_id[identifier]['where']}")
        by_id[identifier] = document
        if document.get("language") not in {"en", "zh"}:
            bad(where, f"language is {document.get('language')!r}")
        if document.get("doc_type") not in DOC_TYPES:
            bad(where, f"doc_type is {document.get('doc_type')!r}")
        if document.get("authority") not in range(1, 6):
            bad(where, f"authority is {document.get('authority')!r}")
        for key in DATES:
            document[key] = parse_date(where, document[key]) if key in document else None
        start, end = document["effective_from"], document["effective_to"]
        if start and end and start > end:
            bad(where, "effective_to lies before effective_from")
    for document in documents:
        if "supersedes" not in document:
            continue
        older = by_id.get(document["supersedes"])
        if older is None:
            bad(document["where"], f"supersedes the unknown {document['supersedes']}")
        elif older["effective_to"] != document["effective_from"] - datetime.timedelta(days=1):
            bad(document["where"], f"does not begin on the day after {older['document_id']} ends")
    return by_id


def in_force(document: Row, day: datetime.date) -> bool:
    start, end = document["effective_from"], document["effective_to"]
    return (start is None or start <= day) and (end is None or day <= end)


def check_questions(rows: list[Row], by_id: dict[str, Row]) -> None:
    seen = set()
    folders = {document["kb"] for document in by_id.values()}
    for row in rows:
        where = row.get("id", "a question without id")
        if where in seen:
            bad(where, "id is taken")
        seen.add(where)
        for key in set(row) - QUESTION_KEYS:
            bad(where, f"unknown key {key}")
        if row["kb"] is not None and row["kb"] not in folders:
            bad(where, f"unknown knowledge base {row['kb']}")
        if row["language"] not in {"en", "zh"} or row["type"] not in TYPES or row["action"] not in ACTIONS:
            bad(where, "language, type or action is not a known one")
        if row["expect"] not in {"answer", "refuse"} or (row["expect"] == "answer") != bool(row["answers"]):
            bad(where, "expect and answers do not fit together")
        if (row["expect"] == "answer") != bool(row["must_cite"]):
            bad(where, "expect and must_cite do not fit together")
        day = parse_date(where, row["as_of"]) if "as_of" in row else datetime.date.today()
        for identifier in row["must_cite"] + row.get("must_not_cite", []):
            if identifier not in by_id:
                bad(where, f"names the unknown document {identifier}")
        cited = [by_id[identifier] for identifier in row["must_cite"] if identifier in by_id]
        for document in cited:
            if row["kb"] not in (None, document["kb"]):
                bad(where, f"{document['document_id']} is not in {row['kb']}")
            if day and not in_force(document, day):
                bad(where, f"{document['document_id']} is not in force on {day}")
            hidden = document.get("access_groups")
            if hidden and not set(hidden) & set(row.get("groups", [])):
                bad(where, f"{document['document_id']} is hidden from this caller")
        texts = [squeeze(document["text"]) for document in cited]
        if row.get("derived") or row["expect"] == "refuse":
            continue
        for answer in row["answers"]:
            if not any(squeeze(answer) in text for text in texts):
                bad(where, f"{answer!r} stands in no document of must_cite")
        for text, identifier in zip(texts, row["must_cite"], strict=False):
            if row.get("cite") == "all" and not any(squeeze(answer) in text for answer in row["answers"]):
                bad(where, f"{identifier} must be cited but holds no accepted string")


def main() -> int:
    documents = [d for folder in sorted(CORPUS.iterdir()) if folder.is_dir() for d in load_folder(folder)]
    by_id = check_documents(documents)
    rows = load_jsonl(ROOT / "questions.jsonl")
    check_questions(rows, by_id)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        return 1
    demo = sum(bool(row.get("demo")) for row in rows)
    print(f"{len(documents)} documents, {len(rows)} questions ({demo} in the demo): all is well")
    return 0


if __name__ == "__main__":
    sys.exit(main())
