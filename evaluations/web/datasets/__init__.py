"""Datasets: their examples, versions, schema, splits, imports, edits of many examples, and trends over time."""
