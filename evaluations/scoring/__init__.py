"""Scoring of runs in chunks, score columns packed into blocks, and their summaries."""
