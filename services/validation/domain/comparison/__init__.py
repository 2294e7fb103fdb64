"""Comparisons and superlatives: their sides, directions and differences."""
