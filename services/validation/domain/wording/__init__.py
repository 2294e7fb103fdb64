"""How the words of a statement stand in its passages: alignment, support, and what was altered or put in."""
