"""Entities and codes: candidates from packs, gazetteer and model, weighed against each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from services.common.domain.question import Origin, OriginKind
from services.perception.domain.candidates import Candidate, choose
from services.perception.domain.matching import Match, Question, overlaps
from services.perception.domain.names import NameIndex
from services.perception.domain.products import with_makers, with_model, with_products
from services.perception.domain.rules import Rule, Sets
from services.perception.domain.text import is_cjk
from services.perception.domain.tokens import PROPER_TAGS, Token

# Labels of the English model that name things; dates, amounts, nationalities and events do not.
_MODEL_TYPES = {
    "PERSON": "person", "ORG": "organization", "GPE": "place", "LOC": "place", "FAC": "place",
    "PRODUCT": "product", "LAW": "document", "WORK_OF_ART": "document",
}  # fmt: skip
_SHORTEST_UNKNOWN, _SHORTEST_NAME = 3, 2
# Tags whose words are in no brand: pronouns, prepositions, conjunctions, particles, places in time and space.
_PEOPLE = ("nr", "nrt", "nrfg", "x")
_NO_PART = frozenset("rpcutfy")
_MODEL_RANK = 0.5
NAME_RANK = 0.5
# Rules that see more of the name win (北京四中 over 北京), but a long word is a whole name (上海体育场 over 上海).
_DICTIONARY_RANK, _LONG_WORD_RANK, _LONG_WORD = 0.44, 0.51, 3


def find_codes(question: Question) -> list[Candidate]:
    """Identifiers and references, none overlapping. A rule with the option ``sure`` is above every veto."""
    vetoed = [(m.start, m.end) for m in question.matches(Sets.NOT_CODE)]
    found = []
    for match in question.matches(Sets.CODE):
        start, end = match.group("code") or (match.start, match.end)
        if match.rule.options.get("sure") == "yes" or not overlaps(start, end, vetoed):
            found.append(_candidate(question, match, start, end))
    return choose(found)


def find_entities(question: Question, names: NameIndex, codes: Sequence[Candidate]) -> list[Candidate]:
    """Names. A code is kept apart unless a longer name contains it (``Regulation (EU) 2016/679``)."""
    candidates = [
        *_from_rules(question), *_from_names(question, names), *_from_dictionary(question), *_from_model(question)
    ]  # fmt: skip
    zones = [(m.start, m.end) for m in question.matches_in(Sets.NOT_ENTITY, 0, len(question.text.text), "zone")]
    shouted = _is_shouted(question.text.text)
    kept = []
    for candidate in candidates:
        trimmed = _trim(question, candidate)
        if trimmed is None or vetoed(question, trimmed):
            continue
        if shouted and trimmed.origin.kind is not OriginKind.GAZETTEER:
            continue  # where everything is in capitals, capitals tell nothing
        inside = any(c.start <= trimmed.start and trimmed.end <= c.end for c in codes)
        known = trimmed.origin.kind is OriginKind.GAZETTEER
        inside = inside or (not known and any(start <= trimmed.start and trimmed.end <= end for start, end in zones))
        if not inside and not _headed_by_code(question, trimmed, codes):
            kept.append(with_model(question, _with_code(question, trimmed, codes), codes))
    return with_makers(question, with_products(question, choose(kept)), codes)


_SHOUTED_WORDS = 3
_CAPITALS = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2,}(?![A-Za-z0-9])")


def _is_shouted(text: str) -> bool:
    """True for a Latin text of several words without a small letter."""
    return text.upper() == text and text.lower() != text and len(_CAPITALS.findall(text)) > _SHOUTED_WORDS


_BEHIND_CODE = re.compile(r" (?:for|of|in|on|at) ")


# An abbreviation in capitals and whose it is: "MTOW of the A320neo" names the aircraft alone.
_OF_CODE = re.compile(r"[A-Z]{2,6} (?:of|for) (?:the |an? )?")


def _headed_by_code(question: Question, candidate: Candidate, codes: Sequence[Candidate]) -> bool:
    """True for what capitals alone hold together: "WI-223 for the M12", "MTOW of the A320neo", a clause with more."""
    measured = _OF_CODE.match(question.text.text, candidate.start, candidate.end)
    if measured and any(c.start == measured.end() and c.end == candidate.end for c in codes):
        return True
    guessed = candidate.origin.kind is OriginKind.MODEL
    return any(
        c.start == candidate.start
        and c.end < candidate.end
        and ((guessed and c.type == "clause") or _BEHIND_CODE.match(question.text.text, c.end))
        for c in codes
    )


def _with_code(question: Question, candidate: Candidate, codes: Sequence[Candidate]) -> Candidate:
    """A name that ends inside a code ends with it: "Grundfos CR 32" before "-4" is "Grundfos CR 32-4".

    Before a place in a text it ends instead: "NATO's Article" before " 5" is "NATO".
    """
    code = next((c for c in codes if candidate.start < c.start < candidate.end < c.end), None)
    if code is None:
        return candidate
    if code.type != "clause":
        return replace(candidate, end=code.end, canonical="")
    name = question.text.text[candidate.start : code.start].rstrip(" ,").removesuffix("'s")
    return replace(candidate, end=candidate.start + len(name), canonical="")


def _from_rules(question: Question) -> list[Candidate]:
    found = []
    for match in question.matches(Sets.ENTITY):
        start, end = match.group("entity") or (match.start, match.end)
        proper = match.rule.options.get("proper")
        if proper == "compound" and _is_compound(question, start, end):
            proper = None  # a brand may be made of common words: 番茄小说
        if proper and not _has_proper_word(question, start, end, sure=proper != "yes"):
            continue
        if match.rule.tokens and match.rule.value == "organization":
            start = _own_start(question, start, end)
        found.append(_candidate(question, match, start, end))
    return found


def _own_start(question: Question, start: int, end: int) -> int:
    """Where an organisation's own name begins: behind who does something to it (习近平考察 苏州工业园区)."""
    words = [t for t in question.analysis.tokens if start <= t.start and t.end <= end]
    own = start
    for word, following in pairwise(words):
        does = word.tag in ("v", "vd") and (len(word.text) > 1 or words[0].tag in _PEOPLE)
        if does and following.tag in ("ns", "nt"):
            own = following.start
    return own


