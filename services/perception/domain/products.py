"""Products: a maker and the model or the product's own name beside it are one name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from services.common.domain.question import Origin, OriginKind
from services.perception.domain.candidates import Candidate
from services.perception.domain.matching import Question, overlaps
from services.perception.domain.text import is_cjk
from services.perception.domain.tokens import PROPER_TAGS, Token

# A flight or a share is no product of the organisation before it.
_NO_PRODUCT = ("航班", "次航", "股票", "号线")


def with_model(question: Question, candidate: Candidate, codes: Sequence[Candidate]) -> Candidate:
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


def with_products(question: Question, names: Sequence[Candidate]) -> list[Candidate]:
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


# Words of a maker's or a product's Chinese name before a model: two at most (联想 小新 Pro 16).
_MOST_WORDS = 2
_MAKER_RANK = 0.45
# A transcribed name may have lost its first character to a country or a surname: 德 尔格.
_FIRST_SYLLABLE = ("ns", "nr", "nrt", "j")
# What points at a machine or says where it stands is no name of it, nor is what says that it shows or uses one.
_POINTS = frozenset("这那哪每该本某各台个款型左右前后上下一二两三器机泵阀")
_TELLS = frozenset("报型号为是款台系换用修配买装出的和与示")


def with_makers(question: Question, named: Sequence[Candidate], codes: Sequence[Candidate]) -> list[Candidate]:
    """``named``, where a Chinese word that nobody knows stands right before a model: 小松PC200-8 is one name."""
    found = list(named)
    models = [c for c in codes if c.type == "model_number"]
    for model in [*(c for c in found if c.type == "product"), *models]:
        if not question.text.text[model.start].isascii() or any(n.start < model.start < n.end for n in found):
            continue
        start = _maker_start(question, model.start, found)
        if start == model.start:
            continue
        found = [n for n in found if not overlaps(n.start, n.end, [(start, model.end)])]
        origin = Origin(OriginKind.RULE, "maker_and_model", matched_text=question.text.surface(start, model.end))
        found.append(Candidate(start, model.end, "product", origin, _MAKER_RANK))
    return sorted(found, key=lambda c: c.start)


def _maker_start(question: Question, end: int, named: Sequence[Candidate]) -> int:
    """Where the name begins whose Chinese words end at ``end``; ``end`` if there is none."""
    start = end
    for _ in range(_MOST_WORDS):
        name = next((n for n in named if n.end == start and n.type in ("organization", "name")), None)
        word = next((t for t in question.analysis.tokens if t.end == start), None)
        if name is not None and is_cjk(question.text.text[start - 1]):
            return name.start
        if word is None or not _may_name_maker(word):
            break
        start = word.start
    if start < end and (first := next((t for t in question.analysis.tokens if t.end == start), None)):
        start = first.start if len(first.text) == 1 and first.tag in _FIRST_SYLLABLE else start
    return start


def _may_name_maker(word: Token) -> bool:
    han = all(is_cjk(char) for char in word.text)
    return (
        han
        and len(word.text) > 1
        and word.tag in PROPER_TAGS
        and word.text[0] not in _POINTS
        and word.text[-1] not in _TELLS
    )
