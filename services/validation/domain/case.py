"""One answer under judgement: everything the checks read, prepared once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from services.common.domain.document import Chunk
from services.common.domain.question import ParsedQuestion
from services.common.domain.verdict import IssueType, RemedyKind
from services.validation.domain.analysis import Analyser, Analysis
from services.validation.domain.asked.question import QuestionReading, read_question
from services.validation.domain.config import ValidationConfig
from services.validation.domain.reading.attribution import without_attribution
from services.validation.domain.reading.captions import under_caption
from services.validation.domain.reading.clauses import Clause, Pair, clauses_of, pair_up
from services.validation.domain.reading.evidence import Passage, Unit, read_chunks
from services.validation.domain.reading.names import Name, shape
from services.validation.domain.reading.quotation import QuotableText, quotes
from services.validation.domain.reading.statements import Statement, split_statements
from services.validation.domain.reading.tables import Row, named_rows, rows_of
from services.validation.domain.sources.timeline import Timeline
from services.validation.domain.values.binding import Binding, Item, bind
from services.validation.domain.values.compare import equal
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import COUNTS
from services.validation.domain.wording.align import Bag, BagCache, Coverage, cover, in_span

CLAIM, LEAD_IN, CLOSING, REFUSAL = "claim", "lead_in", "closing", "refusal"
_MAX_LEAD_IN_TERMS = 7
_MAX_OPENING_TERMS = 3
# "Yes, with some restrictions.": says that an answer follows, and of which kind.
_OPENING = re.compile(
    r"(?:yes|no|partly|in (?:principle|general|part)|it depends|that depends|not (?:quite|always|necessarily)"
    r"|是的|是|可以|不可以|能|不能|有条件|视情况而定|不一定|原则上)(?![a-z])[^\d]*$"
)
# How many statements back a pronoun may point.
_REACH = 2
REFERS_BACK = re.compile(
    r"\W*(?:it|its|this|that|the (?:latter|same|model|edition|device|product|plan)|they|their|these"
    r"|其|它|该|此|这|上述|后者)"
    r"(?![a-z])"
)
_SOURCES = re.compile(
    r"(?:documents?|sources?|excerpts?|passages?|materials?|texts?|chunks?|context|资料|文件|文档|材料|来源|原文)"
)


_WITHOUT_ANSWER = re.compile(
    r"\b(?:nothing|nowhere|no (?:word|mention|answer|trace|sign|hint)|silent|silence|open|missing|lack\w*"
    r"|absent|unclear"
    r"|unanswered|unmentioned|unstated|unspecified|unaddressed|undisclosed|leaves?|omits?|omitted|beyond)\b"
    r"|只字|空白|缺|查不到|找不到|看不出|不见|没提|未提|没写|没说|无从"
)


@dataclass(frozen=True, slots=True)
class Reading:
    """A statement with its analysis, its role, and its citations sorted into retrieved and not retrieved."""

    statement: Statement
    analysis: Analysis
    role: str
    cited: tuple[int, ...]
    unknown: tuple[int, ...]

    @property
    def index(self) -> int:
        """The statement's 0-based index."""
        return self.statement.index

    @property
    def is_claim(self) -> bool:
        """True if the statement asserts something that needs a source."""
        return self.role == CLAIM


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found, before policy gives it a severity. Spans are offsets in the statement and the chunk."""

    type: IssueType
    statement: int
    message: str
    remedy: RemedyKind
    span: tuple[int, int] | None = None
    citation: int = 0
    evidence: tuple[int, int] | None = None
    found: str = ""
    expected: str = ""
    queries: tuple[str, ...] = ()
    recite: int = 0


@dataclass(frozen=True, slots=True)
class Aligned:
    """A unit of evidence with how well it carries a text, in about [-1, 2]."""

    unit: Unit
    score: float
    coverage: Coverage


class Case:
    """The prepared input of all checks. Holds caches; create one per request."""

    def __init__(
        self, question: str, parsed: ParsedQuestion | None, answer: str, chunks: Sequence[Chunk],
        as_of: date | None, today: date, config: ValidationConfig, analyser: Analyser,
    ) -> None:  # fmt: skip
        self.config = config
        self.analyser = analyser
        self.answer = answer
        self.as_of = as_of
        self.today = today
        self.passages = read_chunks(chunks, analyser, config.limits)
        self.bags = BagCache(self.passages)
        self.question: QuestionReading = read_question(question, parsed, analyser)
        statements = split_statements(answer)[: config.limits.statements]
        self.readings = tuple(self._read(s, len(statements)) for s in statements)
        # By statement: the offsets of the values that it works out or supposes.
        self.worked_out: dict[int, frozenset[int]] = {}
        # By statement: what several checks read of its condition (``suppositions``).
        self.supposed: dict[int, Any] = {}
        # By statement: the sentence that it follows word for word (``edits``).
        self.followed: dict[int, Any] = {}
        self._quotable: dict[int, QuotableText] = {}
        self._reworded: tuple[Reading, ...] | None = None
        self._units: dict[tuple[int, ...], tuple[Unit, ...]] = {}
        self._titles: dict[int, Bag] = {}
        self._bound: dict[tuple[int, int, int, int], Binding] = {}
        self._clashes: dict[tuple[int, int, int, int], tuple[object, ...]] = {}
        self._timelines: dict[date, Timeline] = {}
        self._clauses: dict[str, tuple[Clause, ...]] = {}
        self._pairs: dict[int, tuple[Pair, ...]] = {}
        self._aligned: dict[tuple[int, int, int, tuple[int, ...]], list[Aligned]] = {}

    # --- preparing -------------------------------------------------------------------------------------------

    def _read(self, statement: Statement, total: int) -> Reading:
        whole = self.analyser.analyse(statement.body)
        told = without_attribution(statement.body)
        analysis = under_caption(
            whole if told is statement.body else self.analyser.analyse(told), self.analyser.quantities
        )
        known = tuple(n for n in statement.citations if 1 <= n <= len(self.passages))
        unknown = tuple(n for n in statement.citations if not 1 <= n <= len(self.passages))
        return Reading(statement, analysis, self._role(statement, whole, total), known, unknown)

    def _role(self, statement: Statement, analysis: Analysis, total: int) -> str:
        lexicon = self.config.lexicon
        body = statement.body.strip()
        if lexicon.refusal.search(analysis.low) and (not statement.citations or self._only_refusal(analysis)):
            return REFUSAL
        if not statement.citations and self._disclaims(analysis):
            return REFUSAL
        if statement.citations:
            return CLAIM
        if re.search(r"[:：]\s*[*_]*$", body) and not self._asserts(analysis):
            return LEAD_IN
        if statement.text.lstrip().startswith("#"):
            return LEAD_IN
        low = analysis.low.strip(" *_")
        if lexicon.closing.search(low):
            return CLOSING
        if len(analysis.terms) <= _MAX_OPENING_TERMS and not analysis.quantities and _OPENING.match(low):
            return LEAD_IN
        light = len(analysis.terms) <= _MAX_LEAD_IN_TERMS and not analysis.quantities
        if light and lexicon.lead_in.search(low):
            return LEAD_IN
        heading = (
            not statement.listed and not re.search(r"[.。!！?？;；,，]\s*[*_]*$", body) and len(analysis.terms) <= 5
        )
        if heading and not analysis.quantities and not analysis.cues and statement.index < total - 1:
            return LEAD_IN
        if body.endswith(("?", "？")) or (not analysis.terms and not analysis.quantities and not analysis.moments):
            return CLOSING
        return CLAIM

    @staticmethod
    def _disclaims(analysis: Analysis) -> bool:
        """Says of the sources that they do not have something, in whatever words, and gives no value."""
        if analysis.quantities or analysis.moments or not _SOURCES.search(analysis.low):
            return False
        return bool(analysis.negations) or _WITHOUT_ANSWER.search(analysis.low) is not None

    def _asserts(self, analysis: Analysis) -> bool:
        """A line that ends in a colon still asserts if it gives a value with a unit that the question has not."""
        known = self.question.analysis.quantities
        return any(
            q.unit.dimension not in COUNTS
            and not q.interval
            and not any(equal(q, k) for k in known)
            and q.surface.lower() not in self.question.analysis.low
            for q in analysis.quantities
        )

    def _only_refusal(self, analysis: Analysis) -> bool:
        """True if every clause that says something belongs to the refusal."""
        match = self.config.lexicon.refusal.search(analysis.low)
        assert match is not None
        if not _SOURCES.match(analysis.low[match.start() :]):
            return False
        outside = [q for q in analysis.quantities if not match.start() <= q.start < len(analysis.text)]
        before = in_span(analysis.terms, 0, match.start())
        return not outside and len(before) <= 2

    @property
    def claims(self) -> tuple[Reading, ...]:
        """The statements that assert something and cite a passage that was retrieved."""
        return tuple(r for r in self.readings if r.is_claim and r.cited)

    @property
    def reworded(self) -> tuple[Reading, ...]:
        """The claims in words of their own; whole sentences of a cited passage word for word cannot misstate it."""
        if self._reworded is None:
            self._reworded = tuple(r for r in self.claims if not self._quotes(r))
        return self._reworded

    def _quotes(self, reading: Reading) -> bool:
        for citation in reading.cited:
            if citation not in self._quotable:
                self._quotable[citation] = QuotableText(self.passage(citation))
        return quotes(reading.analysis.text, reading.analysis.terms, (self._quotable[c] for c in reading.cited))

    # --- alignment -------------------------------------------------------------------------------------------

    def units(self, citations: Sequence[int]) -> tuple[Unit, ...]:
        """The units of some passages, headers of tables left out."""
        key = tuple(citations)
        found = self._units.get(key)
        if found is None:
            chosen = (p for p in self.passages if p.citation in key)
            found = self._units[key] = tuple(u for p in chosen for u in p.units if u.kind != "header")
        return found

    def passage(self, citation: int) -> Passage:
        """The passage with a citation number that is known to exist."""
        return self.passages[citation - 1]

    def bind(self, analysis: Analysis, item: Item, unit: Unit | None = None) -> Binding:
        """What a quantity or time belongs to (``binding.bind``), found once a request."""
        key = (id(analysis), item.start, item.end, id(unit))
        found = self._bound.get(key)
        if found is None:
            found = self._bound[key] = bind(analysis, item, unit)
        return found

    def title_bag(self, passage: Passage) -> Bag:
        """What a passage's title, version and headings offer to match against."""
        found = self._titles.get(passage.citation)
        if found is None:
            found = self._titles[passage.citation] = Bag.of([passage.title])
        return found

    def others(self, citations: Sequence[int]) -> list[int]:
        """The numbers of all passages that are not among ``citations``."""
        return [p.citation for p in self.passages if p.citation not in citations]

    def align(self, reading: Reading, citations: Sequence[int], span: tuple[int, int] | None = None) -> list[Aligned]:
        """The units that carry a statement (or a span of it), best first."""
        start, end = span or (0, len(reading.analysis.text))
        key = (reading.index, start, end, tuple(citations))
        if key not in self._aligned:
            self._aligned[key] = self.align_analysis(reading.analysis, citations, (start, end))
        return self._aligned[key]

    def rows_meant(self, reading: Reading, *, asked: bool = True) -> list[Row]:
        """The rows of the cited tables that a statement speaks of, by name, else by what the text before speaks of."""
        rows = rows_of(self.units(reading.cited))
        if not rows:
            return []
        found = named_rows(reading.analysis.low, rows)
        earlier = self.spoken_of(reading)
        if earlier is not None:
            found += [row for row in named_rows(earlier.analysis.low, rows) if row not in found]
        return found or (named_rows(self.question.analysis.low, rows) if asked else [])

    def spoken_of(self, reading: Reading) -> Reading | None:
        """The statement that a pronoun at the head of this one points to: the nearest claim before it."""
        if not REFERS_BACK.match(reading.analysis.low):
            return None
        before = self.readings[max(0, reading.index - _REACH) : reading.index]
        return next((r for r in reversed(before) if r.is_claim), None)

    def discloses(self, reading: Reading) -> bool:
        """The statement tells that its sources disagree, so it repeats both sides."""
        return len(reading.cited) > 1 and self.config.lexicon.disclosure.search(reading.analysis.low) is not None

    def timeline(self, day: date) -> Timeline:
        """The standing of the passages on a day."""
        if day not in self._timelines:
            self._timelines[day] = Timeline(self.passages, day, self.config.lexicon)
        return self._timelines[day]

    def clauses(self, analysis: Analysis) -> tuple[Clause, ...]:
        """The clauses of an analysed text."""
        found = self._clauses.get(analysis.text)
        if found is None:
            # A table's row may be read otherwise in another table. The clauses hold the analysis, so no other one can
            # have its id while they are kept.
            kept: tuple[Clause, ...] = self.analyser.clauses.get(
                id(analysis), lambda: clauses_of(analysis, self.config.lexicon)
            )
            found = self._clauses[analysis.text] = kept
        return found

    def pairs(self, reading: Reading) -> tuple[Pair, ...]:
        """The clauses of a statement with the clauses of its cited passages that they say again."""
        found = self._pairs.get(reading.index)
        if found is None:
            evidence = [
                (unit, clause)
                for unit in self.units(reading.cited)
                if unit.kind != "heading"
                for clause in self.clauses(unit.analysis)
            ]
            pairs = (pair_up(clause, evidence, self.bags) for clause in self.clauses(reading.analysis))
            found = self._pairs[reading.index] = tuple(p for p in pairs if p is not None)
        return found

    def align_analysis(self, analysis: Analysis, citations: Sequence[int], span: tuple[int, int]) -> list[Aligned]:
        """Like ``align`` for any analysed text."""
        start, end = span
        terms = in_span(analysis.terms, start, end)
        quantities = [q for q in analysis.quantities if start <= q.start < end]
        strict = [n for n in analysis.names if n.strict]
        names = [n for n in strict if start <= n.start < end] or strict
        result = []
        for unit in self.units(citations):
            coverage = cover(terms, self.bags.unit(unit))
            result.append(Aligned(unit, coverage.share + _bonus(quantities, names, unit), coverage))
        result.sort(key=lambda a: (-a.score, a.unit.citation, a.unit.index))
        return result


def _bonus(quantities: Sequence[Quantity], names: Sequence[Name], unit: Unit) -> float:
    """What values and names that a unit shares with a text, or has others of, say of whether it carries the text."""
    bonus = 0.0
    if quantities:
        hits = sum(any(equal(q, e) for e in unit.analysis.quantities) for q in quantities)
        bonus += 0.25 * hits / len(quantities)
    if names and unit.names:
        keys = {n.key for n in unit.names}
        if any(n.key in keys for n in names):
            bonus += 0.25
        elif {shape(n) for n in names} & {shape(n) for n in unit.names}:
            bonus -= 0.6
    return bonus
