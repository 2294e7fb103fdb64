"""Words of which one denied says what the other demands: not together is apart."""

from __future__ import annotations

import re


def words_opposed(one: str, other: str) -> bool:
    """One has a word and the other its opposite."""
    return any((a.search(one) and b.search(other)) or (b.search(one) and a.search(other)) for a, b in _OPPOSITES)


_OPPOSITES = tuple(
    (re.compile(a), re.compile(b))
    for a, b in (
        (
            r"\btogether\b|\bjointly\b|\bmixed\b|\bin the same\b|一起|混放|混装|混存|同库",
            r"\bseparate\w*|\bapart\b|分开|分别|单独|隔离",
        ),
        (r"\bopen\b|\bunlocked\b|打开|敞开|开着", r"\bclosed\b|\bshut\b|\blocked\b|关闭|关上|锁"),
        (
            r"\bunattended\b|\bunsupervised\b|\balone\b|无人",
            r"\battended\b|\bsupervis\w+|\baccompanied\b|看管|看护|陪同",
        ),
        (r"\bwet\b|\bdamp\b|潮湿|受潮", r"\bdry\b|干燥"),
    )
)
