"""Frozen dataclasses that more than one service speaks of. Pure Python: no gRPC, protobuf or I/O."""
