"""From candidates to ranked hits: fusion, features, diversity, and agreement of two rankings."""
