"""Reading text: characters, sentences, statements, marks of sources, names, references, rows of tables."""
