from __future__ import annotations

from services.perception.domain.pipeline import Interpreter
from services.perception.pack_examples import run_examples


def test_every_example_of_every_rule_holds(interpreter: Interpreter) -> None:
    count, failures = run_examples(interpreter)
    assert not failures, "\n".join(map(str, failures))
    assert count >= 400
