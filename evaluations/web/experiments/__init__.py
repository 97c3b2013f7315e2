"""Experiments: the list, the page of one, variants from files, and previews of newer evaluators."""
