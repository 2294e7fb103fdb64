"""Pure Python: rules, matching and interpretation. No I/O, no protobuf, no model library."""
