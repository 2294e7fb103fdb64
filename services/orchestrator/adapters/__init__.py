"""One file for each thing outside: the other services, the language model, the policy file, the trace store."""
