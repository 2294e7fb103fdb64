"""Passages as quotable sentences, and words as comparable terms, in English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

CJK = r"\u3400-\u9fff\uf900-\ufaff"
# Letters and digits with the marks that stand inside codes and numbers: E4027, ALM-209, 1013.2, 12.5%.
WORD = re.compile(rf"[A-Za-z0-9]+(?:[-./'][A-Za-z0-9]+)*%?|[{CJK}]+")
# Words that a hyphen joins; not the letters of a code (ALM-209), nor a single one (e-mail).
COMPOUND = re.compile(r"[A-Za-z][a-z]+(?:-[A-Za-z]?[a-z]+)+")
ABBREVIATIONS = frozenset((
    "e.g", "i.e", "approx", "vs", "dr", "mr", "ms", "ltd", "inc", "art", "sec", "no", "fig", "u.s", "a.m", "p.m", "etc",
    "cf",
))  # fmt: skip
STOP_WORDS = frozenset((
    "a", "an", "and", "are", "as", "at", "be", "because", "been", "being", "but", "by", "can", "could", "did", "do",
    "does", "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "may", "me", "much",
    "my", "of", "on", "or", "our", "shall", "should", "so", "than", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "those", "to", "under", "was", "we", "were", "what", "when", "where", "which", "who",
    "whom", "whose", "why", "will", "with", "would", "you", "your", "about", "many", "please", "tell",
))  # fmt: skip
STOP_CHARACTERS = frozenset("的了是吗呢吧啊么什怎哪谁着这那")
BULLETS = "-*+•"
HEADING = re.compile(r"^\s*#{1,6}\s+")
# "2." begins an item, "2.1.1" is the number of a requirement.
LIST_ITEM = re.compile(
    r"^\s*(?:[-*+•]|\(?\d{1,3}[.)、](?!\d)|（[一二三四五六七八九十\d]+）|[一二三四五六七八九十]+、)\s*"
)
TABLE_RULE = re.compile(r"^\s*\|?[\s:|-]+\|?\s*$")
LONGEST_SHOUTED_HEADING = 60
# [words](target) and ![words](target); a target may hold one level of brackets.
LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)")
FOOTNOTE = re.compile(r"\s*\[\d+(?:\s*,\s*\d+)*\](?:\([^()\s]*\))?")
END_MARK = re.compile(rf"[。！？]+[”』」）]?|[.!?]+[\"')\]]*(?=\s|$|[{CJK}])")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A quotable sentence. ``is_item`` marks a list item; ``start`` is its place in the passage, code points.

    ``cells`` of a table row are (header, cell) pairs, empty where the table has no header.
    """

    text: str
    start: int
    is_item: bool = False
    is_row: bool = False
    is_numbered: bool = False
    cells: tuple[tuple[str, str], ...] = ()


def sentences(text: str) -> list[Sentence]:
    """Sentences of a Markdown passage: prose split at end marks, one per list item, one per table row.

    Headings are no sentences. A table row is told with its header: ``Type: A320; Burn: 2.4 t/h``.
    """
    found: list[Sentence] = []
    header: list[str] = []
    offset = 0
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        start, offset = offset, offset + len(line)
        stripped = line.strip()
        if not stripped or HEADING.match(line) or _is_shouted(stripped):
            header = [] if not stripped else header
            continue
        if stripped.startswith("|"):
            if TABLE_RULE.match(stripped):
                continue
            cells = [_clean(c) for c in stripped.strip("|").split("|")]
            # A header stands over a rule; a table that was split goes on without one.
            if number + 1 < len(lines) and TABLE_RULE.match(lines[number + 1]) and "-" in lines[number + 1]:
                header = cells
            else:
                found.append(
                    Sentence(_row(header, cells), start, is_row=True, cells=tuple(zip(header, cells, strict=False)))
                )
            continue
        header = []
        item = LIST_ITEM.match(line)
        body = line[item.end() :] if item else line
        at = start + (item.end() if item else 0)
        parts = [(at + shift, _clean(part)) for shift, part in split_at_marks(body)]
        # An item of several sentences is prose with a number before it.
        is_item = item is not None and len(parts) <= 2
        if item and is_item:
            numbered = item.group().strip()[0] not in BULLETS
            found.append(Sentence(_clean(body), at, is_item=True, is_numbered=numbered))
        else:
            found += [Sentence(text, start) for start, text in parts]
    return [s for s in found if len(s.text) > 1]


