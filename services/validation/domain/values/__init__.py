"""Quantities: what they measure, when two say the same, where they belong, how a wrong one is reported."""
