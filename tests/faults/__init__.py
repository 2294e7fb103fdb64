"""Parts that hang or die while questions are asked."""
