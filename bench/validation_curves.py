"""Risk over coverage: the curve, and several of them as one plain SVG picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Curve = Sequence[tuple[float, float]]
_LEFT, _TOP, _WIDTH, _HEIGHT = 56, 20, 520, 300
_COLOURS = ("#b0720f", "#3d8a4f", "#8a4f9e", "#1f5fbf")


def risk_coverage(tested: Sequence[tuple[float, bool]]) -> list[tuple[float, float]]:
    """Answering the surest first: the share answered, and the share of those that should not have been."""
    ranked = sorted(tested, key=lambda pair: -pair[0])
    wrong, points = 0, []
    for number, (_, right) in enumerate(ranked, start=1):
        wrong += not right
        points.append((number / len(ranked), wrong / number))
    return points


def svg(curves: Mapping[str, Curve]) -> str:
    """One line a scorer, with a legend."""
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 370" font-family="sans-serif" font-size="12">',
        '<rect width="600" height="370" fill="white"/>',
    ]
    for step in range(5):
        share = step / 4
        x, y = _place(share, share)
        parts.append(f'<path d="M{_LEFT} {y:.0f}H{_LEFT + _WIDTH}" stroke="#ddd"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.0f}" text-anchor="end">{share:g}</text>')
        parts.append(f'<text x="{x:.0f}" y="{_TOP + _HEIGHT + 18}" text-anchor="middle">{share:g}</text>')
    for number, (name, curve) in enumerate(curves.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        line = " ".join("{:.1f},{:.1f}".format(*_place(c, r)) for c, r in curve)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{_LEFT + 12}" y="{_TOP + 16 + 16 * number}" fill="{colour}">{name}</text>')
    parts.append(f'<text x="{_LEFT + _WIDTH / 2}" y="362" text-anchor="middle">coverage: share answered</text>')
    parts.append('<text transform="rotate(-90 14 170)" x="14" y="170" text-anchor="middle">risk: not sufficient</text>')
    return "\n".join([*parts, "</svg>", ""])


def _place(coverage: float, risk: float) -> tuple[float, float]:
    return _LEFT + _WIDTH * coverage, _TOP + _HEIGHT * (1 - risk)
