"""Experiments, their runs and outputs, facts about variants, and the sample project."""
