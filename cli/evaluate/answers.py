"""How well questions are answered.

An answer is right if it contains one of the accepted strings, case and white space aside, and cites a document
of ``must_cite`` (all of them where ``cite`` is ``all``) and none of ``must_not_cite``. Where ``expect`` is
``refuse``, a refusal is right.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cli.evaluate.figures import by_group, latency, rounded
from cli.evaluate.rows import Row

ID = "id"
REQUIRED = ("question", "expect")
ANSWERED = "answered"

Predictions = Mapping[str, Mapping[str, Any]]


def predictor(
    ask: Callable[[Any], Any], knowledge_bases: Sequence[str], *, extractive: bool
) -> Callable[[Row], dict[str, Any]]:
    """``ask`` takes an AskRequest and gives an AskResponse; ``knowledge_bases`` go before those of the rows."""
    from cli.options import parse_day, to_date
    from cli.render.answer import rounds
    from cli.render.words import enum_word
    from trirag.orchestrator.v1 import orchestrator_pb2 as pb

    def predict(row: Row) -> dict[str, Any]:
        request = pb.AskRequest(
            question=row["question"],
            as_of=to_date(parse_day("as_of", row.get("as_of"))),
            knowledge_bases=list(knowledge_bases) or ([row["kb"]] if row.get("kb") else []),
            extractive_only=extractive,
        )
        started = time.perf_counter()
        response = ask(request)
        took = (time.perf_counter() - started) * 1000
        answer = response.answer
        return {
            ID: row[ID],
            "status": enum_word(pb.AnswerStatus, answer.status),
            "method": enum_word(pb.AnswerMethod, answer.method),
            "answer": answer.text,
            "cited": sorted({s.chunk.document.document_id for s in answer.sources if s.cited}),
            "confidence": round(answer.confidence, 6),
            "degraded": answer.degraded,
            "rounds": rounds(response),
            "latency_ms": round(took, 2),
            "trace_id": response.trace_id,
        }

    return predict


def score(rows: Sequence[Row], predictions: Predictions) -> dict[str, Any]:
    """Figures over all questions, by type and by language.

    ``correct`` counts right answers and right refusals, ``refused_right`` and ``refused_wrong`` refusals where
    one was and was not expected, ``cited_right`` answers that cite what they must.
    """
    statuses = Counter(str(said["status"]) for said in predictions.values())
    return {
        **_figures(rows, predictions),
        "types": _figures_by(rows, predictions, "type"),
        "languages": _figures_by(rows, predictions, "language"),
        "statuses": dict(sorted(statuses.items())),
        "missing_predictions": sum(row[ID] not in predictions for row in rows),
    }


def failing(rows: Sequence[Row], predictions: Predictions) -> list[dict[str, Any]]:
    """Questions that were not answered, or not refused, as expected."""
    found = []
    for row in rows:
        said = predictions.get(row[ID])
        if not said or not correct(row, said):
            wanted = {key: row.get(key) for key in ("question", "as_of", "expect", "answers", "must_cite")}
            shown = {key: (said or {}).get(key) for key in ("status", "answer", "cited", "trace_id")}
            found.append({ID: row[ID], **wanted, "got": shown})
    return found


def correct(row: Row, said: Mapping[str, Any]) -> bool:
    """Whether one question was answered, or refused, as expected."""
    if row["expect"] == "refuse":
        return bool(said["status"] != ANSWERED)
    return said["status"] == ANSWERED and holds_accepted(row, said) and cites_right(row, said)


def holds_accepted(row: Row, said: Mapping[str, Any]) -> bool:
    """Whether the text has an accepted string; true where the row names none."""
    accepted = row.get("answers") or []
    text = _squeezed(said["answer"])
    return not accepted or any(_squeezed(answer) in text for answer in accepted)


def cites_right(row: Row, said: Mapping[str, Any]) -> bool:
    """Whether the answer cites what it must and nothing that it must not."""
    cited, wanted = set(said["cited"]), set(row.get("must_cite") or [])
    enough = wanted <= cited if row.get("cite") == "all" else not wanted or bool(wanted & cited)
    return enough and not cited & set(row.get("must_not_cite") or [])


def _squeezed(text: str) -> str:
    return "".join(text.split()).casefold()


def _figures(rows: Sequence[Row], predictions: Predictions) -> dict[str, Any]:
    judged = [(row, predictions[row[ID]]) for row in rows if row[ID] in predictions]
    refused = [row for row, said in judged if said["status"] != ANSWERED]
    answers = [(row, said) for row, said in judged if said["status"] == ANSWERED and row["expect"] != "refuse"]
    taken = [int(said["rounds"]) for _, said in judged]
    return {
        "n": len(rows),
        "correct": sum(correct(row, said) for row, said in judged),
        "answered_right": sum(correct(row, said) for row, said in answers),
        "refused_right": sum(row["expect"] == "refuse" for row in refused),
        "refused_wrong": sum(row["expect"] != "refuse" for row in refused),
        "cited_right": sum(cites_right(row, said) for row, said in answers),
        "rounds_mean": rounded(sum(taken) / len(taken)) if taken else None,
        "latency_ms": latency([float(said["latency_ms"]) for _, said in judged]),
    }


def _figures_by(rows: Sequence[Row], predictions: Predictions, key: str) -> dict[str, Any]:
    return by_group(rows, lambda row: str(row.get(key, "")), lambda group: _figures(group, predictions))
