"""Validation: whether evidence suffices for a question, and whether each statement of an answer holds by it."""
