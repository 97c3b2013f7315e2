"""Prompts: the list, the editor with its preview and trials, and launches."""
