"""Rerankers outside of this process."""