def _is_shouted(line: str) -> bool:
    """True for a heading of plain text: a short line all in capitals."""
    return line.isupper() and len(line) <= LONGEST_SHOUTED_HEADING and not line.endswith((".", "。", "|"))


def sentence_at(text: str, position: int) -> str:
    """The quotable sentence of a passage that a code point lies in; empty if it lies in none, such as a heading."""
    line_end = text.find("\n", position)
    line = text[text.rfind("\n", 0, position) + 1 : line_end if line_end >= 0 else len(text)]
    if HEADING.match(line):
        return ""
    before = [s for s in sentences(text) if s.start <= position + _marker_length(line)]
    return before[-1].text if before else ""


def _marker_length(line: str) -> int:
    """A position at a list marker belongs to the item behind it."""
    marker = LIST_ITEM.match(line)
    return marker.end() if marker else 0


def _row(header: list[str], cells: list[str]) -> str:
    if not header:
        return "; ".join(c for c in cells if c)
    return "; ".join(f"{h}: {c}" if h else c for h, c in zip(header, cells, strict=False) if c)


def split_at_marks(line: str) -> Iterable[tuple[int, str]]:
    """(place, sentence) of one line; abbreviations, decimals and initials end none."""
    start = 0
    for mark in END_MARK.finditer(line):
        before = line[start : mark.start()]
        last = before.rsplit(None, 1)[-1].lower().lstrip("(") if before.strip() else ""
        if mark.group().startswith(".") and (last in ABBREVIATIONS or (len(last) == 1 and last.isalpha())):
            continue
        yield start, line[start : mark.end()]
        start = mark.end()
    if line[start:].strip():
        yield start, line[start:]


def _clean(text: str) -> str:
    """White space squeezed, emphasis marks dropped: what a reader of the rendered page sees.

    Link targets and numbers in brackets are dropped as well: a document's "[2]" would read as the answer's own
    citation of its second source, and no link of a document becomes a link of the answer.
    """
    if "[" in text:
        text = LINK.sub(r"\1", FOOTNOTE.sub("", text))
    return " ".join(re.sub(r"\*\*|__|`", "", text).split())


def terms(text: str, *, parts: bool = True) -> frozenset[str]:
    """Comparable terms: lower-case words without stop words, Chinese as character bigrams.

    With ``parts`` a compound stands for its words as well: who asks when something goes live means its go-live.
    """
    found: set[str] = set()
    for match in WORD.finditer(text):
        word = match.group()
        if "\u3400" <= word[0] <= "\ufaff":
            kept = "".join(c if c not in STOP_CHARACTERS else " " for c in word)
            for run in kept.split():
                found.update(run[i : i + 2] for i in range(len(run) - 1))
                if len(run) == 1:
                    found.add(run)
            continue
        words = [word, *word.split("-")] if parts and COMPOUND.fullmatch(word) else [word]
        found.update(_stem(w.lower()) for w in words if w.lower() not in STOP_WORDS)
    return frozenset(found)


def _stem(word: str) -> str:
    """Plural and simple verb endings only: a full stemmer would merge codes and names."""
    if any(c.isdigit() for c in word) or len(word) < 5:
        return word
    for ending, replacement in (
        ("ies", "y"),
        ("sses", "ss"),
        ("ing", ""),
        ("ed", ""),
        ("es", "e"),
        ("s", ""),
    ):
        if word.endswith(ending) and not word.endswith("ss"):
            word = word[: -len(ending)] + replacement
            break
    # "decide", "decides", "decided" and "deciding" are one term.
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


def overlap(wanted: frozenset[str], given: frozenset[str]) -> float:
    """Share of the wanted terms that are given, in [0, 1]; 0 if nothing is wanted."""
    return len(wanted & given) / len(wanted) if wanted else 0.0


def estimate_tokens(text: str) -> int:
    """About how many tokens a model reads: four characters a token, one for each Chinese character."""
    chinese = sum(1 for c in text if "\u3400" <= c <= "\ufaff")
    return chinese + (len(text) - chinese + 3) // 4


def is_chinese(text: str) -> bool:
    """True if Chinese characters carry the text."""
    chinese = sum(1 for c in text if "\u3400" <= c <= "\u9fff")
    latin = sum(1 for c in text if c.isascii() and c.isalpha())
    return chinese > 0 and chinese * 3 >= latin
