"""Aligned sides: which examples of their runs belong together, and each evaluator's scores slot by slot."""
