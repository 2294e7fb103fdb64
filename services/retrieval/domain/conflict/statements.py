"""Sentences that state numbers or dates, taken apart: what they speak of, and the values that they give it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from services.retrieval.domain.conflict.clauses import Clause, clauses, without_channels
from services.retrieval.domain.conflict.light_words import is_light
from services.retrieval.domain.conflict.meanings import Meanings
from services.retrieval.domain.conflict.sayings import Manner, as_bound, is_aside, is_own, is_resolved, manner
from services.retrieval.domain.conflict.table_sentences import row_sentences
from services.retrieval.domain.conflict.wording import Wording
from services.retrieval.domain.passages.plain import plain_text
from services.retrieval.domain.passages.structure import BlockKind, parse_blocks, sentence_spans, table_rows
from services.retrieval.domain.values.number_words import ENGLISH_NUMBER, HAN_AMOUNT, with_figured_days
from services.retrieval.domain.values.stated_values import OF_A_DAY, Value, key_form, read_values, without_values
from services.retrieval.domain.values.time_spans import OFTEN, as_last, untied
from services.retrieval.domain.values.value_patterns import KEY, VERBS

_MAX_WORDS = 60
_SENTENCE_CHARACTERS = 400
# No sentence goes on for so long: what is read of one, so that a text that never ends one stays cheap.
_READ_CHARACTERS = 4_000
_WORD = re.compile(r"[A-Za-z]+(?:'(?!s(?![A-Za-z]))[A-Za-z]+)?|[\u3400-\u9fff]+")
# The number that opens a list item or a requirement is neither.
_OPENING = re.compile(
    r"^[\s\-*•·]*(?:第[零〇一二两三四五六七八九十百千\d]+条(?:之[一二三四五六七八九十])?(?=[\s:：])|§+\s?\d[\w.\-()]*"
    # AC-2(3), but not KX-200 weighs
    rf"|[A-Z]{{2,5}}-\d+(?:\(\d+\))*(?!\d|\s(?:{VERBS})\s|[\u3400-\u9fff])"
    r"|[A-Z]?\d+(?:\.\d+)+(?=\s|[:：])|\d{1,3}[.)、](?!\d)|[（(]\w{1,3}[)）]|[一二三四五六七八九十]{1,3}、)[\s:：.]*"
)
# A title or heading that begins with a code is about what it names.
_MODEL = re.compile(r"[A-Z]{2,5}-\d+(?![\d(.])")
_NUMBERING = re.compile(
    r"^(?:(?:article|section|chapter|part|annex|appendix)\s+[\dA-Z][\w.\-]*|第[零〇一二两三四五六七八九十百千\d]+[编章节条]|V\d[\d.]*)(?![\w-])[\s:：.,—–-]*",
    re.IGNORECASE,
)
_HAS_VALUE = re.compile(
    rf"\d|(?:{HAN_AMOUNT}|半)(?:个?[天日周年月次位名人倍元成]|个?小时|个?工作日|星期|分钟|季度|公斤|千克|公里|[吨米])"
    rf"|分之|half |{ENGLISH_NUMBER}|twice|{OFTEN.pattern}",
    re.IGNORECASE,
)
# Of so few words a clause leaves out what the one before it names.
_ELLIPTIC = 1
# Where a statement is taken from.
_CITATION = re.compile(r"\[\s?\d{1,3}\s?\]")
_PARENTHESES = re.compile(r"\([^()\d]*\)")
# So many words in parentheses explain, fewer restrict: (part-time), （试用期员工）.
_EXPLAINING, _EXPLAINING_CHARACTERS = 5, 8
_QUESTION = re.compile(r"[?？][\"'”’*_]*$")
_ASKS = re.compile(r"^[\s*_>\-]*(?:Q|Question|问|问题)\s*\d*\s*[:：.]|^[\s*_]*(?:A|Answer|答)\s*[:：.]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence with values.

    ``subject`` holds the words that it speaks of in their order, light words left out, and ``keys`` the periods, codes
    and places in a text that it names, sorted, as one text each, for tens of thousands of them stay in memory.
    ``stated`` are its numbers, or its dates if it has no number. ``heading_path`` is where it stands. ``manner`` tells
    how it gives its values. ``own``: it speaks of its document or of something named before, as "It was
    released in" does. ``beside`` are the words of the rest of the sentence, or of the one before to which "it" points
    (``resolved``).
    """

    document_id: str
    sentence: str
    subject: str
    keys: str
    stated: tuple[Value, ...]
    manner: Manner
    heading_path: tuple[str, ...] = ()
    own: bool = False
    beside: str = ""
    resolved: bool = False

    @property
    def values(self) -> tuple[str, ...]:
        """The values in their normal form, in order."""
        return tuple(value.text for value in self.stated)

    @property
    def words(self) -> tuple[str, ...]:
        """The words of ``subject``."""
        return tuple(self.subject.split())

    @property
    def beside_words(self) -> tuple[str, ...]:
        """The words of ``beside``."""
        return tuple(self.beside.split())


