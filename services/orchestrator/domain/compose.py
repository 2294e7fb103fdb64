"""The extractive composer: an answer of quoted, cited sentences chosen from the evidence. No language model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from services.common.domain.question import Action, ParsedQuestion
from services.common.domain.verdict import Sufficiency
from services.orchestrator.domain.concepts import Gloss, no_gloss
from services.orchestrator.domain.conflicts import open_conflicts
from services.orchestrator.domain.draft import Draft, DraftStatement
from services.orchestrator.domain.evidence import Evidence
from services.orchestrator.domain.growth import CUE, PERIOD, GrowthTexts, Period, asked_periods, grown, narrowed
from services.orchestrator.domain.needs import Need, needs_of
from services.orchestrator.domain.passages import Candidate, PassageIndex
from services.orchestrator.domain.sentences import is_chinese, terms
from services.orchestrator.domain.table_rows import YEAR, Wanted, extremes, listed

LIST_ACTIONS = frozenset({Action.HOW_TO, Action.LIST, Action.TROUBLESHOOT})
# Below this share of what is asked for a sentence does not speak of the question; a list needs a little more.
MIN_COVERAGE = 0.2
MIN_LIST_COVERAGE = 0.35
# Above this share of the old wording a sentence says the same thing.
MIN_LIKENESS = 0.5
SECOND_SENTENCE_RATIO = 0.8
MAX_ITEMS = 12
PARALLEL_CANDIDATES = 6
PARALLEL_BONUS = 0.6


@dataclass(frozen=True, slots=True)
class ComposeInputs:
    """``conflict_lead_in`` introduces sources that disagree; ``day`` is the day asked about.

    ``gloss`` lets one language's question meet the other's evidence. ``extra_needs`` are what a verdict on an
    earlier draft found unanswered; ``successors_of`` is old wording whose counterpart in force is asked for.
    ``instead``: of a question with one need they take the place of what was quoted for it, which was found beside it.
    ``growth_texts`` tell a computed growth, by the language of the quotations it follows from.
    """

    parsed: ParsedQuestion
    evidence: Sequence[Evidence]
    sufficiency: Sufficiency | None
    max_statements: int
    conflict_lead_in: str
    day: date
    gloss: Gloss = no_gloss
    extra_needs: tuple[str, ...] = ()
    successors_of: tuple[str, ...] = ()
    instead: bool = False
    growth_texts: Mapping[str, GrowthTexts] = field(default_factory=dict)


def compose(inputs: ComposeInputs) -> Draft:
    """Chooses the best sentences for every need of the question; an empty draft if nothing speaks of it."""
    computed = _growth(inputs)
    if computed:
        return Draft(computed)
    index = PassageIndex(inputs.parsed, inputs.evidence, inputs.gloss, inputs.day)
    statements: dict[str, DraftStatement] = {}
    succession = _succession(inputs, index)
    if succession and not (inputs.instead and inputs.extra_needs):
        return Draft(succession)
    needs = needs_of(inputs.parsed)
    chosen = _parallel(needs, index) or [c for need in needs for c in _best_for(need, index, inputs.parsed)]
    extra = [c for text in inputs.extra_needs for c in _best_for(Need(text, Action.LOOKUP), index, inputs.parsed)]
    chosen = extra if extra and inputs.instead and len(needs) == 1 else [*chosen, *extra]
    conflict = _disclosed(chosen, inputs)
    if conflict:
        return Draft(conflict)
    for candidate in chosen:
        statements.setdefault(candidate.sentence.text, _statement(candidate))
    limit = MAX_ITEMS if any(s.is_item for s in statements.values()) else inputs.max_statements
    return Draft(tuple(statements.values())[:limit])


def _statement(candidate: Candidate) -> DraftStatement:
    return DraftStatement(candidate.sentence.text, (candidate.number,), candidate.sentence.is_item)


def _succession(inputs: ComposeInputs, index: PassageIndex) -> tuple[DraftStatement, ...]:
    """What stands for the old place now, after the old place itself where that is in force as well.

    Of what is no longer in force the evidence may hold nothing: then its likeness to the old wording shows that it is
    the successor, or a lesser likeness together with the question's own words about it.
    """
    for wording in inputs.successors_of:
        place, successor = (next(iter(found), None) for found in (index.places(wording), index.successors(wording)))
        if successor is None:
            continue
        found = place is not None and place.score >= MIN_COVERAGE
        if place is not None and found and successor.score >= MIN_COVERAGE and _in_force(place, inputs):
            return (_statement(place), _statement(successor))
        sure = successor.score >= MIN_LIKENESS or found or _asked_for(successor, inputs)
        if successor.score >= MIN_COVERAGE and sure:
            return (_statement(successor),)
    return ()


def _asked_for(candidate: Candidate, inputs: ComposeInputs) -> bool:
    """Of all sentences it has most of the question; what stands for a place now does not bear its number."""
    index = PassageIndex(replace(inputs.parsed, codes=()), inputs.evidence, inputs.gloss, inputs.day)
    best = next(iter(index.ranked(inputs.parsed.question)), None)
    return best is not None and (best.number, best.sentence) == (candidate.number, candidate.sentence)


def _in_force(candidate: Candidate, inputs: ComposeInputs) -> bool:
    """Quoted as it stands, a text that is no longer in force would be told as if it were."""
    return inputs.evidence[candidate.number - 1].chunk.document.in_force_on(inputs.day)


def _growth(inputs: ComposeInputs) -> tuple[DraftStatement, ...]:
    """Both figures, quoted, and the growth that follows from them; empty where it is not asked or not to be had."""
    periods = asked_periods(inputs.parsed)
    if periods is None or inputs.parsed.time is None or not inputs.growth_texts:
        return ()

    def ranked(period: Period) -> list[Candidate]:
        about_period = narrowed(inputs.parsed, period)
        index = PassageIndex(about_period, inputs.evidence, inputs.gloss, inputs.day)
        return index.ranked(CUE.sub(" ", index.without_time(PERIOD.sub(" ", inputs.parsed.question))))

    growth = grown(periods, ranked, MIN_COVERAGE)
    if growth is None:
        return ()
    language = "zh" if is_chinese(growth.later.sentence.text) else "en"
    texts = inputs.growth_texts.get(language)
    if texts is None:
        return ()
    told = growth.told(texts)
    numbers = (growth.earlier.number, growth.later.number)
    return (_statement(growth.earlier), _statement(growth.later), DraftStatement(told, numbers))


def _disclosed(chosen: Sequence[Candidate], inputs: ComposeInputs) -> tuple[DraftStatement, ...]:
    """If what would be quoted is one side of an undecided conflict, both sides, told as such."""
    for conflict in open_conflicts(inputs.sufficiency, inputs.evidence):
        if any(conflict.concerns(c.number, c.sentence.text) for c in chosen):
            told = (DraftStatement(text, (number,)) for number, text in conflict.sentences.items())
            return (DraftStatement(inputs.conflict_lead_in), *told)
    return ()


def _parallel(needs: Sequence[Need], index: PassageIndex) -> list[Candidate]:
    """For two sides, the pair of sentences that says the same of both: what can be compared is alike but for the side.

    Empty where there are not two sides, or one has nothing to show.
    """
    if len(needs) != 2 or not all(n.side for n in needs):
        return []
    left, right = (
        [c for c in index.ranked(n.text, n.side, n.others)[:PARALLEL_CANDIDATES] if c.score >= MIN_COVERAGE]
        for n in needs
    )
    pairs = [((a.score + b.score) * (1 + PARALLEL_BONUS * _likeness(a, b)), a, b) for a in left for b in right]
    if not pairs:
        return []
    _, a, b = max(pairs, key=lambda p: p[0])
    return [a, b]


def _likeness(a: Candidate, b: Candidate) -> float:
    """Jaccard similarity of the sentences' terms, in [0, 1]."""
    left, right = terms(a.sentence.text), terms(b.sentence.text)
    return len(left & right) / len(left | right) if left | right else 0.0


