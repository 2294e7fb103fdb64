"""How well questions are answered.

An answer is right if it contains one of the accepted strings, case and white space aside, and cites a document
of ``must_cite`` (all of them where ``cite`` is ``all``) and none of ``must_not_cite``. Where ``expect`` is
``refuse``, a refusal is right: neither a question back nor bare evidence is one. The demonstration and the
benchmarks judge by the same :func:`fault`.
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
REFUSED = "refused"

Predictions = Mapping[str, Mapping[str, Any]]


def predictor(
    ask: Callable[[Any], Any], knowledge_bases: Sequence[str], *, extractive: bool
) -> Callable[[Row], dict[str, Any]]:
    """``ask`` takes an AskRequest and gives an AskResponse; ``knowledge_bases`` go before those of the rows."""
    from cli.options import parse_day, to_date
    from cli.render.answer import rounds
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
        return {
            ID: row[ID],
            **what_it_said(response),
            "confidence": round(response.answer.confidence, 6),
            "degraded": response.answer.degraded,
            "rounds": rounds(response),
            "latency_ms": round(took, 2),
            "trace_id": response.trace_id,
        }

    return predict


def what_it_said(response: Any) -> dict[str, Any]:
    """What of an AskResponse is judged."""
    from cli.render.words import enum_word
    from trirag.orchestrator.v1 import orchestrator_pb2 as pb

    answer = response.answer
    return {
        "status": enum_word(pb.AnswerStatus, answer.status),
        "method": enum_word(pb.AnswerMethod, answer.method),
        "answer": answer.text,
        "cited": sorted({s.chunk.document.document_id for s in answer.sources if s.cited}),
    }


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
    return not fault(row, said)


def fault(row: Row, said: Mapping[str, Any]) -> str:
    """How what was said differs from what the row expects; empty if it does not."""
    wanted = REFUSED if row["expect"] == "refuse" else ANSWERED
    if said["status"] != wanted:
        return f"{said['status']} instead of {wanted}"
    if wanted == REFUSED:
        return ""
    accepted, text = row.get("answers") or [], _squeezed(said["answer"])
    if accepted and not any(_squeezed(answer) in text for answer in accepted):
        return f"none of {', '.join(accepted)} in the answer"
    return _wrong_citation(row, said)


def _wrong_citation(row: Row, said: Mapping[str, Any]) -> str:
    cited, wanted = set(said["cited"]), set(row.get("must_cite") or [])
    missing = wanted - cited
    if missing and (row.get("cite") == "all" or missing == wanted):
        return f"does not cite {', '.join(sorted(missing))}"
    forbidden = cited & set(row.get("must_not_cite") or [])
    return f"cites {', '.join(sorted(forbidden))}" if forbidden else ""


def _squeezed(text: str) -> str:
    return "".join(text.split()).casefold()


def _figures(rows: Sequence[Row], predictions: Predictions) -> dict[str, Any]:
    judged = [(row, predictions[row[ID]]) for row in rows if row[ID] in predictions]
    refused = [row for row, said in judged if said["status"] == REFUSED]
    answers = [(row, said) for row, said in judged if said["status"] == ANSWERED and row["expect"] != "refuse"]
    taken = [int(said["rounds"]) for _, said in judged]
    return {
        "n": len(rows),
        "correct": sum(correct(row, said) for row, said in judged),
        "answered_right": sum(correct(row, said) for row, said in answers),
        "refused_right": sum(row["expect"] == "refuse" for row in refused),
        "refused_wrong": sum(row["expect"] != "refuse" for row in refused),
        "cited_right": sum(not _wrong_citation(row, said) for row, said in answers),
        "rounds_mean": rounded(sum(taken) / len(taken)) if taken else None,
        "latency_ms": latency([float(said["latency_ms"]) for _, said in judged]),
    }


def _figures_by(rows: Sequence[Row], predictions: Predictions, key: str) -> dict[str, Any]:
    return by_group(rows, lambda row: str(row.get(key, "")), lambda group: _figures(group, predictions))
