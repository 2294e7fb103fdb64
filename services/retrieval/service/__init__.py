"""Use cases: ingesting, searching, keeping knowledge bases."""
