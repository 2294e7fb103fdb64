"""Which documents are versions of one, and which of them is in force on which day."""
