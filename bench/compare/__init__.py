"""The same corpus through other frameworks' Milvus stores, each in a Python environment of its own."""
