"""What is worked out of clauses and coverages only once, or only as far as it is asked for, is the same as in full."""

from __future__ import annotations

import math

import pytest

from services.validation.adapters.config import default_config
from services.validation.domain.analysis import Analyser
from services.validation.domain.reading.clauses import Clause, clauses_of, read_once
from services.validation.domain.values.compare import close
from services.validation.domain.wording.align import SYNONYM, Bag, cover, covered

_CONFIG = default_config()
_ANALYSER = Analyser(_CONFIG)
_TEXTS = (
    "The supplier must repair the pump within 5 days.",
    "供应商应当在5日内修理水泵。",
    "The vendor repairs pumps and their seals.",
    "On.",
)


@pytest.mark.parametrize("mine", _TEXTS)
@pytest.mark.parametrize("theirs", _TEXTS)
@pytest.mark.parametrize("least", [0.0, SYNONYM])
def test_the_share_alone_is_that_of_the_coverage(mine: str, theirs: str, least: float) -> None:
    terms, bag = _ANALYSER.analyse(mine).terms, Bag.of([_ANALYSER.analyse(theirs)])
    assert covered(terms, bag, least=least) == cover(terms, bag, least=least).share


def test_a_clause_is_read_once() -> None:
    read: list[Clause] = []

    @read_once
    def counted(clause: Clause) -> int:
        read.append(clause)
        return len(read)

    first, second = (clauses_of(_ANALYSER.analyse(text), _CONFIG.lexicon)[0] for text in _TEXTS[:2])
    assert [counted(first), counted(first), counted(second), counted(first)] == [1, 1, 2, 1]


def test_a_clause_has_its_own_words_in_lower_case() -> None:
    analysis = _ANALYSER.analyse("The Pump stops, and the Valve must be closed.")
    assert [c.low for c in clauses_of(analysis, _CONFIG.lexicon)] == [analysis.low[a:b] for a, b in analysis.clauses]


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [(0.1 + 0.2, 0.3, True), (0.0, 0.0, True), (5.0, 5.001, False), (math.inf, 5.0, False), (0.0, 1e-9, False)],
)
def test_close_values(a: float, b: float, same: bool) -> None:
    assert close(a, b) is same and close(b, a) is same
