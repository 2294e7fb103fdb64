"""Who does what to whom, and which of several like things is spoken of."""
