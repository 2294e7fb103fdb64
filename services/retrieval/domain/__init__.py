"""Pure retrieval logic: no gRPC, no protobuf, no I/O."""
