"""Variants compared: aligned scores, verdicts, warnings, compared examples, subsets, trends, thresholds."""
