"""What `trirag doctor` looks at: one check a part, each with its remedy."""
