"""How well questions are parsed. Keys and rules are those of the scorer beside the data.

Strings count as equal after Unicode NFKC, case folding, squeezed white space, and without quotation and title
marks at their ends. ``variants`` are other spellings of a label, ``optional`` neither helps nor hurts.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cli.evaluate.figures import by_group, f1_score, ratio, share
from cli.evaluate.rows import Row

ID = "id"
REQUIRED = ("question", "language", "action", "entities", "codes", "time", "quantitative", "sides", "source", "parts")
LISTS = ("entities", "codes", "sides")
_END_MARKS = "\"'`“”‘’«»「」『』《》〈〉＂＇ \t\r\n"


@dataclass(frozen=True, slots=True)
class Counts:
    """Hits, strings too many and strings that were missed."""

    hits: int
    extra: int
    missed: int

    @property
    def exact(self) -> bool:
        """Neither too many nor missed."""
        return not self.extra and not self.missed


@dataclass(frozen=True, slots=True)
class Judged:
    """One question, every field judged."""

    row: Row
    action: bool
    primary: bool
    lists: Mapping[str, Counts]
    time: bool
    relation: bool
    constraint: Counts
    quantitative: bool
    sides: bool
    source: bool
    parts: bool

    @property
    def failing(self) -> list[str]:
        """Fields that are not right."""
        flags = {
            "action": self.action,
            "entities": self.lists["entities"].exact,
            "codes": self.lists["codes"].exact,
            "time": self.time,
            "quantitative": self.quantitative,
            "sides": self.sides,
            "source": self.source,
            "parts": self.parts,
        }
        return [name for name, right in flags.items() if not right]


def predictor(parse: Callable[[Any], Any]) -> Callable[[Row], dict[str, Any]]:
    """``parse`` takes a ParseRequest and gives a ParsedQuestion message."""
    from cli.options import parse_day, to_date
    from services.common.converters.question import from_proto_question
    from services.perception.scoring import to_scorer_form
    from trirag.perception.v1 import perception_pb2 as pb

    def predict(row: Row) -> dict[str, Any]:
        day = parse_day("reference_date", row.get("reference_date"))
        parsed = parse(pb.ParseRequest(question=row["question"], reference_date=to_date(day)))
        return {ID: row[ID], **to_scorer_form(from_proto_question(parsed))}

    return predict


def score(rows: Sequence[Row], predictions: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Figures over all questions, by language, and the share of right actions by primary action."""
    judged = [judge(row, predictions.get(row[ID])) for row in rows]
    return {
        "all": _figures(judged),
        "languages": by_group(judged, lambda j: str(j.row["language"]), _figures),
        "action_accuracy_by_primary": by_group(
            judged,
            lambda j: str(j.row["action"][0]),
            lambda group: {"questions": len(group), "accuracy": share(j.action for j in group)},
        ),
        "without_prediction": sum(row[ID] not in predictions for row in rows),
        "unknown_prediction_ids": len(set(predictions) - {row[ID] for row in rows}),
    }


