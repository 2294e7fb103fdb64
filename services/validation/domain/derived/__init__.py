"""Values that no passage states and that follow from those it does."""
