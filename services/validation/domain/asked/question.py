"""What Validation needs to know of the question: from Perception where there is a parse, else read lightly here."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from datetime import date

from services.common.domain.question import Action, ParsedQuestion
from services.common.domain.time import DayInterval, TimeRelation
from services.validation.domain.analysis import Analyser, Analysis
from services.validation.domain.reading.text import words

_SOURCE_TIME = re.compile(
    r"(?:from|in|using|per|on|of|by|focus\w* on|based on|according to|data from)\s+(?:the\s+)?(?P<y>(?:19|20)\d{2})\s+"
    r"(?:[a-z]+\s+)?(?:report|data|edition|figure|document|source|manual|release|version|statistic|filing|survey"
    r"|study|studies|publication)"
    r"|(?P<z>(?:19|20)\d{2})\s*年(?:度)?(?:的)?(?:[\u4e00-\u9fff]{0,4})(?:报告|数据|资料|文件|版|年报|统计|手册)",
    re.I,
)
_COMPARE = re.compile(
    r"\b(?:compare[ds]?|comparison|versus|vs\.?|differences? between|than|which (?:of|one|is|was|has|had|costs?"
    r"|took|weighs)|(?:earlier|later|older|younger|closer|shorter|lighter|hotter|colder|slower|quicker|wider"
    r"|safer|newer|taller|farther|faster|heavier|cheaper|higher|lower|longer|larger|smaller|better|more|less|fewer"
    r"|greater)[, ]+(?:[\w-]+,? ){0,6}or)\b"
    r"|对比|比较|相比|差异|区别|哪个更|哪一个|谁更|孰|还是|哪个|哪款|哪种更"
    r"|(?:和|与|跟)[^，。？?]{1,12}[哪谁][\u4e00-\u9fff]{0,6}?(?:更|最)?(?:[高低大小长短重轻多少快慢贵早晚宽窄深浅远近先后]|便宜)",
    re.I,
)
_HOW_MANY = re.compile(
    r"\bhow (?:many|much|long|often|far|fast|high|heavy|old|large|big|soon)\b|多少|几(?!乎)|多长|多久|多高|多大"
    r"|多重|多快",
    re.I,
)
_LIST = re.compile(
    r"\b(?:which|what)\s+(?:are\s+the\s+\w+|(?:two|three|four|five|six|seven|eight|\d+)\s+\w+"
    r"|(?:[a-z-]+\s+)?(?!(?:is|was|has|does|applies|costs|happens|means|causes|needs|takes|comes|lies|requires"
    r"|says)\b)[a-z]{3,}s\s+(?:are|were|do|must|can|may|need|have|does|should|shall|will|is|apply|count|belong"
    r"|qualify))\b|\blist\b|\bname (?:all|the)\b|哪些|哪几|列出|列举|有什么(?:条件|材料|要求|情形)|包括什么",
    re.I,
)
_ASKED_COUNT = re.compile(
    r"\b(?:which|what|the|name)\s+(?P<n>two|three|four|five|six|seven|eight|nine|ten)\b|哪(?P<z>[两二三四五六七八九十])",
    re.I,
)
_PART_CUT = re.compile(
    r"[?？]\s*|[;；]\s*|(?:,\s*|\s)(?:and|as well as)\s+(?=(?:what|who|whom|when|where|why|how|which|by when"
    r"|for how|does|do|is|are|can|may|must|at what|in what|to whom|until|since)\b)|，\s*(?=(?:由?谁|何时|什么"
    r"|怎么|如何|多少"
    r"|多久|是否|能否|能不能|可否|要不要|需要|之后|并|有无|有没有|又|还|是不是|以及|哪|每|几|费用|期限|多长))|、(?=(?:由?谁|何时|什么|怎么|如何|多少|多久|是否|能否))",
    re.I,
)
_ATTRIBUTES_ZH = re.compile(
    r"(?P<list>[\u4e00-\u9fffA-Za-z0-9-]+(?:、[\u4e00-\u9fff]+)*(?:和|与|及|以及)[\u4e00-\u9fff]+?)(?:分别|各自|各)?(?:是|为"
    r"|有)?(?:多少|什么|多长|多久|多大|怎样|如何)"
)
_ATTRIBUTES_EN = re.compile(
    r"\bwhat (?:are|is|were|was)\s+(?:the\s+)?(?P<list>[\w\s,-]+?\sand\s(?!what\b|who|when|where|why\b|how\b|which\b)"
    r"(?:the\s+)?[\w\s-]+?)(?:\s+(?:of|for|in|on|at|does|do|is|are|under)\b|\s*\?)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class QuestionReading:
    """The question as Validation uses it.

    ``period`` is the time the answer must be about (None if the question names none); ``source_period`` is set
    where the question restricts the sources themselves ("from 2023 reports"). ``parts`` are sub-questions,
    ``attributes`` the things asked for together ("the weight and the range"), ``sides`` the compared names.
    """

    text: str
    analysis: Analysis
    period: DayInterval | None
    source_period: DayInterval | None
    compares: bool
    wants_number: bool
    wants_list: bool
    asked_count: int
    parts: tuple[str, ...]
    attributes: tuple[str, ...]
    sides: tuple[str, ...]
    how_to: bool


def read_question(question: str, parsed: ParsedQuestion | None, analyser: Analyser) -> QuestionReading:
    """Read a question; a parse adds to the light reading and decides time, sides and parts where it has them."""
    analysis = analyser.analyse(question)
    period = _period(analysis)
    source = _SOURCE_TIME.search(analysis.text)
    source_year = int(source["y"] or source["z"]) if source else 0
    sides: tuple[str, ...] = tuple(
        dict.fromkeys(n.surface for n in analysis.names if n.kind in ("identifier", "numbered"))
    )
    compares = bool(_COMPARE.search(analysis.low))
    if not sides and compares:
        sides = _coordinated_names(analysis) or _alternatives(question)
    parts = _parts(question)
    attributes = _attributes(question)
    if parsed is not None:
        if parsed.time is not None and parsed.time.relation in (
            TimeRelation.IN,
            TimeRelation.BETWEEN,
            TimeRelation.AS_OF,
        ):
            period = parsed.time.interval
        compares = compares or parsed.action is Action.COMPARE
        if len(parsed.sides) > 1:
            sides = tuple(mention.text for mention in parsed.sides)
        if len(parsed.parts) > len(parts):
            parts = tuple(part.text for part in parsed.parts)
    count = _ASKED_COUNT.search(analysis.low)
    return QuestionReading(
        text=question,
        analysis=analysis,
        period=period,
        source_period=_year(source_year) if source_year else None,
        compares=compares,
        wants_number=bool(_HOW_MANY.search(analysis.low)),
        wants_list=bool(_LIST.search(analysis.low)),
        asked_count=_count(count) if count else 0,
        parts=parts,
        attributes=attributes,
        sides=sides if compares else (),
        how_to=bool(re.search(r"\bhow (?:do|can|should|to|is|are)\b|怎么|如何|怎样", analysis.low)),
    )


_JOINED = re.compile(r"\s*+(?:,\s*+)?(?:and|or|vs\.?|versus|with|to|than|和|与|跟|还是)\s*(?:the\s+)?", re.I)


def _coordinated_names(analysis: Analysis) -> tuple[str, ...]:
    """Proper names that the question sets side by side: "the Osprey and the Heron"."""
    names = [n for n in analysis.names if n.kind in ("proper", "acronym")]
    for first, second in itertools.pairwise(names):
        if _JOINED.fullmatch(analysis.text[first.end : second.start]):
            return first.surface, second.surface
    return ()


_EITHER = re.compile(
    r"[,:]\s*(?:the\s+|a\s+)?(?P<a>[\w-]+(?:\s[\w-]+)?)\s+or\s+(?:the\s+|a\s+)?(?P<b>[\w-]+(?:\s[\w-]+)?)\s*\?"
    r"|(?P<za>[\u4e00-\u9fffA-Za-z0-9-]{2,8})还是(?P<zb>[\u4e00-\u9fffA-Za-z0-9-]{2,8})[？?]?$"
)


def _alternatives(question: str) -> tuple[str, ...]:
    """The two things to choose from: "Which is cheaper, the train or the bus?"."""
    match = _EITHER.search(question)
    if match:
        return (match["a"], match["b"]) if match["a"] else (match["za"], match["zb"])
    pair = _HAN_PAIR.search(question)
    if pair is None or pair["a"][-1] != pair["b"][-1] or len(pair["a"]) < len(pair["b"]):
        return ()
    return pair["a"][-len(pair["b"]) :], pair["b"]  # 2023年东区和西区: as long as the other


_HAN_PAIR = re.compile(r"(?P<a>[\u4e00-\u9fff]{2,12})(?:和|与|跟)(?P<b>[\u4e00-\u9fff]{2,6}?)(?=[，,]?[哪谁])")


def _year(year: int) -> DayInterval:
    return DayInterval(date(year, 1, 1), date(year, 12, 31))


def _period(analysis: Analysis) -> DayInterval | None:
    spans = [interval for m in analysis.moments if (interval := m.interval()) is not None]
    if not spans:
        return None
    return DayInterval(min(s[0] for s in spans), max(s[1] for s in spans))


def _count(match: re.Match[str]) -> int:
    words = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
    if match["n"]:
        return words[match["n"].lower()]
    return "零一二三四五六七八九十".find(match["z"]) if match["z"] != "两" else 2


def _parts(question: str) -> tuple[str, ...]:
    pieces = [piece.strip(" ,，、;；?？") for piece in _PART_CUT.split(question)]
    return tuple(part for piece in pieces if piece for part in _cut_where_both_ask(piece))


def _cut_where_both_ask(piece: str) -> list[str]:
    """申请要提前多久，交哪些材料: two questions, as both sides of the comma ask."""
    sides = [side.strip() for side in re.split(r"[，,]", piece) if side.strip()]
    return sides if len(sides) > 1 and all(_ASKS_ZH.search(side) for side in sides) else [piece]


_ASKS_ZH = re.compile(r"多久|多少|多长|多大|多高|哪|什么|谁|怎么|怎样|如何|几(?!乎)|是否|能否|能不能|可否|何时|吗$")


def _cut_at_joints(listed: str) -> list[str]:
    """A Chinese enumeration cut where 和, 与, 及 are words of their own, not syllables of one (共和国, 参与)."""
    joints = [w for w in words(listed) if w.surface in ("和", "与", "及", "以及")]
    edges = [0, *(edge for w in joints for edge in (w.start, w.end)), len(listed)]
    return [p for i in range(0, len(edges), 2) for p in listed[edges[i] : edges[i + 1]].split("、")]


def _attributes(question: str) -> tuple[str, ...]:
    """The coordinated things of "what are the A and B of C" or "X的A和B分别是多少"."""
    match = _ATTRIBUTES_EN.search(question)
    if match:
        items = re.split(r",\s*(?:and\s+)?|\sand\s", match["list"])
        return tuple(re.sub(r"^the\s+", "", item.strip(), flags=re.I) for item in items if item.strip())
    match = _ATTRIBUTES_ZH.search(question)
    if match:
        listed = match["list"].split("的")[-1]
        return tuple(item for item in _cut_at_joints(listed) if item)
    return ()