def failing(rows: Sequence[Row], predictions: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Questions with a wrong field, label and prediction side by side."""
    found = []
    for row in rows:
        prediction = predictions.get(row[ID])
        fields = judge(row, prediction).failing
        if fields:
            said = {name: {"label": row[name], "predicted": (prediction or {}).get(name)} for name in fields}
            found.append({ID: row[ID], "question": row["question"], "fields": said})
    return found


def judge(row: Row, prediction: Mapping[str, Any] | None) -> Judged:
    """Judges one prediction; without one every field fails."""
    said: Mapping[str, Any] = prediction or {}
    given = prediction is not None
    action = _action(said)
    label_time, said_time = _time(row["time"]), _time(said.get("time"))
    lists = {name: _compare(row, said, name) for name in LISTS}
    return Judged(
        row=row,
        action=given and action in row["action"],
        primary=given and action == row["action"][0],
        lists=lists,
        time=given and label_time == said_time,
        relation=given and _relation(label_time) == _relation(said_time),
        constraint=Counts(
            bool(label_time and said_time), bool(said_time and not label_time), bool(label_time and not said_time)
        ),
        quantitative=given and said.get("quantitative") is row["quantitative"],
        sides=given and lists["sides"].exact,
        source=given and _source_right(row, said),
        parts=given and said.get("parts") == row["parts"],
    )


def normalised(text: object) -> str:
    """The form in which strings are compared."""
    folded = unicodedata.normalize("NFKC", str(text)).casefold()
    return " ".join(folded.split()).strip(_END_MARKS)


def _figures(judged: Sequence[Judged]) -> dict[str, Any]:
    timed = [j for j in judged if _time(j.row["time"])]
    return {
        "questions": len(judged),
        "action_accuracy": share(j.action for j in judged),
        "action_primary_accuracy": share(j.primary for j in judged),
        "entities": _retrieval_figures([j.lists["entities"] for j in judged]),
        "codes": _retrieval_figures([j.lists["codes"] for j in judged]),
        "time_accuracy": share(j.time for j in judged),
        "time_accuracy_where_labelled": share(j.time for j in timed),
        "time_relation_accuracy_where_labelled": share(j.relation for j in timed),
        "time_detection": _retrieval_figures([j.constraint for j in judged]),
        "quantitative_accuracy": share(j.quantitative for j in judged),
        "sides_accuracy": share(j.sides for j in judged),
        "sides_accuracy_where_labelled": share(j.sides for j in judged if j.row["sides"]),
        "source_accuracy": share(j.source for j in judged),
        "source_accuracy_where_labelled": share(j.source for j in judged if j.row["source"]),
        "parts_accuracy": share(j.parts for j in judged),
        "parts_accuracy_where_several": share(j.parts for j in judged if j.row["parts"] > 1),
    }


def _retrieval_figures(counts: Sequence[Counts]) -> dict[str, Any]:
    hits, extra, missed = (sum(getattr(c, name) for c in counts) for name in ("hits", "extra", "missed"))
    return {
        "precision": ratio(hits, hits + extra),
        "recall": ratio(hits, hits + missed),
        "f1": f1_score(hits, hits + extra, hits + missed),
        "tp": hits,
        "fp": extra,
        "fn": missed,
    }


def _compare(row: Row, said: Mapping[str, Any], name: str) -> Counts:
    spellings = [_spellings(row, name, label) for label in row.get(name) or []]
    predicted = _distinct(said.get(name))
    hits = sum(bool(forms & predicted) for forms in spellings)
    welcome = set().union(*spellings, _distinct((row.get("optional") or {}).get(name)))
    return Counts(hits, len(predicted - welcome), len(spellings) - hits)


def _spellings(row: Row, name: str, label: str) -> set[str]:
    variants = (row.get("variants") or {}).get(name) or {}
    return _distinct([label, *variants.get(label, [])])


def _source_right(row: Row, said: Mapping[str, Any]) -> bool:
    source = normalised(said.get("source") or "")
    if row["source"]:
        return source in _spellings(row, "source", row["source"])
    return not source or source in _distinct((row.get("optional") or {}).get("source"))


def _distinct(values: Iterable[str] | str | None) -> set[str]:
    listed = [values] if isinstance(values, str) else values or []
    return {form for form in map(normalised, listed) if form}


def _action(said: Mapping[str, Any]) -> str | None:
    action = said.get("action")
    if isinstance(action, list):
        action = action[0] if action else None
    return str(action).casefold() if action else None


def _time(value: Any) -> tuple[str, str | None, str | None] | None:
    if not isinstance(value, dict) or not value.get("relation"):
        return None
    return str(value["relation"]).casefold(), value.get("start") or None, value.get("end") or None


def _relation(time: tuple[str, str | None, str | None] | None) -> str | None:
    return time[0] if time else None
