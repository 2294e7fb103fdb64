"""Orchestration: plans, searches, writes, has it validated, and answers or refuses."""
