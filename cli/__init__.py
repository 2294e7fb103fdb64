"""The `trirag` command."""
