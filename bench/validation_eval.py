"""The figures of Validation: labelled answers on both halves, claims and sufficiency against simple baselines.

usage: python bench/validation_eval.py SHARED_DATA [--no-embedding] [--every N] [--curve FILE.svg]

Thresholds come from half 0 of each file and are reported on half 1. ``--every N`` takes every N-th row of claims and
sufficiency (the embedding baseline needs about a second for ten rows).
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from validation_data import (
    auroc,
    balanced_accuracy,
    best_threshold,
    bm25_scorer,
    calibration_error,
    embedding_scorer,
    half,
    read_rows,
    token_overlap,
)

from services.validation.adapters.config import default_config
from services.validation.adapters.rows import sufficiency_row, validation_row
from services.validation.validator import check_sufficiency, validate_answer

TODAY = date(2026, 11, 30)
Scorer = Callable[[dict[str, Any]], float]


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


def _verdict(row: dict[str, Any]) -> Any:
    item = validation_row(row)
    return validate_answer(item.question, None, item.answer, item.chunks, item.as_of, TODAY, default_config())


def _table(
    title: str, rows: Sequence[dict[str, Any]], positive: str, scorers: dict[str, Scorer]
) -> dict[str, list[float]]:
    """One line a scorer: threshold from half 0, figures on half 1."""
    print(f"{title}: {len(rows)} rows\n{'':28}balanced(0) balanced(1) auroc(0) auroc(1)")
    scored: dict[str, list[float]] = {}
    for name, scorer in scorers.items():
        scores = scored[name] = [scorer(row) for row in rows]
        parts = [[i for i, r in enumerate(rows) if half(r["id"]) == p] for p in (0, 1)]
        labels = [[rows[i]["label"] == positive for i in part] for part in parts]
        values = [[scores[i] for i in part] for part in parts]
        if not all(any(y) and not all(y) for y in labels):
            print(f"  {name:26}one class only")
            continue
        cut = best_threshold(values[0], labels[0])
        figures = [balanced_accuracy(v, y, cut) for v, y in zip(values, labels, strict=True)]
        areas = [auroc(v, y) for v, y in zip(values, labels, strict=True)]
        print(f"  {name:26}{figures[0]:.3f}       {figures[1]:.3f}       {areas[0]:.3f}    {areas[1]:.3f}")
    return scored


def _baselines(query: str, rows: Sequence[dict[str, Any]], embedding: bool) -> dict[str, Scorer]:
    bm25 = bm25_scorer([c["text"] for r in rows for c in r["chunks"]])
    texts: Callable[[dict[str, Any]], list[str]] = lambda row: [c["text"] for c in row["chunks"]]  # noqa: E731
    asked: Callable[[dict[str, Any]], str] = lambda row: str(row[query]).replace("[1]", "")  # noqa: E731
    found: dict[str, Scorer] = {
        "token overlap": lambda row: token_overlap(asked(row), texts(row)),
        "BM25": lambda row: bm25(asked(row), texts(row)),
    }
    cosine = embedding_scorer() if embedding else None
    if cosine is not None:
        found["embedding cosine"] = lambda row: cosine(asked(row), texts(row))
    return found


def claims(data: Path, embedding: bool, every: int) -> None:
    """Real claims against the pages they cite."""
    rows = read_rows(data / "claims/validation.jsonl")[::every]
    scorers = _baselines("answer", rows, embedding) | {"validation": lambda row: float(_verdict(row).confidence)}
    scored = _table("claims (valid against invalid)", rows, "valid", scorers)["validation"]
    tested = [(s, r["label"] == "valid") for s, r in zip(scored, rows, strict=True) if half(r["id"]) == 1]
    print(
        f"  expected calibration error, half 1: {calibration_error([s for s, _ in tested], [y for _, y in tested]):.3f}"
    )


def sufficiency(data: Path, embedding: bool, every: int, curve: Path | None) -> None:
    """Is the evidence enough: accuracy and AUROC by source set, and the risk-coverage curve."""
    rows = read_rows(data / "sufficiency/sufficiency.jsonl")[::every]
    judged = {}
    for row in rows:
        item = sufficiency_row(row)
        judged[row["id"]] = check_sufficiency(item.question, None, item.chunks, item.as_of, TODAY, default_config())
    scorers = _baselines("question", rows, embedding) | {"validation": lambda row: float(judged[row["id"]].score)}
    for source in ("clapnq", "conflictnq", "ramdocs"):
        part = [r for r in rows if r["id"].startswith(source)]
        _table(f"sufficiency {source} (sufficient against the rest)", part, "sufficient", scorers)
        for number in (0, 1):
            chosen = [r for r in part if half(r["id"]) == number]
            right = sum(judged[r["id"]].label.value == r["label"] for r in chosen)
            confusion = Counter((r["label"], judged[r["id"]].label.value) for r in chosen)
            print(f"  label right, half {number}: {right / max(1, len(chosen)):.3f}  " + _confusion(confusion))
    tested = [(judged[r["id"]].score, r["label"] == "sufficient") for r in rows if half(r["id"]) == 1]
    error = calibration_error([s for s, _ in tested], [y for _, y in tested])
    print(f"sufficiency, half 1: expected calibration error {error:.3f}")
    points = risk_coverage(tested)
    print(
        "risk-coverage, half 1: "
        + ", ".join(f"{c:.0%} at risk {r:.2f}" for c, r in points[:: max(1, len(points) // 10)])
    )
    if curve is not None:
        curve.write_text(_svg(points), encoding="utf-8")
        print(f"curve written to {curve}")


def _confusion(count: Counter[tuple[str, str]]) -> str:
    return ", ".join(f"{gold}→{found} {n}" for (gold, found), n in sorted(count.items()))


def risk_coverage(tested: Sequence[tuple[float, bool]]) -> list[tuple[float, float]]:
    """Answering the surest first: the share answered, and the share of those that should not have been."""
    ranked = sorted(tested, key=lambda pair: -pair[0])
    wrong, points = 0, []
    for number, (_, right) in enumerate(ranked, start=1):
        wrong += not right
        points.append((number / len(ranked), wrong / number))
    return points


def _svg(points: Sequence[tuple[float, float]]) -> str:
    """The curve as a plain SVG picture."""
    line = " ".join(f"{40 + 400 * c:.1f},{240 - 200 * r:.1f}" for c, r in points)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="480" height="280" font-family="sans-serif" font-size="12">'
        '<rect width="480" height="280" fill="white"/><path d="M40 40V240H440" fill="none" stroke="#444"/>'
        f'<polyline points="{line}" fill="none" stroke="#1f5fbf" stroke-width="2"/>'
        '<text x="200" y="272">share answered</text><text x="6" y="30">risk</text>'
        '<text x="12" y="244">0</text><text x="12" y="44">1</text></svg>\n'
    )


def main() -> int:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", type=Path)
    parser.add_argument("--no-embedding", action="store_true")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--curve", type=Path)
    options = parser.parse_args()
    labelled_answers(options.data)
    claims(options.data, not options.no_embedding, options.every)
    sufficiency(options.data, not options.no_embedding, options.every, options.curve)
    return 0


if __name__ == "__main__":
    sys.exit(main())
