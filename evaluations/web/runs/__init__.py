"""Runs: the page of one with its rows, filters and averages, and the threshold explorer."""
