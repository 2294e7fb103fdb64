"""The figures of Validation: labelled answers on both halves, claims and sufficiency against simple baselines.

usage: python -m bench.validation_eval SHARED_DATA [--no-embedding] [--every N] [--report DIR]
           [--splits N [--claims FILE] [--namesakes FILE]]

Thresholds come from half 0 of each file (``steady_threshold``) and are reported on half 1. ``--splits N`` adds N random
halves, the weights learnt and the thresholds chosen on one and reported on the other, with the further rows of
``validation_calibrate.py``. ``--every N`` takes every N-th row of claims and sufficiency. The embedding baseline takes
some minutes the first time; its vectors are kept in .run/bench. ``--report`` writes risk-coverage.svg.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from bench.validation_calibrate import SOURCES, further_claims, further_evidence, sufficiency_rows, support_rows
from bench.validation_curves import risk_coverage, svg
from bench.validation_data import (
    auroc,
    balanced_accuracy,
    bm25_scorer,
    calibration_error,
    claim_texts,
    embedding_cosines,
    half,
    read_rows,
    steady_threshold,
    token_overlap,
)
from bench.validation_rows import neighbours, retrieved
from bench.validation_splits import Statement, claim_splits, sufficiency_splits
from services.validation.adapters.config import default_config
from services.validation.adapters.rows import sufficiency_row, validation_row
from services.validation.domain.wording.support import probability
from services.validation.validator import check_sufficiency, validate_answer

TODAY = date(2026, 11, 30)
CACHE = Path(".run/bench/embeddings.db")
Row = dict[str, Any]
Scores = dict[str, list[float]]


def labelled_answers(data: Path) -> None:
    """Detection of invalid answers on both halves of shared/validation."""
    rows = read_rows(data / "validation/dev.jsonl")
    print("validation   half cases  precision recall f1     families right")
    for part in (0, 1):
        chosen = [r for r in rows if half(r["id"][:-1]) == part]
        found = {r["id"]: "valid" if _verdict(r).valid else "invalid" for r in chosen}
        count = Counter((r["label"], found[r["id"]]) for r in chosen)
        hits = count["invalid", "invalid"]
        precision = hits / max(1, hits + count["valid", "invalid"])
        recall = hits / max(1, hits + count["invalid", "valid"])
        families: dict[str, list[bool]] = defaultdict(list)
        for r in chosen:
            families[r["id"][:-1]].append(found[r["id"]] == r["label"])
        whole = sum(all(f) for f in families.values()) / len(families)
        f1 = 2 * precision * recall / max(1e-9, precision + recall)
        print(f"             {part:4} {len(chosen):5}  {precision:.3f}     {recall:.3f}  {f1:.3f}  {whole:.3f}")


def _verdict(row: Row) -> Any:
    item = validation_row(row)
    return validate_answer(item.question, None, item.answer, item.chunks, item.as_of, TODAY, default_config())


def _judged(row: Row) -> Any:
    item = sufficiency_row(row)
    return check_sufficiency(item.question, None, item.chunks, item.as_of, TODAY, default_config())


def baselines(texts: Callable[[Row], tuple[str, list[str]]], rows: Sequence[Row], embedding: bool) -> Scores:
    """The scores of the simple baselines on all rows; ``texts`` gives what is asked and the passages."""
    pairs = [texts(row) for row in rows]
    bm25 = bm25_scorer([passage for _, passages in pairs for passage in passages])
    found = {
        "token overlap": [token_overlap(*pair) for pair in pairs],
        "BM25": [bm25(*pair) for pair in pairs],
    }
    cosines = embedding_cosines(pairs, CACHE) if embedding else None
    if cosines is not None:
        found["embedding cosine"] = cosines
    return found


def table(title: str, rows: Sequence[Row], positive: str, scored: Mapping[str, Sequence[float]]) -> None:
    """One line a scorer: threshold from half 0, figures on both halves."""
    print(f"{title}: {len(rows)} rows\n{'':28}balanced(0) balanced(1) auroc(0) auroc(1)")
    parts = [[i for i, r in enumerate(rows) if half(r["id"]) == p] for p in (0, 1)]
    labels = [[rows[i]["label"] == positive for i in part] for part in parts]
    if not all(any(y) and not all(y) for y in labels):
        print("  one class only")
        return
    for name, scores in scored.items():
        values = [[scores[i] for i in part] for part in parts]
        cut = steady_threshold(values[0], labels[0])
        figures = [balanced_accuracy(v, y, cut) for v, y in zip(values, labels, strict=True)]
        areas = [auroc(v, y) for v, y in zip(values, labels, strict=True)]
        print(f"  {name:26}{figures[0]:.3f}       {figures[1]:.3f}       {areas[0]:.3f}    {areas[1]:.3f}")


def _print_error(scores: Sequence[float], rows: Sequence[Row], good: str, indent: str = "  ") -> None:
    tested = [(s, r["label"] == good) for s, r in zip(scores, rows, strict=True) if half(r["id"]) == 1]
    error = calibration_error([s for s, _ in tested], [y for _, y in tested])
    print(f"{indent}expected calibration error, half 1: {error:.3f}")


def claims(data: Path, options: argparse.Namespace) -> None:
    """Real claims against the pages they cite."""
    rows = read_rows(data / "claims/validation.jsonl")[:: options.every]
    scored = baselines(claim_texts, rows, not options.no_embedding)
    confidence = [float(_verdict(row).confidence) for row in rows]
    statements, answers = support_rows(data)
    supported = _supported(statements)
    support = [supported[row["id"]] for row in rows]
    mine = {"support score": support, "confidence of the verdict": confidence}
    table("claims (valid against invalid)", rows, "valid", scored | mine)
    for name, scores in mine.items():
        _print_error(scores, rows, "valid", f"  {name}: ")
    if options.splits:
        claim_splits(statements, answers, further_claims(options.claims), rows, scored, options.splits)


def _supported(statements: Sequence[Statement]) -> dict[str, float]:
    """The shipped support score of every claim: that of its weakest statement."""
    model = default_config().support
    found: dict[str, float] = {}
    for key, features, _ in statements:
        found[key] = min(found.get(key, 1.0), probability(model, dict(features))[0])
    return found


def sufficiency(data: Path, options: argparse.Namespace) -> None:
    """Is the evidence enough: accuracy and AUROC by source set, and the risk-coverage curve."""
    rows = read_rows(data / "sufficiency/sufficiency.jsonl")[:: options.every]
    judged = {row["id"]: _judged(row) for row in rows}
    texts: Callable[[Row], tuple[str, list[str]]] = lambda r: (r["question"], [c["text"] for c in r["chunks"]])  # noqa: E731
    scored = baselines(texts, rows, not options.no_embedding)
    scored["validation"] = [float(judged[row["id"]].score) for row in rows]
    for source in SOURCES:
        chosen = [i for i, r in enumerate(rows) if r["id"].startswith(source)]
        part = [rows[i] for i in chosen]
        mine = {name: [scores[i] for i in chosen] for name, scores in scored.items()}
        table(f"sufficiency {source} (sufficient against the rest)", part, "sufficient", mine)
        _print_error(mine["validation"], part, "sufficient")
        for number in (0, 1):
            _print_labels(f"  label right, half {number}", [r for r in part if half(r["id"]) == number], judged)
    _print_error(scored["validation"], rows, "sufficient", "sufficiency: ")
    made(data)
    if options.splits:
        further = further_evidence(options.namesakes, data)
        sufficiency_splits(sufficiency_rows(data), further, rows, scored, options.splits)
    curves = {}
    for name, scores in scored.items():
        tested = [(s, r["label"] == "sufficient") for s, r in zip(scores, rows, strict=True) if half(r["id"]) == 1]
        curves[name] = risk_coverage(tested)
    points = curves["validation"][:: max(1, len(curves["validation"]) // 10)]
    print("risk-coverage, half 1: " + ", ".join(f"{c:.0%} at risk {r:.2f}" for c, r in points))
    if options.report is not None:
        options.report.mkdir(parents=True, exist_ok=True)
        (options.report / "risk-coverage.svg").write_text(svg(curves), encoding="utf-8")
        print(f"curve written to {options.report / 'risk-coverage.svg'}")


def made(data: Path) -> None:
    """Rows made from the retrieval sets, half 1 by question: free of contradiction, in both languages."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in (*neighbours(data), *retrieved(data)):
        if half(row["key"]) == 1:
            groups[row["id"].split("-")[0]].append(row)
    print("passages without contradiction, half 1   rows  called conflicting  label right  auroc (sufficient)")
    for name, rows in groups.items():
        judged = [_judged(r) for r in rows]
        alarms = sum(j.label.value == "conflicting" for j in judged) / len(rows)
        right = sum(j.label.value == r["label"] for j, r in zip(judged, rows, strict=True)) / len(rows)
        area = auroc([j.score for j in judged], [r["label"] == "sufficient" for r in rows])
        print(f"  {name:36}{len(rows):6}  {alarms:18.3f}  {right:11.3f}  {area:.3f}")


def _print_labels(title: str, rows: Sequence[Row], judged: Mapping[str, Any]) -> None:
    count = Counter((r["label"], judged[r["id"]].label.value) for r in rows)
    right = sum(n for (gold, found), n in count.items() if gold == found) / max(1, len(rows))
    print(f"{title}: {right:.3f}  " + ", ".join(f"{gold}→{found} {n}" for (gold, found), n in sorted(count.items())))


def main() -> int:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", type=Path)
    parser.add_argument("--no-embedding", action="store_true")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--splits", type=int, default=0)
    parser.add_argument("--claims", type=Path)
    parser.add_argument("--namesakes", type=Path)
    parser.add_argument("--report", type=Path)
    options = parser.parse_args()
    labelled_answers(options.data)
    claims(options.data, options)
    sufficiency(options.data, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