def statements(document_id: str, text: str, wording: Wording, meanings: Meanings) -> list[Statement]:
    """The sentences of ``text`` that state numbers or dates, each once below one heading.

    What is told of another time, as an example or as a supposition is left out.
    """
    found: dict[tuple[str, str, tuple[str, ...], tuple[str, ...]], Statement] = {}
    for whole, path, before in _sentences(text):
        raw = _beginning(whole)
        if not _HAS_VALUE.search(raw):
            continue
        for statement in _statements(document_id, raw, path, before, wording, meanings):
            key = (statement.sentence, statement.subject, statement.values, statement.heading_path[-1:])
            found.setdefault(key, statement)
    return list(found.values())


def subject_words(text: str, wording: Wording, meanings: Meanings) -> frozenset[str]:
    """Words of a title or heading that tell what it is about: no light words, numbers or keys."""
    return frozenset(_words(without_values(unicodedata.normalize("NFKC", text)), wording, meanings))


def subject_keys(text: str) -> frozenset[str]:
    """Codes, periods and the like that a title or heading names; a number that opens it tells only where it stands."""
    told = unicodedata.normalize("NFKC", text).strip()
    if not _MODEL.match(told):
        told = _NUMBERING.sub("", _OPENING.sub("", told, count=1))
    told = with_figured_days(told)
    return frozenset(key_form(match.group()) for match in KEY.finditer(told))


def _sentences(text: str) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Sentences with the headings above them and the sentence before in the same paragraph."""
    path: list[tuple[int, str]] = []
    titles: tuple[str, ...] = ()
    for block in parse_blocks(text):
        if block.kind is BlockKind.HEADING:
            while path and path[-1][0] >= block.level:
                path.pop()
            path.append((block.level, block.title))
            titles = tuple(title for _, title in path)
            continue
        if block.kind is BlockKind.TABLE:
            rows = [text[start:end] for start, end in table_rows(text, block)]
            yield from ((raw, titles, "") for row in rows[2:] for raw in row_sentences(row, rows[0], _HAS_VALUE))
        elif block.kind in (BlockKind.PARAGRAPH, BlockKind.LIST):
            spans = sentence_spans(text, block.start, block.end)
            before = ""
            for raw in _answered(text[start:end] for start, end in spans):
                yield raw, titles, before
                before = raw


def _beginning(sentence: str) -> str:
    """So much of a sentence as is read, without a number that is cut off."""
    return sentence if len(sentence) <= _READ_CHARACTERS else sentence[:_READ_CHARACTERS].rstrip("0123456789.,")


def _answered(sentences: Iterator[str]) -> Iterator[str]:
    """The sentences, a question together with the answer behind it, which need not name again what is asked."""
    question = ""
    for sentence in sentences:
        if question:
            yield f"{question} {sentence}"
            question = ""
        elif _QUESTION.search(sentence):
            question = sentence
        else:
            yield sentence


def _statements(
    document_id: str, raw: str, path: tuple[str, ...], before: str, wording: Wording, meanings: Meanings
) -> Iterator[Statement]:
    """What a sentence states, and what each of its clauses states by itself."""
    sentence = " ".join(unicodedata.normalize("NFKC", plain_text(raw)).split())
    told = _PARENTHESES.sub(_unless_explaining, _ASKS.sub("", _OPENING.sub("", _CITATION.sub(" ", sentence), count=1)))
    if is_aside(told):
        return
    told = as_bound(told)
    own = is_own(told[:_SENTENCE_CHARACTERS])
    meant = ""
    if own and before and is_resolved(told):
        own, meant = False, _beginning(before)
    for clause in (Clause(told, meant), *clauses(told, _states)):
        reading = read_values(clause.text)
        rest = untied(reading.rest)
        if any(value.compared in OF_A_DAY for value in reading.values):
            rest = as_last(rest)
        said = _words(without_channels(rest), wording, meanings)
        if reading.values and 0 < len(said) <= _MAX_WORDS:
            beside = f"{clause.beside} {meant}" if clause.beside != meant else meant
            if len(said) <= _ELLIPTIC:
                beside = f"{beside} {clause.series}"
            yield Statement(
                document_id,
                sentence[:_SENTENCE_CHARACTERS],
                " ".join(said),
                "|".join(sorted(reading.keys)),
                reading.values,
                manner(reading.rest, reading.often),
                path,
                own or (clause.text != told and is_own(clause.text) and not is_resolved(clause.text)),
                " ".join(_words(without_values(beside), wording, meanings)) if beside.strip() else "",
                bool(meant),
            )


def _states(text: str) -> bool:
    """Whether a clause states a value."""
    return bool(_HAS_VALUE.search(text)) and bool(read_values(text).values)


def _unless_explaining(match: re.Match[str]) -> str:
    inside = match.group()
    words = len(inside.split()) if inside.isascii() else len(inside) - _EXPLAINING_CHARACTERS + _EXPLAINING - 1
    return " " if words >= _EXPLAINING else inside


def _words(text: str, wording: Wording, meanings: Meanings) -> tuple[str, ...]:
    """The telling words of ``text``, whose values are blanked out, each once, in order."""
    found: dict[str, None] = {}
    for match in _WORD.finditer(wording.one(text)):
        word = match.group()
        for part in (word,) if word.isascii() else map(wording.of_character, meanings.words(word)):
            if not is_light(part) and (len(part) > 1 or not part.isascii()):
                found[part] = None
    return tuple(found)
