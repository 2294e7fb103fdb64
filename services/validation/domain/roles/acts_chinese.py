"""The acts of a Chinese sentence, one a clause: who acts (by 由, 被 or the first place), on what (by 把 or the last
place), to and from whom (给, 向, 至), after or in what case (the clause before that ends in 后, 时, 的)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.reading.text import Word, is_han_verb, names_thing
from services.validation.domain.roles.acts import AGENT, EITHER_WAY, OCCASION, PATIENT, Act, things_at, words_between

_BY = frozenset(("由", "被", "经", "经由"))
_MOVED = frozenset(("把", "将"))
_COVERBS = {
    "给": "to", "向": "to", "至": "to", "到": "to", "对": "to", "往": "to", "从": "from", "自": "from", "在": "in",
    "于": "in", "与": "with", "跟": "with", "同": "with", "用": "with", "以": "with", "为": "for", "比": "than",
}  # fmt: skip
_OF_NOUNS = frozenset(("的", "人", "者", "方"))
# Verbs that only carry the one after them.
_LIGHT = frozenset((
    "负责", "进行", "予以", "应当", "可以", "需要", "必须", "开始", "属于", "可", "须", "应", "能", "会", "要",
    "来", "去",
))  # fmt: skip
_AFTER_SUBJECT = _LIGHT | _BY | _MOVED | _COVERBS.keys() - {"为", "到", "至", "给", "在"} | {"通过"}
_LINKS = frozenset(("并", "并且", "且", "还", "也", "再", "又", "然后", "不得", "不", "应当", "则", "由", "须", "可"))
# A clause that ends so only says after or in what case the next one holds.
_CASE_ENDS = ("后", "时", "的", "前", "中")
_ASIDE = "aside"

IsVerb = Callable[[str], bool]


def chinese_acts(analysis: Analysis, is_verb: IsVerb) -> tuple[Act, ...]:
    """The acts of a sentence, in order; a clause without a first noun goes on with that of the clause before."""
    return tuple(_acts(analysis, is_verb))


def _acts(analysis: Analysis, may_be: IsVerb) -> Iterator[Act]:
    things = things_at(analysis)
    topic: tuple[Term, ...] = ()
    case: tuple[Term, ...] = ()
    for start, end in analysis.clauses:
        words = words_between(analysis, things, start, end)
        clause = analysis.low[start:end]
        is_verb: IsVerb = is_han_verb
        relation = _relation(words, things)
        if relation is not None:
            yield Act((relation.pop("what")[0],), start, end, relation)
            topic = relation.get(AGENT, ())
            continue
        parts, verbs, by = _parts(words, things, is_verb)
        if not verbs:  # 任命, 记录: nouns for the segmenter's dictionary
            is_verb = may_be
            parts, verbs, by = _parts(words, things, is_verb)
        if clause.rstrip(" ，,").endswith(_CASE_ENDS) and clause.rstrip().endswith(("，", ",")):
            told = [t for w in words if (t := things.get(w.start)) is not None]
            case = tuple([t for t in told if not is_verb(t.word.surface)] or told)
        elif verbs and not clause.rstrip().endswith(("：", ":")):
            first, agent, moved, after = (parts.pop(k, ()) for k in ("first", "by", "moved", "after"))
            topic = first or (topic if _goes_on(words) else ())
            roles = {AGENT: agent, PATIENT: moved or topic} if by else {AGENT: topic, PATIENT: moved or after}
            negated = any(start <= a < end for a, _ in analysis.negations)
            filled = {k: v for k, v in {**parts, **roles, OCCASION: case}.items() if v}
            yield Act(verbs, start, end, filled, negated, by, not first)
            case = ()
            continue
        if clause.rstrip().endswith(("：", ":")):
            topic = tuple(things[w.start] for w in words if w.start in things)  # a label, whatever words it has
            continue
        topic = parts.get("first") or (topic if _goes_on(words) else ())
        if clause.rstrip().endswith(("；", "。", ";")):
            topic = case = ()


def _relation(words: Sequence[Word], things: dict[int, Term]) -> dict[str, tuple[Term, ...]] | None:
    """A是B的N: the noun tells what A is to B, as a verb would."""
    surfaces = [w.surface for w in words]
    if "是" not in surfaces or len(words) < _SHORTEST or surfaces[-2] != "的" or surfaces[-1] in EITHER_WAY:
        return None
    at = surfaces.index("是")
    one, other = ([things[w.start] for w in part if w.start in things] for part in (words[:at], words[at + 1 : -2]))
    if not one or not other or words[-1].start not in things or "不" in surfaces[:at]:
        return None
    return {"what": (things[words[-1].start],), AGENT: tuple(one), f"{PATIENT} of": tuple(other)}


_SHORTEST = 5


def _goes_on(words: Sequence[Word]) -> bool:
    """The clause begins with its verb or with what leads to it, so that what it tells of stands in the one before."""
    first = words[0].surface if words else ""
    return first in _AFTER_SUBJECT or (is_han_verb(first) and not names_thing(first)) or first in _LINKS


def _parts(
    words: Sequence[Word], things: dict[int, Term], is_verb: IsVerb
) -> tuple[dict[str, tuple[Term, ...]], tuple[Term, ...], bool]:
    """The nouns of a clause by what stands before them, its verbs, and whether 由 or 被 names who acts."""
    parts: dict[str, list[Term]] = {}
    verbs: list[Term] = []
    name, by = "first", False
    for i, word in enumerate(words):
        surface, term = word.surface, things.get(word.start)
        if surface in _BY and i + 1 < len(words):
            name, by = "by", True
        elif surface in _MOVED:
            name = "moved"
        elif surface in _COVERBS and (name != "first" or parts.get("first") or not i):
            name = _COVERBS[surface]
        elif _acts_here(words, i, is_verb) and not (verbs and name == "after" and parts.get("after")):
            if term is not None and surface not in _LIGHT:
                verbs.append(term)
            name = "to" if len(surface) > 1 and surface[-1] in "给至到往" else "after"
        elif i == 0 and len(surface) == 1 and is_han_verb(surface):
            name = _ASIDE  # 换过温控阀后: an act that only leads to the one of the clause
        elif term is not None and _thing(words, i):
            parts.setdefault(name, []).append(term)
    parts.pop(_ASIDE, None)
    return {k: tuple(v) for k, v in parts.items()}, tuple(verbs), by and "by" in parts


def _thing(words: Sequence[Word], i: int) -> bool:
    """A noun, or a character that begins one (保 in 保洁公司)."""
    surface = words[i].surface
    if len(surface) > 1:
        return names_thing(surface) or is_han_verb(surface)
    return not is_han_verb(surface) or (i + 1 < len(words) and words[i + 1].start == words[i].end)


def _acts_here(words: Sequence[Word], i: int, is_verb: IsVerb) -> bool:
    """A verb, unless it belongs to a noun: before 的 and 者, after 由, or what may be a noun before another verb."""
    word = words[i]
    if not is_verb(word.surface) or (i and words[i - 1].surface in _BY):
        return False
    if i == 0 and len(words) > 1 and words[1].surface in _AFTER_SUBJECT:
        return False
    if i + 1 < len(words) and words[i + 1].start == word.end and words[i + 1].surface in _OF_NOUNS:
        return False
    later = [w for w in words[i + 1 :] if len(w.surface) > 1 and is_verb(w.surface)]
    if len(word.surface) == 1:
        return not later and not any(len(w.surface) > 1 and is_verb(w.surface) for w in words[:i])
    return not later or not names_thing(word.surface)
