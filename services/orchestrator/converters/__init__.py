"""Between the orchestrator's dataclasses and its contract."""
