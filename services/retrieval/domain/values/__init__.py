"""Numbers, measures, days and spans of time in the words of documents and questions."""
