"""The figures of a comparison: its evaluators and families, entries against the baseline, and their cache."""
