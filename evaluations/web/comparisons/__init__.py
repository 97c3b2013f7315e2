"""Variants side by side: the page of a comparison with its examples and statistics, and gates."""
