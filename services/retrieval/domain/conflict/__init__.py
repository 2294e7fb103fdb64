"""Passages that speak of the same thing with different values."""
