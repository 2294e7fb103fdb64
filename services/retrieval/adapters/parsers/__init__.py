"""Document formats. A format is one module here that registers a parser; nothing else need change.

Modules are imported on first use of their format, for some of their libraries are slow to load.
"""
