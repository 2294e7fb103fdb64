"""Who acts in a clause: the subject of an active one, the agent of a passive one."""

from __future__ import annotations

import re

from services.validation.domain.analysis import Term
from services.validation.domain.reading.clauses import Clause, read_once
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.reading.text import names_thing
from services.validation.domain.wording.align import in_span

_PASSIVE = Pattern(
    r"\b(?:is|are|was|were|be|been|being)\s+(?:\w+ly\s+|also\s+|not\s+)?\w+(?:ed|en|wn|ught|ade|old|ent|id|ut)\b"
    r"|\bby\b|[由被受]"
)
_BY = re.compile(r"\bby\s+(?!\d|means|way|the end|phone|email|post|hand|law)")
_YOU = re.compile(r"由|经")
_PREDICATE = Pattern(
    r"\b(?:is|are|was|were|be|has|have|had|must|shall|should|may|can|could|will|need|do|does|did|pays?|enters?"
    r"|gets?|receives?|takes?)\b"
    r"|应当|应|必须|须|可以|可|不得|不|需|负责|为|是|的"
)
PRONOUN = re.compile(
    r"^\W*(?:(?:otherwise|then|instead|in that case|there)\W+)?(?:it|they|this|these|that|he|she|one|其|该|它|他们)\b",
    re.I,
)
_AGENT = re.compile(
    r"(?:er|or|ee|ant|ist|ian|authority|company|bank|agency|department|ministry|board|committee|owner|staff"
    r"|office|user|bureau|court|"
    r"commission|council|team|party|union|landlord|body|police|airline|student|client|county|city|state"
    r"|municipality|town|village|region|government|parish|club|school|hospital|university|landowner|client"
    r"|patient|resident|agent"
    r"|child|children|people|man|woman|guest)s?$"
)
_NOT_AGENT = re.compile(
    r"(?:number|order|letter|water|power|paper|offer|matter|quarter|december|september|october|november|error"
    r"|motor|sensor|filter|meter|colou?r|floor|door|"
    r"factor|transfer|register|cover|under|over|after|other|another|later|former|latter|lower|upper|higher"
    r"|larger|corridor|tower|counter|river|winter|"
    r"summer|weather|importan\w*|relevant|constant|instant|significant|fee|committee|tolerant|coolant|plant"
    r"|warrant|trailer|trigger|buffer|server|router|"
    r"computer|printer|scanner|rotor|major|minor|interior|exterior|behavio\w+|labou?r|favou?r|vapou?r|layer"
    r"|timer|breaker|container|chapter|parameter|"
    r"perimeter|diameter|centimet\w+|kilomet\w+|millimet\w+|liter|monitor|cylinder|connector|reactor|generator"
    r"|compressor|inverter|conveyor|elevator)s?$"
)
_HAN_AGENTS = (
    "经理",
    "总监",
    "主任",
    "主管",
    "科",
    "处",
    "室",
    "部",
    "厂长",
    "校长",
    "班组长",
    "组长",
    "店长",
    "机构",
    "部门",
    "单位",
    "公司",
    "银行",
    "法院",
    "机关",
    "中心",
    "局",
    "委员会",
    "办事处",
    "医院",
    "学校",
    "组织",
    "协会",
    "委",
)


_NO_PERSONS = frozenset((
    "全长", "周长", "身长", "波长", "特长", "时长", "专长", "增长", "成长", "延长", "巴士", "博士", "硕士",
    "学士", "瑞士", "爵士", "的士", "手工", "人工", "分工", "化工", "施工", "卫生", "民生", "人生",
    "一生", "野生", "养生", "新生", "花生", "五官", "器官", "感官", "出师", "会师",
    "罢工", "开工", "竣工", "完工", "动工", "停工", "务工", "用工", "加工",
))  # fmt: skip


# "Safekeeping is the bank's job": who has the duty acts.
_DUTY = Pattern(
    r"(?P<who>[\w-]+'s?) (?:own |sole )?(?:responsibility|job|task|duty|obligation|business|remit)\b"
    r"|\b(?:responsibility|task|duty|job) of (?:the |an? )?(?P<of>[\w-]+)"
    r"|\b(?:falls|is up|is left) (?:to|on) (?:the |an? )?(?P<to>[\w-]+)"
)


