"""Launches: prompts answer the examples of an experiment, within budgets and rate limits."""
