"""Columns of a file: their names and paths, the role of each in a mapping, saved mappings, and outside scores."""
