"""Benchmarks: figures and ratios, never assertions. `python -m bench` prints all of them."""
