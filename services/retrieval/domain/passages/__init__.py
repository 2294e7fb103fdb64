"""From the text of a document to its passages: repair, structure, pieces, chunks, codes."""