def _best_for(need: Need, index: PassageIndex, parsed: ParsedQuestion) -> list[Candidate]:
    ranked = index.ranked(need.text, need.side, need.others)
    top = ranked[0] if ranked and ranked[0].score >= MIN_COVERAGE else None
    if need.action in LIST_ACTIONS:
        lists = index.lists(need.text)
        if lists and lists[0][0] >= MIN_LIST_COVERAGE:
            items = lists[0][1]
            # "What is it, and what is to be done?": a sentence about it before the steps.
            explains = any(a.action is Action.EXPLAIN for a in parsed.actions)
            prose = top is not None and not (top.sentence.is_item or top.sentence.is_row)
            return [top, *items] if top is not None and explains and prose else items
    if top is None:
        return []
    if top.sentence.is_row:
        return _rows(need, index, parsed, top, ranked)
    second = [
        c
        for c in ranked[1:4]
        if c.score >= top.score * SECOND_SENTENCE_RATIO and c.number == top.number and not c.sentence.is_row
    ]
    return [top, *second[:1]] if need.action is Action.EXPLAIN else [top]


def _rows(
    need: Need, index: PassageIndex, parsed: ParsedQuestion, top: Candidate, ranked: Sequence[Candidate]
) -> list[Candidate]:
    """The row of a table that was found; of a list all that belong to it, of the most or least those that have it."""
    table = index.table(top, ranked)
    asked = parsed.quantity
    if asked is not None and asked.superlative and len(table) > 1:
        years = frozenset(YEAR.findall(parsed.time.text if parsed.time else ""))
        wanted = Wanted(index.concepts(need.text), years, asked.superlative == "max", asked.top_n or 1)
        return extremes(table, wanted, index.gloss)
    if need.action is not Action.LIST:
        return [top]
    rows = listed(table, top)
    return [replace(r, sentence=replace(r.sentence, is_item=True)) for r in rows] if len(rows) > 1 else rows
