"""One file a command. Heavy imports stand inside the functions, so that `trirag --help` is quick."""
