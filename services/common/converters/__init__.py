"""Between protobuf messages and the shared dataclasses: the only shared code that knows both."""
