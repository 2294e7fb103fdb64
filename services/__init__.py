"""The four TriRAG services and what they share."""
