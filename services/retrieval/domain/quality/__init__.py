"""The health of documents: figures, findings, near duplicates, reasons not to store."""
