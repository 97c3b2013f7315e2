"""Evaluators: the list, the editor with its tryout, and connections to servers."""