@read_once
def holder(clause: Clause) -> list[Term]:
    """Who has the duty that a clause tells as a noun; empty where it tells none."""
    duty = None if clause.analysis.han else _DUTY.search(clause.low)
    if duty is None:
        return []
    end = clause.start + max(duty.end("who"), duty.end("of"), duty.end("to"))
    at = next((i for i, t in enumerate(clause.terms) if t.end == end), None)
    if at is None:
        return []
    beside = at > 0 and clause.terms[at - 1].end + 1 == clause.terms[at].start
    return list(clause.terms[at - 1 if beside else at : at + 1])


@read_once
def subject(clause: Clause) -> list[Term]:
    """The acting side of a clause: who has the duty, what follows by or 由 in a passive, else what stands before the
    predicate."""
    low = clause.low
    duty = holder(clause)
    if duty:
        return duty
    by = _BY.search(low) if is_passive(clause) else None
    if by is None and clause.analysis.han:
        you = _YOU.search(low)
        if you:
            after = in_span(clause.terms, clause.start + you.end(), clause.end)
            return after[:-1] if 1 < len(after) <= 3 else after[:2]
    if by is not None and _attached(low, by):
        return in_span(clause.terms, clause.start, clause.start + by.start())[:2]
    if by is not None:
        start = clause.start + by.end()
        stop = re.search(r"[,;.]|\b(?:within|at|in|on|for|to|from|when|if|before|after|every|each)\b", low[by.end() :])
        return in_span(clause.terms, start, start + stop.start() if stop else clause.end)
    predicate = _PREDICATE.search(low)
    if predicate is None:
        return list(clause.terms[:1])
    end = clause.start + predicate.start()
    before = in_span(clause.terms, clause.start, end)
    return before if len(before) <= 3 else before[:2]


def _attached(low: str, by: re.Match[str]) -> bool:
    """ "Visitors accompanied by a librarian may enter": the predicate comes only after the agent of the participle."""
    after = _PREDICATE.search(low, by.end())
    if after is None or _PREDICATE.search(low[: by.start()]):
        return False
    return re.search(r"[,;]", low[by.end() : after.start()]) is None


@read_once
def head(clause: Clause) -> list[Term]:
    """What stands before the predicate, acting or acted upon; empty where the clause shows no predicate."""
    predicate = _PREDICATE.search(clause.low)
    return in_span(clause.terms, clause.start, clause.start + predicate.start()) if predicate else []


def clause_before_predicate(clause: Clause) -> str | None:
    """The text of an English clause before its predicate; None where it shows none."""
    predicate = _PREDICATE.search(clause.low)
    return clause.low[: predicate.start()] if predicate else None


@read_once
def has_predicate(clause: Clause) -> bool:
    """True if the clause shows a predicate, so that what stands before it is its subject (in Chinese always)."""
    return clause.analysis.han or _PREDICATE.search(clause.low) is not None


def by_agent(clause: Clause) -> bool:
    """True if the clause names its agent with by or 由."""
    return bool(_BY.search(clause.low) or (clause.analysis.han and "由" in clause.low))


def is_actor(term: Term) -> bool:
    """A word that names a party: it ends like an agent, or carries 人, 方, 机构 and the like."""
    surface = term.word.surface
    if term.word.han:
        if len(surface) >= 2 and (surface[-1] in "人方者员商主户" or surface.endswith(_HAN_AGENTS)):
            return True
        return (
            len(surface) >= 2
            and surface[-1] in "长师士工生官警匠"
            and names_thing(surface)
            and surface not in _NO_PERSONS
        )
    return names_party(surface)


def is_party(term: Term) -> bool:
    """Like ``is_actor``, also where the word is told as an owner: the company's."""
    if is_actor(term):
        return True
    return not term.word.han and names_party(term.word.surface.removesuffix("'s"))


def names_party(word: str) -> bool:
    """An English word that ends like an agent, in lower case."""
    return bool(_AGENT.search(word)) and not _NOT_AGENT.search(word)


@read_once
def is_passive(clause: Clause) -> bool:
    return _PASSIVE.search(clause.low) is not None