def _is_compound(question: Question, start: int, end: int) -> bool:
    """True for whole words, two at least, that are no verb, figure or function word each."""
    words = [t for t in question.analysis.tokens if start <= t.start and t.end <= end]
    whole = bool(words) and words[0].start == start and words[-1].end == end
    return whole and len(words) > 1 and not any(t.tag[:1] in _NO_PART for t in words)


def _has_proper_word(question: Question, start: int, end: int, sure: bool) -> bool:
    """True if the tagger takes a word inside for a name, or does not know it.

    Two characters that the dictionary lacks are as often a term (产线) as a name: not good enough to be ``sure``.
    """
    short = sure and end - start < _SHORTEST_UNKNOWN
    return any(
        t.tag in PROPER_TAGS and start <= t.start and t.end <= end and not (short and t.tag == "x")
        for t in question.analysis.tokens
    )


def _from_names(question: Question, names: NameIndex) -> list[Candidate]:
    return [
        Candidate(hit.start, hit.end, hit.name.type, hit.name.origin, NAME_RANK, hit.name.canonical)
        for hit in names.find(question.text)
        if not _across_words(question, hit.start, hit.end)
    ]


def _from_dictionary(question: Question) -> list[Candidate]:
    """Words that the Chinese dictionary has as names of something and as nothing else, and what looks like a name."""
    found = []
    before: Token | None = None
    for token in question.analysis.tokens:
        if token.names and not (len(token.text) == _SHORTEST_NAME and before and _hangs_on(before, token)):
            origin = Origin(OriginKind.MODEL, token.names, matched_text=token.text)
            rank = _LONG_WORD_RANK if len(token.text) > _LONG_WORD else _DICTIONARY_RANK
            found.append(Candidate(token.start, token.end, token.names.rpartition(".")[2], origin, rank))
        before = token
    return found


def _hangs_on(before: Token, token: Token) -> bool:
    """True if a noun of one character stands right before: the two are the rest of a longer word (氯吡 格雷)."""
    return before.end == token.start and len(before.text) == 1 and before.tag in ("n", "ng", "zg", "x", "j")


# The segmenter knows Chinese names up to this length as words of their own; longer ones it cuts as it likes.
_LONGEST_CHANCE = 8


