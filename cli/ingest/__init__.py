"""From paths to the messages of an ingest stream."""
