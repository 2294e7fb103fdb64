"""Entities and codes: candidates from packs, gazetteer and model, weighed against each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from services.common.domain.question import Origin, OriginKind
from services.perception.domain.candidates import Candidate, choose
from services.perception.domain.matching import Match, Question, overlaps
from services.perception.domain.names import NameIndex
from services.perception.domain.rules import Rule, Sets
from services.perception.domain.text import is_cjk

# Labels of the English model that name things; dates, amounts, nationalities and events do not.
_MODEL_TYPES = {
    "PERSON": "person", "ORG": "organization", "GPE": "place", "LOC": "place", "FAC": "place",
    "PRODUCT": "product", "LAW": "document", "WORK_OF_ART": "document",
}  # fmt: skip
# Tags of names in both tag sets; x marks a word that the Chinese dictionary lacks.
PROPER_TAGS = frozenset({"NNP", "NNPS", "ns", "nt", "nz", "nr", "nrt", "nrfg", "x", "j", "eng"})
_SHORTEST_UNKNOWN = 3
_MODEL_RANK = 0.5
_NAME_RANK = 0.5


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
    candidates = [*_from_rules(question), *_from_names(question, names), *_from_model(question)]
    zones = [(m.start, m.end) for m in question.matches_in(Sets.NOT_ENTITY, 0, len(question.text.text), "zone")]
    kept = []
    for candidate in candidates:
        trimmed = _trim(question, candidate)
        if trimmed is None or _vetoed(question, trimmed):
            continue
        inside = any(c.start <= trimmed.start and trimmed.end <= c.end for c in codes)
        known = trimmed.origin.kind is OriginKind.GAZETTEER
        inside = inside or (not known and any(start <= trimmed.start and trimmed.end <= end for start, end in zones))
        if not inside and not _headed_by_code(question, trimmed, codes):
            kept.append(_with_model(question, _with_code(question, trimmed, codes), codes))
    return _with_products(question, choose(kept))


def _with_products(question: Question, names: Sequence[Candidate]) -> list[Candidate]:
    """A Chinese maker and the Latin product name written right after it are one name: 大疆Mavic 3."""
    joined: list[Candidate] = []
    for name in names:
        maker = joined[-1] if joined else None
        text = question.text.text
        if (
            maker is not None
            and maker.type == "organization"
            and (name.type, name.start) == ("product", maker.end)
            and is_cjk(text[maker.end - 1])
            and text[name.start].isascii()
        ):
            joined[-1] = replace(maker, end=name.end, type="product", canonical="")
        else:
            joined.append(name)
    return [_with_plus(question, name) for name in joined]


def _with_plus(question: Question, name: Candidate) -> Candidate:
    """A product with the plus sign that ends its name (U8+)."""
    if name.type == "product" and question.text.text.startswith("+", name.end):
        return replace(name, end=name.end + 1, canonical="")
    return name


def beside_names(question: Question, named: Sequence[Candidate], sides: Sequence[Candidate]) -> list[Candidate]:
    """``named``, and what is listed or compared with a name and looks like one: 苏辙 in 苏轼与苏辙谁先做官.

    Only Chinese needs it: there nothing but its company shows that an unknown word is a name.
    """
    found = list(named)
    for start, end, origin in [*_compared(named, sides), *_listed(question, named)]:
        kind = next((c.type for c in named if _company(question, c, start, end, sides)), None)
        if kind is None or overlaps(start, end, [(c.start, c.end) for c in found]):
            continue
        candidate = Candidate(start, end, kind, origin, _NAME_RANK)
        if _is_unknown_name(question, start, end) and not _vetoed(question, candidate):
            found.append(candidate)
    return sorted(found, key=lambda c: c.start)


def _compared(named: Sequence[Candidate], sides: Sequence[Candidate]) -> list[tuple[int, int, Origin]]:
    """The sides of a comparison, if a name is one of them."""
    spans = {(c.start, c.end) for c in named}
    if not any((side.start, side.end) in spans for side in sides):
        return []
    return [(side.start, side.end, side.origin) for side in sides]


_LISTED = frozenset("、和与跟及")


def _listed(question: Question, named: Sequence[Candidate]) -> list[tuple[int, int, Origin]]:
    """The word that 、 joins to a name, at either side."""
    tokens = question.analysis.tokens
    found = []
    for left, joint, right in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if joint.text != "、":
            continue
        for name in named:
            other = right if name.end == joint.start else left if name.start == joint.end else None
            if other is not None:
                found.append((other.start, other.end, name.origin))
    return found


def _company(question: Question, name: Candidate, start: int, end: int, sides: Sequence[Candidate]) -> bool:
    """True if ``name`` is compared with the stretch, or joined to it by one character."""
    if {(name.start, name.end), (start, end)} <= {(side.start, side.end) for side in sides}:
        return True
    text = question.text.text
    return any(text[a:b] in _LISTED for a, b in ((name.end, start), (end, name.start)))


_MOST_NAME = 8


def _is_unknown_name(question: Question, start: int, end: int) -> bool:
    """True for two to eight Chinese characters of which the tagger takes every word for a name or knows none."""
    text = question.text.text[start:end]
    if not 2 <= len(text) <= _MOST_NAME or not all(is_cjk(char) for char in text):
        return False
    tokens = [t for t in question.analysis.tokens if start <= t.start and t.end <= end]
    return bool(tokens) and tokens[-1].end == end and all(t.tag in PROPER_TAGS for t in tokens)


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


# A flight or a share is no product of the organisation before it.
_NO_PRODUCT = ("航班", "次航", "股票", "号线")


def _with_model(question: Question, candidate: Candidate, codes: Sequence[Candidate]) -> Candidate:
    """A maker with the model right after it is one name: "Airbus A350-900"."""
    maker = candidate.type == "organization"
    if not maker and candidate.type != "product":
        return candidate
    for code in codes:
        gap = question.text.text[candidate.end : code.start] if code.start >= candidate.end else None
        if not maker and (gap or not is_cjk(question.text.text[candidate.end - 1])):
            continue  # 金蝶K3, but not "Windows K3"
        after = question.text.text[code.end : code.end + 2]
        if code.type == "model_number" and gap in ("", " ") and after not in _NO_PRODUCT:
            return replace(candidate, end=code.end, type="product", canonical="")
    return candidate


def _from_rules(question: Question) -> list[Candidate]:
    found = []
    for match in question.matches(Sets.ENTITY):
        start, end = match.group("entity") or (match.start, match.end)
        proper = match.rule.options.get("proper")
        if proper and not _has_proper_word(question, start, end, sure=proper == "sure"):
            continue
        found.append(_candidate(question, match, start, end))
    return found


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
        Candidate(hit.start, hit.end, hit.name.type, hit.name.origin, _NAME_RANK, hit.name.canonical)
        for hit in names.find(question.text)
        if not _across_words(question, hit.start, hit.end)
    ]


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
    return len(tokens) > 1 or tokens[0].tag == "n"  # a common noun that begins like a name


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
    if candidate.origin.kind is OriginKind.GAZETTEER:
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
    return (
        replace(candidate, start=start, end=end, canonical="")
        if start < end and ((start, end) != (candidate.start, candidate.end))
        else (candidate if start < end else None)
    )


def _begins_sentence(text: str, at: int) -> bool:
    before = text[:at].rstrip(" \"'([")
    return not before or before[-1] in ".?!:;。？！"


def _vetoed(question: Question, candidate: Candidate) -> bool:
    """True if a veto rule covers the whole candidate: generic nouns, roles, dates, abbreviations."""
    if candidate.origin.kind is OriginKind.GAZETTEER:
        return False
    text = question.text.text
    if text[max(0, candidate.start - 1) : candidate.start] == "《" and text[candidate.end : candidate.end + 1] == "》":
        return False  # the marks say that it is a title, whatever it is called
    part = text[candidate.start : candidate.end]
    for rule, patterns in question.able(Sets.NOT_ENTITY, "drop"):
        if rule.options.get("type") and rule.options["type"] != candidate.type:
            continue
        if any(pattern.fullmatch(part) for pattern in patterns):
            return True
    return False
