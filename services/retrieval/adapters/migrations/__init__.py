"""Alembic migrations of the catalogue of knowledge bases."""
