"""Planning, fusion, composing and remedies. Pure Python."""
