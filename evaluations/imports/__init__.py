"""Uploaded files: stored, previewed, mapped to columns, and read by workers into examples and outputs."""
