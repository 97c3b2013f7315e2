"""Verification of the metrics against slow references, and the generated page of the catalogue."""
