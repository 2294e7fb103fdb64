"""Embedders. One is one module here and one entry of ``registry.EMBEDDERS``."""
