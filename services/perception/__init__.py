"""Perception: turns a question into structure by rules, lexicons and a small tagger. No LLM."""