def _across_words(question: Question, start: int, end: int) -> bool:
    """True for a Chinese name made of parts of other words: 强生 in 加强生产, 生态环境部 in 生态环境部门."""
    text = question.text.text[start:end]
    if len(text) > _LONGEST_CHANCE or not all(is_cjk(char) for char in text):
        return False
    tokens = [t for t in question.analysis.tokens if t.start < end and start < t.end]
    if not tokens or (tokens[0].start >= start and end >= tokens[-1].end):
        return False
    # A common noun that begins like a name, or a longer name: 林肯 in 布林肯.
    return len(tokens) > 1 or tokens[0].tag == "n" or bool(tokens[0].names)


def _from_model(question: Question) -> list[Candidate]:
    found = []
    for entity in question.analysis.entities:
        kind = _MODEL_TYPES.get(entity.label)
        joined = " or " in question.text.text[entity.start : entity.end]  # the model runs alternatives together
        if kind is not None and not joined:
            matched = question.text.surface(entity.start, entity.end)
            origin = Origin(OriginKind.MODEL, f"spacy.ner.{entity.label.lower()}", matched_text=matched)
            found.append(Candidate(entity.start, entity.end, kind, origin, _MODEL_RANK))
    return found


def _candidate(question: Question, match: Match, start: int, end: int) -> Candidate:
    text = question.text.text
    while start < end and text[start] == " ":
        start += 1
    while end > start and text[end - 1] == " ":
        end -= 1
    origin = match.rule.origin(question.text.surface(start, end))
    return Candidate(start, end, match.rule.value, origin, match.rule.score, _canonical(match.rule, text[start:end]))


def _canonical(rule: Rule, text: str) -> str:
    style = rule.options.get("canonical", "")
    if style == "upper":
        return text.upper()
    if style == "compact":
        return "".join(text.split()).upper()
    return text


def _trim(question: Question, candidate: Candidate) -> Candidate | None:
    """Cut what trimming rules find at the ends (articles, possessives); None if nothing is left."""
    start, end = candidate.start, candidate.end
    if candidate.origin.kind is OriginKind.GAZETTEER or _is_marked_title(question.text.text, candidate):
        return candidate
    for _ in range(4):  # an article before a quotation mark before an article: never deeper in practice
        part = question.text.text[start:end]
        before = (start, end)
        for rule, patterns in question.able(Sets.NOT_ENTITY, "trim_start", "trim_end"):
            if rule.options.get("type") and candidate.type not in rule.options["type"].split("|"):
                continue
            if rule.options.get("at") == "sentence_start" and not _begins_sentence(question.text.text, start):
                continue
            for pattern in patterns:
                hit = pattern.match(part) if rule.value == "trim_start" else pattern.search(part)
                if hit is None or hit.start() == hit.end():
                    continue
                if rule.value == "trim_start":
                    start += hit.end()
                elif hit.end() == len(part):
                    end = start + hit.start()
                part = question.text.text[start:end]
        if (start, end) == before:
            break
    if end < candidate.end and any(t.start < end < t.end for t in question.analysis.tokens if is_cjk(t.text[-1])):
        end = candidate.end  # 里 is a place in 公司里, but a syllable of 阿莱格里
    return (
        replace(candidate, start=start, end=end, canonical="")
        if start < end and ((start, end) != (candidate.start, candidate.end))
        else (candidate if start < end else None)
    )


def _begins_sentence(text: str, at: int) -> bool:
    before = text[:at].rstrip(" \"'([")
    return not before or before[-1] in ".?!:;。？！"


def _is_marked_title(text: str, candidate: Candidate) -> bool:
    """True if the marks around it say that it is a title, whatever it is called."""
    return (
        text[max(0, candidate.start - 1) : candidate.start] == "《" and text[candidate.end : candidate.end + 1] == "》"
    )


def vetoed(question: Question, candidate: Candidate) -> bool:
    """True if a veto rule covers the whole candidate: generic nouns, roles, dates, abbreviations."""
    if candidate.origin.kind is OriginKind.GAZETTEER:
        return False
    if _is_marked_title(question.text.text, candidate):
        return False
    part = question.text.text[candidate.start : candidate.end]
    for rule, patterns in question.able(Sets.NOT_ENTITY, "drop"):
        if rule.options.get("type") and rule.options["type"] != candidate.type:
            continue
        if any(pattern.fullmatch(part) for pattern in patterns):
            return True
    return False
