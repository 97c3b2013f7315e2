"""Datasets, their immutable versions, examples, splits, schemas, and examples as numpy arrays."""
