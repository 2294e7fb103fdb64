"""One question from text to structure. The order of the stages is the order of dependence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from services.common.domain.question import (
    Action,
    Ambiguity,
    LanguageSpan,
    Mention,
    ParsedQuestion,
    ScoredAction,
)
from services.perception.domain import actions, company, comparison, constraints, entities, language, parts, respects
from services.perception.domain.candidates import Candidate
from services.perception.domain.matching import Question
from services.perception.domain.names import NameIndex
from services.perception.domain.rules import RuleSet
from services.perception.domain.text import normalise
from services.perception.domain.time_expressions import TimeSettings
from services.perception.domain.time_reading import TimeReading, read_time
from services.perception.domain.tokens import Analyser
from services.perception.domain.vagueness import read_vagueness


@dataclass(frozen=True, slots=True)
class Interpreter:
    """Everything one parse needs, immutable: a reload builds another."""

    rules: RuleSet
    names: NameIndex
    analyser: Analyser
    version: str
    fiscal_start_month: int = 1

    def parse(self, text: str, reference: date) -> ParsedQuestion:
        """The structure of ``text`` as asked on ``reference``. Any text gives a result."""
        question, spans, detected = self.prepare(text)
        codes = entities.find_codes(question)
        named = entities.find_entities(question, self.names, codes)
        settings = TimeSettings(reference, self.fiscal_start_month)
        code_spans, name_spans = ([(c.start, c.end) for c in group] for group in (codes, named))
        time = read_time(question, code_spans, name_spans, settings)
        named = _outside_time(named, time)
        stretches = parts.split(question)
        sides, attributes = comparison.find_sides(question, time.spans)
        ranked = actions.rank_actions(question, stretches, sides)
        scored = actions.combine(ranked)
        subjects = sorted((*codes, *named), key=lambda c: c.start)
        why, missing = read_vagueness(question, subjects)
        if why is not None:
            scored = (ScoredAction(Action.UNKNOWN, 1.0, why), *scored)
        attributes = respects.find_respects(question, sides) or attributes or comparison.find_attributes(question)
        named = company.beside_names(question, _apart(named, sides), sides)
        subjects = sorted((*codes, *named), key=lambda c: c.start)
        source = constraints.read_source(question, subjects, time.spans)
        if source is not None and any(s.start < source.end and source.start < s.end for s in sides):
            source = None  # two contracts that are compared are no place to look
        return ParsedQuestion(
            question=text,
            language=detected,
            actions=scored,
            reference_date=reference,
            rules_version=self.version,
            entities=_mentions(question, sorted((*named, *_models(codes, named)), key=lambda c: c.start)),
            codes=_mentions(question, codes),
            attributes=_mentions(question, attributes),
            time=time.constraint,
            time_mentions=time.mentions,
            quantity=constraints.read_quantity(question),
            sides=_mentions(question, sides),
            source=source.mention(question.text) if source else None,
            exclusions=constraints.read_exclusions(question, named),
            labels=constraints.read_labels(question, [a.action.value for a in scored]),
            parts=parts.describe(question, stretches, ranked, subjects, time.spans),
            rewrites=constraints.rewrite(question),
            language_spans=tuple(LanguageSpan(name, question.text.span(s, e)) for name, s, e in spans),
            ambiguities=time.ambiguities + _tie(scored),
            missing=missing,
        )

    def prepare(self, text: str) -> tuple[Question, list[tuple[str, int, int]], str]:
        """``text`` normalised and tagged, its stretches of one language, and its language as a whole."""
        normalised = normalise(text, self.rules.traditional)
        spans = language.spans_of(normalised.text, self.rules.function_words)
        detected = language.question_language(normalised.text, spans)
        analysis = self.analyser.analyse(normalised.text, spans)
        present = frozenset(name for name, _, _ in spans)
        if detected == "zh":  # Latin names and codes are no English clause: what it asks is said in Chinese
            present -= {"en"}
        if present <= {language.UNDETERMINED}:  # figures only: either language's rules may know them
            present |= {"en", "zh"}
        return Question(normalised, analysis, self.rules, present), spans, detected


def _outside_time(named: Sequence[Candidate], time: TimeReading) -> list[Candidate]:
    """Names that are part of a time expression ("March") are none."""
    return [c for c in named if not any(c.start < end and start < c.end for start, end in time.spans)]


def _apart(named: Sequence[Candidate], sides: Sequence[Candidate]) -> list[Candidate]:
    """A name that runs over two sides ("Naked Tango and Algiers") is the two of them."""
    kept: list[Candidate] = []
    for name in named:
        covered = [side for side in sides if side.start < name.end and name.start < side.end]
        if len(covered) < 2:
            kept.append(name)
            continue
        for side in covered:
            start, end = max(side.start, name.start), min(side.end, name.end)
            if not any(start < other.end and other.start < end for other in (*kept, *(n for n in named if n != name))):
                kept.append(replace(name, start=start, end=end, canonical=""))
    return sorted(kept, key=lambda c: c.start)


def _models(codes: Sequence[Candidate], named: Sequence[Candidate]) -> list[Candidate]:
    """Codes that name a product and are no part of a name: they are what a question is about, as a name would be."""
    models = (code for code in codes if code.type == "model_number")
    return [m for m in models if not any(name.start <= m.start and m.end <= name.end for name in named)]


def _mentions(question: Question, candidates: Sequence[Candidate]) -> tuple[Mention, ...]:
    return tuple(c.mention(question.text) for c in candidates)


def _tie(scored: Sequence[ScoredAction]) -> tuple[Ambiguity, ...]:
    """Two actions with equal scores: reported, the first one acted on."""
    if len(scored) > 1 and scored[0].score == scored[1].score:
        options = tuple(a.action.value for a in scored if a.score == scored[0].score)
        return (Ambiguity("action", scored[0].origin.matched_text, options),)
    return ()
