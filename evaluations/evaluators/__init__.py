"""Evaluators and their versions, recipes (compiled versions), connections to model servers, embeddings."""
